"""`webmine run` and `demo`: the whole chain over institution files."""

import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli import summary
from webmine_assets.cli.chosen import make_folder, no_institution_file
from webmine_assets.cli.console import (
    errors,
    output,
    print_json,
    showing_progress,
    tell,
)
from webmine_assets.cli.files import tell_unusable
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
    SUFFIXES,
    load_institution,
    load_institutions,
)
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.removal import remove_kept
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.warehouse import write_warehouse


def run(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="institution files or ids; all in data/institutions if none is given"),
    ] = None,
    max_pages: Annotated[
        int | None,
        typer.Option(min=1, help="override for this run; stored pages beyond them stay"),
    ] = None,
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
    tell_unusable(load_institutions(settings.institutions), chosen)
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
    make_folder(settings.institutions)
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
    make_folder(settings.institutions)
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
    for line in summary.reasons_of_keeping(lake, rows):
        tell("not renewed", line)
    return list(failed)


def _remove_demo(settings: Settings) -> None:
    removed = remove_demo_institutions(settings.institutions)
    lake = Lake(settings.lake)
    # To have looked for it is no reason to make a folder.
    for institution in DEMO_IDS if settings.data.is_dir() else ():
        remove_kept(institution, lake=lake, settings=settings)
    output.print(
        f"removed {len(removed)} demo institutions and their data; your own are untouched"
        if removed
        else "there are no demo institutions; nothing was removed"
    )
