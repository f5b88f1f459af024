"""The institution that a command names."""

from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.errors import ConfigurationError, StorageError
from webmine_assets.institutions import Institution, find_institution, load_institution
from webmine_assets.settings import Settings
from webmine_assets.storage.lake import Lake

InstitutionOption = Annotated[
    str, typer.Option("--institution", "-i", help="the id of an institution file")
]


def lake_to_ask(settings: Settings, institution: str | None = None) -> Lake:
    """The lake, for a question: where there is none, that is the answer, and none is made."""
    lake = Lake(settings.lake)
    if not lake.is_there:
        if institution is not None:
            chosen_institution(settings, institution)
        raise StorageError(
            f"there is no corpus at {lake.url}: `webmine run` makes one, `webmine demo` an "
            "example; if yours is elsewhere, go to its folder or set WEBMINE_DATA"
        )
    return lake


def no_institution_file(settings: Settings) -> str:
    return (
        f"there is no institution file in {settings.institutions}: "
        "`webmine init ID URL` writes one, `webmine demo` brings three"
    )


def chosen_institution(settings: Settings, name: str) -> Institution:
    """The institution of this id, or an error that names the known ones."""
    return load_institution(find_institution(settings.institutions, name))


def stored_institutions(settings: Settings, lake: Lake, table: str, name: str | None) -> list[str]:
    """The institutions that have rows of a table: the named one, or all."""
    known = lake.institutions(table)
    if name is not None and name not in known:
        chosen_institution(settings, name)
        return []
    return known if name is None else [name]


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigurationError(
            f"{path} cannot be made: {problem.strerror}; set WEBMINE_DATA to a folder you can write"
        ) from problem
