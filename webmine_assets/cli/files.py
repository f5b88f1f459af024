"""`webmine init` and `institutions`: institution files written, listed with mistakes, removed."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from webmine_assets.cli.chosen import make_folder, no_institution_file
from webmine_assets.cli.console import errors, output, print_json, print_table, tell
from webmine_assets.cli.starting import argument_error, check_start, starter_file
from webmine_assets.errors import ConfigurationError, InstitutionFileError, UnknownInstitutionError
from webmine_assets.institutions import (
    ID,
    LoadedInstitutions,
    find_institution,
    load_institution,
    load_institutions,
    parse_institution,
)
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.removal import kept_of, remove_kept
from webmine_assets.stages.unusable import unusable_values
from webmine_assets.storage.lake import Lake


def init(
    institution: Annotated[str, typer.Argument(help="a short id: lower-case letters, digits, -")],
    url: Annotated[str, typer.Argument(help="where the crawl starts")],
) -> None:
    """Write a first institution file: the keys that most often change, each explained."""
    settings = read_settings()
    path = settings.institutions / f"{institution}.yaml"
    if path.exists():
        raise ConfigurationError(f"{path} is there already; edit it, or choose another id")
    check_start(institution, url)
    text = starter_file(institution, url)
    try:
        parse_institution(text, path)
    except InstitutionFileError as problem:
        raise argument_error(problem) from problem
    make_folder(settings.institutions)
    try:
        path.write_text(text, "utf-8")
    except OSError as problem:
        raise ConfigurationError(f"{path} cannot be written: {problem.strerror}") from problem
    output.print(f"wrote {path}; look it over, then: webmine run {institution}")


def institutions(
    remove: Annotated[
        str | None,
        typer.Option(metavar="ID", help="take this one's file and all its data away, once asked"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="remove without asking")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """List the institutions, and every mistake in their files."""
    settings = read_settings()
    if remove is not None:
        _remove(settings, remove, asks=not yes)
        return
    loaded = load_institutions(settings.institutions)
    rows = [
        {
            "institution": item.institution_id,
            "name": item.display_name,
            "seeds": len(item.seed_urls),
            "domains": ", ".join(item.allowed_domains),
            "max_pages": item.max_pages,
            "file": str(loaded.paths[key]),
        }
        for key, item in loaded.institutions.items()
    ]
    if as_json:
        print_json(rows)
    elif rows or loaded.errors:
        print_table(rows)
    else:
        output.print(no_institution_file(settings), markup=False, soft_wrap=True)
    is_bad = tell_unusable(loaded, loaded.institutions)
    if loaded.errors:
        raise ConfigurationError("\n".join(str(error) for error in loaded.errors))
    raise typer.Exit(ConfigurationError.exit_code if is_bad else 0)


def tell_unusable(loaded: LoadedInstitutions, names: Iterable[str]) -> bool:
    """Name what has no effect on runs; whether there is any."""
    found = [
        f"{loaded.paths[name]}: {mistake}; it has no effect"
        for name in names
        for mistake in unusable_values(loaded.institutions[name], loaded.paths[name])
    ]
    for message in found:
        tell("warning", message)
    return bool(found)


def _remove(settings: Settings, institution: str, *, asks: bool) -> None:
    lake = Lake(settings.lake)
    # Data without a file is what a file that was deleted by hand leaves.
    kept = kept_of(institution, lake=lake, settings=settings) if ID.fullmatch(institution) else []
    try:
        file = [find_institution(settings.institutions, institution)]
    except UnknownInstitutionError:
        if not kept:
            raise
        file = []
    for line in (*map(str, file), *kept):
        errors.print(f"  {line}", markup=False, soft_wrap=True)
    if asks:
        typer.confirm(f"Remove all this of {institution}?", abort=True, err=True)
    feeds: Sequence[str] = ()
    with contextlib.suppress(InstitutionFileError):
        feeds = [url for path in file for url in load_institution(path).feeds]
    remove_kept(institution, lake=lake, settings=settings, feeds=feeds)
    for path in file:
        path.unlink()
    output.print(f"removed {institution}")
