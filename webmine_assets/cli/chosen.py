"""The institution that a command names."""

from typing import Annotated

import typer

from webmine_assets.institutions import Institution, find_institution, load_institution
from webmine_assets.settings import Settings
from webmine_assets.storage.lake import Lake

InstitutionOption = Annotated[
    str, typer.Option("--institution", "-i", help="the id of an institution file")
]


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
