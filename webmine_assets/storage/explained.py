"""What goes wrong with the files of the lake, in words that name the place and the remedy."""

import contextlib
import errno
from collections.abc import Iterator

import pyarrow as pa

from webmine_assets.errors import StorageError, WebmineError


def unusable(url: str, problem: OSError) -> StorageError:
    """What the system refused; reading and writing are refused in the same words."""
    place = f"{problem.filename}: " if problem.filename else ""
    said = f"the lake at {url} cannot be used: {place}{problem.strerror or problem}"
    if isinstance(problem, PermissionError) or problem.errno == errno.EROFS:
        said += "; change its permissions, or set WEBMINE_DATA or WEBMINE_LAKE"
    return StorageError(said)


def unreadable(path: str, problem: Exception) -> StorageError:
    """A file of the lake that is no Parquet, or no longer."""
    return StorageError(f"{path} cannot be read: {problem}; move it away to go on without it")


@contextlib.contextmanager
def explained(url: str, path: str = "") -> Iterator[None]:
    """What goes wrong inside, as an error that names the lake, or the file at `path`."""
    try:
        yield
    except WebmineError:
        raise
    except pa.ArrowInvalid as problem:
        raise unreadable(path or f"a file of the lake at {url}", problem) from problem
    except (ImportError, ValueError) as problem:
        raise StorageError(f"the lake at {url} cannot be opened: {problem}") from problem
    except OSError as problem:
        # Damage inside a file is an OSError of Arrow's, which no call to the system stands behind.
        if path and problem.errno is None:
            raise unreadable(path, problem) from problem
        raise unusable(url, problem) from problem
    except Exception as problem:
        # Object stores raise errors of their own library (no credentials, no answer) that share no
        # base with OSError. A built-in error here is a mistake of ours and stays as it is.
        if type(problem).__module__ == "builtins":
            raise
        raise StorageError(f"the lake at {url} cannot be reached: {problem}") from problem
