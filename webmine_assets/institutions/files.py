"""Institution files: found, and loaded with all their mistakes at once."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from webmine_assets.errors import InstitutionFileError, Mistake, UnknownInstitutionError
from webmine_assets.institutions.diagnosis import Location, mistakes_of
from webmine_assets.institutions.model import ID, Institution
from webmine_assets.institutions.syntax import (
    line_of,
    parse_mapping,
    plain,
    read_text,
)

SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class LoadedInstitutions:
    """The institutions of a folder, and the files that could not be used."""

    institutions: dict[str, Institution]
    errors: tuple[InstitutionFileError, ...]
    paths: dict[str, Path]


def load_institution(path: str | Path) -> Institution:
    """Read one file (YAML, or JSON, which YAML contains); all its mistakes come in one error."""
    return parse_institution(read_text(Path(path)), Path(path))


def parse_institution(text: str, path: Path) -> Institution:
    """An institution from the text that is, or is about to be, the file at `path`."""
    raw = parse_mapping(text, path)
    misnamed = list(_misnamed(raw, path))
    try:
        institution = Institution.model_validate(plain(raw))
    except ValidationError as problem:
        raise InstitutionFileError(path, misnamed + mistakes_of(problem, raw)) from None
    if misnamed:
        raise InstitutionFileError(path, misnamed)
    return institution


def line_in(path: Path, location: Location) -> int | None:
    """The line of a key of a file that was loaded: for mistakes that only its users can see."""
    with suppress(InstitutionFileError):
        return line_of(parse_mapping(read_text(path), path), location)
    return None


def _misnamed(raw: dict[str, Any], path: Path) -> Iterable[Mistake]:
    """Files of an institutions folder are found by their name, so the name must be the id."""
    found = raw.get("institution_id")
    if path.parent.name == "institutions" and isinstance(found, str) and found != path.stem:
        expected = f"expected the file's name, {path.stem!r}"
        yield Mistake("institution_id", found, expected, line_of(raw, ("institution_id",)))


def load_institutions(folder: Path) -> LoadedInstitutions:
    """Read every file of a folder; a bad file is reported and the others still load."""
    good: dict[str, Institution] = {}
    paths: dict[str, Path] = {}
    errors: list[InstitutionFileError] = []
    for path in institution_files(folder):
        try:
            institution = load_institution(path)
            if institution.institution_id in paths:
                first = paths[institution.institution_id]
                expected = f"expected one file per institution; {first.name} has this id too"
                mistake = Mistake("institution_id", institution.institution_id, expected)
                raise InstitutionFileError(path, [mistake])
        except InstitutionFileError as problem:
            errors.append(problem)
        else:
            good[institution.institution_id] = institution
            paths[institution.institution_id] = path
    return LoadedInstitutions(good, tuple(errors), paths)


def institution_files(folder: Path) -> list[Path]:
    """The institution files of a folder in the order of their names; none if it is missing."""
    if not folder.is_dir():
        return []
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    files = (path for path in visible if path.suffix in SUFFIXES)
    # YAML before JSON, as in find_institution: of two files of one id the same one counts.
    return sorted(files, key=lambda path: (path.stem, SUFFIXES.index(path.suffix)))


def find_institution(folder: Path, institution: str) -> Path:
    """The file of one institution, or an error that says what to create."""
    for suffix in SUFFIXES:
        if ID.fullmatch(institution) and (path := folder / f"{institution}{suffix}").is_file():
            return path
    raise UnknownInstitutionError(
        institution, folder, [path.stem for path in institution_files(folder)]
    )
