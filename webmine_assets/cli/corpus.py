"""`webmine run`, `demo`, `init` and `institutions`: the whole chain over institution files."""

import contextlib
import shutil
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli import summary
from webmine_assets.cli.chosen import no_institution_file
from webmine_assets.cli.console import (
    errors,
    output,
    print_json,
    print_table,
    showing_progress,
    tell,
)
from webmine_assets.cli.starting import argument_error, check_start, starter_file
from webmine_assets.demo.server import DemoSites
from webmine_assets.demo.starter import (
    DEMO_IDS,
    remove_demo_institutions,
    write_demo_institutions,
)
from webmine_assets.errors import (
    ConfigurationError,
    InstitutionFileError,
    UnknownInstitutionError,
    UnreadableFileError,
)
from webmine_assets.institutions import (
    ID,
    SUFFIXES,
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
from webmine_assets.storage.warehouse import write_warehouse


def run(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="institution files or ids; all in data/institutions if none is given"),
    ] = None,
    max_pages: Annotated[int | None, typer.Option(min=1, help="override for this run")] = None,
    ttl_days: Annotated[float | None, typer.Option(min=0, help="override for this run")] = None,
    force: Annotated[bool, typer.Option(help="fetch every page anew")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the summary as JSON")] = False,
) -> None:
    """Run the whole chain: seeds, pages, content, metadata, topics, archives, search.

    A crawl that was cut off (even by kill -9) goes on where it was. Pages younger than their
    ttl_days come from the last crawl without a request.
    """
    settings = read_settings()
    chosen, bad = _chosen(settings, files or [])
    for problem in bad:
        tell("skipped", str(problem))
    _tell_unusable(load_institutions(settings.institutions), chosen)
    overrides = {"max_pages": max_pages, "ttl_days": ttl_days, "force": force or None}
    config: dict[str, object] = {
        key: value for key, value in overrides.items() if value is not None
    }
    if settings.contact is None:
        errors.print("[dim]tip: WEBMINE_CONTACT puts your address into the user agent[/]")
    failed = _run(settings, chosen, config=config, as_json=as_json)
    raise typer.Exit(1 if failed else ConfigurationError.exit_code if bad else 0)


def demo(
    remove: Annotated[
        bool, typer.Option("--remove", help="take the demo institutions and their data away")
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="only serve the sites, until Ctrl-C, to try commands on")
    ] = False,
) -> None:
    """Start three bundled sites on loopback and run the whole chain over them."""
    settings = read_settings()
    if remove:
        _remove_demo(settings)
        return
    _folder(settings.institutions)
    with DemoSites() as sites:
        write_demo_institutions(settings.institutions)
        for name, url in sites.base_urls.items():
            served = "another process serves" if name in sites.reused else "serving"
            errors.print(f"[dim]{served} the demo {name} at {url}[/]")
        if serve:
            threading.Event().wait()
        failed = _run(settings, list(DEMO_IDS), config={}, as_json=False)
    summary.print_examples(Lake(settings.lake))
    summary.print_next_steps()
    raise typer.Exit(1 if failed else 0)


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
    _folder(settings.institutions)
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
    is_bad = _tell_unusable(loaded, loaded.institutions)
    if loaded.errors:
        raise ConfigurationError("\n".join(str(error) for error in loaded.errors))
    raise typer.Exit(ConfigurationError.exit_code if is_bad else 0)


def _tell_unusable(loaded: LoadedInstitutions, names: Iterable[str]) -> bool:
    """Name what has no effect on runs; whether there is any."""
    found = [
        f"{loaded.paths[name]}: {mistake}; it has no effect"
        for name in names
        for mistake in unusable_values(loaded.institutions[name], loaded.paths[name])
    ]
    for message in found:
        tell("warning", message)
    return bool(found)


def _chosen(
    settings: Settings, wanted: list[str]
) -> tuple[list[str], Sequence[InstitutionFileError]]:
    """The institution ids to run, and the files with mistakes, which do not stop the others.

    A file outside data/institutions is copied in first.
    """
    bad = [problem for name in wanted if (problem := _adopted(settings, name))]
    ids = [Path(name).stem if name.endswith(SUFFIXES) else name for name in wanted]
    loaded = load_institutions(settings.institutions)
    broken = {problem.path.stem: problem for problem in loaded.errors}
    left_out = {problem.path.stem for problem in bad}
    good = [name for name in dict.fromkeys(ids) if name not in left_out]
    for name in good:
        if name not in loaded.institutions and name not in broken:
            known = list(loaded.institutions)
            raise UnknownInstitutionError(name, settings.institutions, known)
    if wanted:
        bad += [broken[name] for name in good if name not in loaded.institutions]
    else:
        good, bad = list(loaded.institutions), list(loaded.errors)
    good = [name for name in good if name in loaded.institutions]
    if not good:
        raise ConfigurationError("\n".join(map(str, bad)) or no_institution_file(settings))
    return good, bad


def _adopted(settings: Settings, name: str) -> InstitutionFileError | None:
    """Copy a file in, if it is one; the mistakes that keep it out."""
    try:
        if name.endswith(SUFFIXES):
            _adopt(settings, Path(name))
    except UnreadableFileError:
        # What is not there was mistyped, as an unknown id is.
        raise
    except InstitutionFileError as problem:
        return problem
    return None


def _adopt(settings: Settings, path: Path) -> None:
    if path.resolve().parent == settings.institutions:
        return
    institution = load_institution(path)
    _folder(settings.institutions)
    target = settings.institutions / f"{institution.institution_id}{path.suffix}"
    if path.stem != institution.institution_id:
        raise ConfigurationError(
            f"{path}: the file's name must be its institution_id, {institution.institution_id}"
        )
    if target.exists() and target.read_bytes() != path.read_bytes():
        raise ConfigurationError(f"{target} is there and differs; run it by its id, or edit it")
    shutil.copyfile(path, target)
    errors.print(f"[dim]copied {path} to {target}[/]")


def _run(
    settings: Settings, ids: list[str], *, config: dict[str, object], as_json: bool
) -> list[str]:
    started = time.monotonic()
    errors.print("[dim]starting Dagster …[/]")
    # Dagster takes a second to import: only commands that run it pay for it.
    from webmine_assets.defs.runner import run_chain

    lake = Lake(settings.lake)
    write_warehouse(lake, settings.warehouse)
    before = lake.versions("crawl_reports")
    with showing_progress() as progress:
        outcomes = list(run_chain(settings, ids, progress=progress, crawl_config=config or None))
    after = lake.versions("crawl_reports")
    failed = {outcome.institution: outcome.error for outcome in outcomes if outcome.error}
    # What is known of these is an earlier crawl's.
    not_run = {name for name in failed if after.get(name) == before.get(name)}
    rows = summary.institution_rows(lake, [name for name in ids if name not in not_run])
    if as_json:
        print_json(rows)
    elif rows:
        summary.print_summary(rows, seconds=time.monotonic() - started)
    for name, problem in failed.items():
        tell("not run" if name in not_run else "error", f"{name}: {problem}")
    for line in summary.reasons_of_emptiness(lake, rows):
        tell("no page", line)
    return list(failed)


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


def _remove_demo(settings: Settings) -> None:
    removed = remove_demo_institutions(settings.institutions)
    lake = Lake(settings.lake)
    for institution in DEMO_IDS:
        remove_kept(institution, lake=lake, settings=settings)
    output.print(
        f"removed {len(removed)} demo institutions and their data; your own are untouched"
        if removed
        else "there are no demo institutions; nothing was removed"
    )


def _folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigurationError(
            f"{path} cannot be made: {problem.strerror}; set WEBMINE_DATA to a folder you can write"
        ) from problem
