"""Every error this package raises on purpose.

    WebmineError
    ├── ConfigurationError          a file or variable the user wrote; exit code 2
    │   └── InstitutionFileError    one institution file, with all its mistakes
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

from dataclasses import dataclass
from pathlib import Path


class WebmineError(Exception):
    """Base of all; the one retry loop reads `retryable`, the CLI returns `exit_code`."""

    retryable: bool = False
    exit_code: int = 1


class ConfigurationError(WebmineError):
    exit_code = 2


# What a mistake found where there is nothing at all; None is a value that a file may hold.
MISSING = object()


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong in a file: where, what was found, what was expected."""

    key: str
    found: object
    expected: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}, " if self.line else ""
        found = "missing" if self.found is MISSING else f"found {self.found!r}"
        return f"{where}{self.key}: {found}; {self.expected}"


class InstitutionFileError(ConfigurationError):
    """All mistakes of one institution file at once."""

    def __init__(self, path: Path, mistakes: list[Mistake]) -> None:
        self.path = path
        self.mistakes = mistakes
        lines = "\n".join(f"  - {mistake}" for mistake in mistakes)
        super().__init__(f"{path} is not a valid institution file:\n{lines}")


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
