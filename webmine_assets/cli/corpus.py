"""`webmine run`, `demo`, `init` and `institutions`: the whole chain over institution files."""

import shutil
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli import summary
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
)
from webmine_assets.extract.rules import rule_problem
from webmine_assets.institutions import (
    Institution,
    LoadedInstitutions,
    load_institution,
    load_institutions,
    parse_institution,
)
from webmine_assets.records import TABLES
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchIndex
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
    chosen = _chosen(settings, files or [])
    loaded = load_institutions(settings.institutions).institutions
    _tell_bad_rules(loaded[name] for name in chosen)
    overrides = {"max_pages": max_pages, "ttl_days": ttl_days, "force": force or None}
    config: dict[str, object] = {
        key: value for key, value in overrides.items() if value is not None
    }
    if settings.contact is None:
        errors.print("[dim]tip: WEBMINE_CONTACT puts your address into the user agent[/]")
    failed = _run(settings, chosen, config=config, as_json=as_json)
    raise typer.Exit(1 if failed else 0)


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
    """Write a first institution file with the defaults explained."""
    settings = read_settings()
    path = settings.institutions / f"{institution}.yaml"
    if path.exists():
        raise ConfigurationError(f"{path} is there already; edit it, or choose another id")
    check_start(url)
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
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """List the institutions, and every mistake in their files."""
    settings = read_settings()
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
    print_json(rows) if as_json else print_table(rows)
    _tell_bad_rules(loaded.institutions.values())
    if loaded.errors:
        raise ConfigurationError("\n".join(str(error) for error in loaded.errors))


def _tell_bad_rules(institutions: Iterable[Institution]) -> None:
    """Name the extraction rules that cannot be read: runs skip them, and a check fails."""
    for institution in institutions:
        for number, rule in enumerate(institution.extraction_rules):
            if problem := rule_problem(rule):
                where = f"{institution.institution_id}: extraction_rules.{number}"
                message = f"{where}: found {rule.value!r}; {problem}; the rule is skipped"
                errors.print(message, markup=False, soft_wrap=True)


def _chosen(settings: Settings, wanted: list[str]) -> list[str]:
    """The institution ids to run; a file outside data/institutions is copied in first."""
    for name in wanted:
        if name.endswith((".yaml", ".yml", ".json")):
            _adopt(settings, Path(name))
    loaded = load_institutions(settings.institutions)
    if not wanted:
        return _all_of(settings, loaded)
    ids = [Path(name).stem if "." in name else name for name in wanted]
    for name in ids:
        if name not in loaded.institutions:
            bad = [problem for problem in loaded.errors if problem.path.stem == name]
            known = list(loaded.institutions)
            raise bad[0] if bad else UnknownInstitutionError(name, settings.institutions, known)
    return ids


def _all_of(settings: Settings, loaded: LoadedInstitutions) -> list[str]:
    if loaded.institutions:
        for problem in loaded.errors:
            tell("skipped", str(problem))
        return list(loaded.institutions)
    if loaded.errors:
        raise loaded.errors[0]
    raise ConfigurationError(
        f"there is no institution file in {settings.institutions}: "
        "`webmine init ID URL` writes one, `webmine demo` brings three"
    )


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
    with showing_progress() as progress:
        outcomes = list(run_chain(settings, ids, progress=progress, crawl_config=config or None))
    rows = summary.institution_rows(lake, ids)
    if as_json:
        print_json(rows)
    else:
        summary.print_summary(rows, seconds=time.monotonic() - started)
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        tell("error", f"{outcome.institution}: {outcome.error}")
    for line in summary.reasons_of_emptiness(lake, rows):
        tell("no page", line)
    for line in summary.reasons_of_keeping(lake, rows):
        tell("not renewed", line)
    return [outcome.institution for outcome in failed]


def _remove_demo(settings: Settings) -> None:
    removed = remove_demo_institutions(settings.institutions)
    lake = Lake(settings.lake)
    index = SearchIndex(settings.search_index)
    for institution in DEMO_IDS:
        for table in TABLES:
            lake.remove(table, institution)
        shutil.rmtree(settings.archives / institution, ignore_errors=True)
        shutil.rmtree(settings.screenshots / institution, ignore_errors=True)
        for leftover in settings.journals.glob(f"{institution}.*"):
            leftover.unlink(missing_ok=True)
        if index.counts().get(institution):
            index.update(institution, ())
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
