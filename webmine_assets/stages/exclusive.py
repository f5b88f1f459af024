"""One writer of an institution's pages, and one of its seeds, at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from webmine_assets.errors import InstitutionBusyError, StorageError
from webmine_assets.settings import Settings


@contextmanager
def writing_pages(settings: Settings, institution: str) -> Iterator[None]:
    """Holds the institution's pages; the system frees the lock of a process that was killed."""
    with _open_lock(settings, institution) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InstitutionBusyError(
                f"another crawl or import of {institution} is under way; start again when it ended"
            ) from None
        yield


@contextmanager
def writing_seeds(settings: Settings, institution: str) -> Iterator[None]:
    """Holds the institution's seeds while they are read and written anew; others wait so long.

    A crawl that collects seeds and an import that adds some would lose each other's.
    """
    with _open_lock(settings, f"{institution}.seeds") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _open_lock(settings: Settings, name: str) -> BinaryIO:
    path = settings.journals / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("wb")
    except OSError as problem:
        raise StorageError(
            f"{path} cannot be written: {problem.strerror}; set WEBMINE_DATA to another folder"
        ) from problem
