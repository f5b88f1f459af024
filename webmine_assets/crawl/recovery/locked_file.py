"""Opening the file of a crawl for one process alone."""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO

from webmine_assets.errors import JournalError


def open_locked(path: Path) -> BinaryIO:
    """The file that is at `path` while we hold its lock: not one that was removed meanwhile."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Closed in children: a browser that outlives us would hold the lock on.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as problem:
            raise JournalError(
                f"{path}: cannot open the crawl journal: {problem.strerror}"
            ) from None
        # Unbuffered: what write() took survives a kill, what lay in a buffer of ours would not.
        file = os.fdopen(descriptor, "r+b", buffering=0)
        _lock(file, path)
        if _is_at(path, file):
            return file
        file.close()


def _is_at(path: Path, file: BinaryIO) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _lock(file: BinaryIO, path: Path) -> None:
    """One crawl at a time; the system frees the lock of a process that was killed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise JournalError(
            f"{path}: another crawl of this institution is running; wait for it or stop it"
        ) from None
