"""The institution files as they are now: people edit them while the studio runs."""

from pathlib import Path

from webmine_assets.institutions import (
    ExtractionRule,
    Institution,
    LoadedInstitutions,
    institution_files,
    load_institutions,
)


class InstitutionFiles:
    """Reads the files again when one of them changed; reading 20 of them takes 20 ms."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: tuple[object, LoadedInstitutions] | None = None

    def loaded(self) -> LoadedInstitutions:
        version = [(path, _version(path)) for path in institution_files(self._folder)]
        if self._read is None or self._read[0] != version:
            self._read = (version, load_institutions(self._folder))
        return self._read[1]

    def all(self) -> dict[str, Institution]:
        return self.loaded().institutions

    def names(self) -> list[str]:
        return list(self.all())

    def rules(self, institution: str) -> tuple[ExtractionRule, ...]:
        """The rules of an institution; a page may outlive the file of its institution."""
        known = self.all().get(institution)
        return known.extraction_rules if known else ()


def _version(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
