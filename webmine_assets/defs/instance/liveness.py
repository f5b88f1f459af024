"""Whether the process of a run still lives: it holds a lock that the system frees with it.

Dagster's own launcher cannot tell, so that after `kill -9` a run would be under way for ever, and
with it the turn of its institution and the enhancement of its pages.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def living(folder: Path, run_id: str) -> Iterator[None]:
    """Tell, while this is open, that the run's process lives."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / run_id
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Before the lock goes: who finds a free lock on a file that is there, found a death.
            path.unlink(missing_ok=True)


def has_died(folder: Path, run_id: str) -> bool:
    """Whether the run's process ended without taking leave; False if it never said it lived."""
    path = folder / run_id
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path.exists()
    except (FileNotFoundError, BlockingIOError):
        return False
