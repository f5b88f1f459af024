"""One writer of an institution's pages at a time: a crawl and an import would lose each other."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from webmine_assets.errors import InstitutionBusyError, StorageError
from webmine_assets.settings import Settings


@contextmanager
def writing_pages(settings: Settings, institution: str) -> Iterator[None]:
    """Holds the institution's pages; the system frees the lock of a process that was killed."""
    path = settings.journals / f"{institution}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as problem:
        raise StorageError(
            f"{path} cannot be written: {problem.strerror}; set WEBMINE_DATA to another folder"
        ) from problem
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InstitutionBusyError(
                f"another crawl or import of {institution} is under way; start again when it ended"
            ) from None
        yield
