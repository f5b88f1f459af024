"""Whether the process of a run still lives: it holds a lock that the system frees with it.

Dagster's own launcher cannot tell, so that after `kill -9` a run would be under way for ever, and
with it the turn of its institution and the enhancement of its pages.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


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
    with _locked(folder / run_id) as file:
        yield file


def _locked(path: Path) -> BinaryIO:
    """The file, locked before it is in its place: who finds it there unlocked has found a death."""
    aside = path.with_name(f".{path.name}.{uuid4().hex}")
    file = aside.open("xb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.link(aside, path)
    except FileExistsError:
        # Somebody else holds this run, and is waited for.
        file.close()
        file = path.open("wb")
        fcntl.flock(file, fcntl.LOCK_EX)
    finally:
        aside.unlink()
    return file


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


def killed(folder: Path) -> list[str]:
    """The runs that somebody held who ended without taking leave."""
    names = (path.name for path in folder.glob("[!.]*"))
    return sorted(name for name in names if has_died(folder, name))
