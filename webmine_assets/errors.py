"""Every error this package raises on purpose.

    WebmineError
    ├── ConfigurationError          a file or variable the user wrote; exit code 2
    │   └── InstitutionFileError    one institution file, with all its mistakes
    │       └── UnreadableFileError a file that is not there or may not be read
    ├── UnknownInstitutionError     a name with no file behind it; exit code 2
    ├── StorageError                the lake, the views, the index
    │   ├── QueryError              SQL that DuckDB refused
    │   │   └── QueryMemoryError    SQL that needed more memory than it may have
    │   └── InstitutionBusyError    another process writes this institution's pages; retryable
    ├── JournalError                a crawl journal that cannot be opened
    ├── ArchiveError                a WARC file that cannot be read or written
    ├── ImportSourceError           a feed, CSV or WARC input that cannot be taken
    ├── RendererUnavailableError    no browser where one was demanded
    └── ServiceError                a server of ours or its database cannot be used (port in use …)

Expected outcomes of a crawl (a robots refusal, a 404, a short page) are ledger rows, not errors.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path


class WebmineError(Exception):
    """Base of all; the one retry loop reads `retryable`, the CLI returns `exit_code`."""

    retryable: bool = False
    exit_code: int = 1


class ConfigurationError(WebmineError):
    exit_code = 2


# What a mistake found where there is nothing at all; None is a value that a file may hold.
MISSING = object()


class Words(str):
    """What is wrong where no value is at fault: said as it is, where a value is quoted."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong in a file: where, what was found, what was expected."""

    key: str
    found: object
    expected: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}, " if self.line else ""
        return f"{where}{self.key}: {self.what}; {self.expected}"

    @property
    def what(self) -> str:
        """What was found, in the words of a file, not in those of Python."""
        if self.found is MISSING:
            return "missing"
        return self.found if isinstance(self.found, Words) else f"found {_as_written(self.found)}"


def _as_written(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False, default=str)


class InstitutionFileError(ConfigurationError):
    """All mistakes of one institution file at once."""

    def __init__(self, path: Path, mistakes: Sequence[Mistake]) -> None:
        self.path = path
        self.mistakes = list(mistakes)
        super().__init__(self._told())

    def _told(self) -> str:
        lines = "\n".join(f"  - {mistake}" for mistake in self.mistakes)
        return f"{self.path} is not a valid institution file:\n{lines}"


class UnreadableFileError(InstitutionFileError):
    """An institution file that is not there or may not be read: there is nothing to be wrong."""

    def _told(self) -> str:
        return f"{self.path} cannot be read: {self.mistakes[0].what}"


class UnknownInstitutionError(WebmineError):
    exit_code = 2

    def __init__(self, institution: str, folder: Path, known: list[str]) -> None:
        self.institution = institution
        known_text = ", ".join(known) if known else "none yet"
        super().__init__(
            f"there is no institution {institution!r}: create {folder / institution}.yaml "
            f"(known: {known_text}); `webmine init {institution} URL` writes one"
        )


class StorageError(WebmineError):
    pass


class QueryError(StorageError):
    exit_code = 2


class QueryMemoryError(QueryError):
    def __init__(self) -> None:
        super().__init__(
            "the query needed more memory than it may have: select fewer columns or rows"
        )


class InstitutionBusyError(StorageError):
    retryable = True


class JournalError(WebmineError):
    pass


class ArchiveError(WebmineError):
    """A WARC file that cannot be read; `offset` is where the damage starts, if it is known."""

    def __init__(self, path: str, problem: str, *, offset: int | None = None) -> None:
        self.path = path
        self.problem = problem
        self.offset = offset
        where = f" at byte {offset}" if offset is not None else ""
        super().__init__(f"{path}{where}: {problem}")


class ImportSourceError(WebmineError):
    pass


class RendererUnavailableError(WebmineError):
    pass


class ServiceError(WebmineError):
    pass
