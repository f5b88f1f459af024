"""Whether the process of a run still lives: it holds a lock that the system frees with it.

Dagster's own launcher cannot tell, so that after `kill -9` a run would be under way for ever, and
with it the turn of its institution and the enhancement of its pages.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def living(folder: Path, run_id: str) -> Iterator[None]:
    """Tell, while this is open, that the run's process lives."""
    with held(folder, run_id):
        try:
            yield
        finally:
            # Before the lock goes: who finds a free lock on a file that is there, found a death.
            take_leave(folder, run_id)


@contextmanager
def held(folder: Path, run_id: str) -> Iterator[BinaryIO]:
    """Hold the run's lock, and with it all processes that inherit this file; who does not take
    leave before it goes has died."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / run_id).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def take_leave(folder: Path, run_id: str) -> None:
    """Whoever held the run's lock is done with it."""
    (folder / run_id).unlink(missing_ok=True)


def has_died(folder: Path, run_id: str) -> bool:
    """Whether the run's process ended without taking leave; False if it never said it lived."""
    path = folder / run_id
    try:
        # For writing: NFS refuses to lock a file that is open for reading only.
        with path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return path.exists()
    except (FileNotFoundError, BlockingIOError):
        return False
