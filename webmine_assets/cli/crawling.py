"""`webmine crawl` and `webmine why`: the crawl without Dagster, and its ledger."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from webmine_assets.cli.console import (
    output,
    print_json,
    print_table,
    showing_progress,
    tell,
)
from webmine_assets.crawl.miner import build_web_miner
from webmine_assets.errors import ConfigurationError
from webmine_assets.institutions import load_institution
from webmine_assets.reasons import meaning_of
from webmine_assets.settings import read_settings
from webmine_assets.stages.folder_crawl import LEDGER, crawl_into
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake
from webmine_assets.urls import forms_of, resolve


def crawl(
    config: Annotated[Path, typer.Option("--config", "-c", help="an institution file")],
    out: Annotated[Path, typer.Option("--out", "-o", help="the folder for the results")],
    connections: Annotated[
        int | None, typer.Option(min=1, max=64, help="connections to a host, instead of the file's")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="ask for every page again, whatever ttl_days says")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the report as JSON")] = False,
) -> None:
    """Crawl one institution into a folder, without Dagster and without the lake.

    Writes page_snapshots.parquet, url_ledger.parquet and report.json, and the pictures that
    rendering.screenshots asks for. Cut off at any moment, the
    same command goes on and fetches nothing twice. Pages that the folder already holds are the
    cache: within ttl_days they are not asked for again, after it only if they changed.
    """
    institution = load_institution(config)
    if force:
        institution = institution.model_copy(update={"ttl_days": 0})
    if connections is not None:
        politeness = institution.politeness.model_copy(update={"concurrency": connections})
        institution = institution.model_copy(update={"politeness": politeness})
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigurationError(f"{out} cannot be made: {problem.strerror}") from problem
    settings = read_settings()
    with showing_progress() as progress:
        miner = build_web_miner(settings)
        report = crawl_into(out, institution, miner=miner, settings=settings, progress=progress)
    if as_json:
        print_json(report)
        return
    rows = [{"decision and reason": name, "urls": n} for name, n in report["reasons"].items()]
    print_table(rows, title=f"{institution.institution_id}: {report['stopped_by']}")
    if not report["counters"]["pages_used"]:
        tell("warning", "no page was stored; the reasons above say why")
    elif report["counters"]["pages_kept"] == report["counters"]["pages_used"]:
        tell("warning", "nothing could be asked for: the pages of the last crawl stay")
    hint = f"results in {out}; ask about a URL with: webmine why URL --out {out}"
    output.print(hint, markup=False, soft_wrap=True)


_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_WHY = """
select institution, url, decision, reason, detail, depth, discovered_from, decided_at
from url_ledger where url in (select unnest($1)) order by institution
"""
_SEEDS = """
select institution, source, via, added_at from seeds
where url in (select unnest($1)) order by institution
"""
_NEAR = """
select url, decision, reason from url_ledger
where jaro_winkler_similarity(url, $1) > 0.9
order by jaro_winkler_similarity(url, $1) desc limit 3
"""


def why(
    url: Annotated[str, typer.Argument(help="the URL as it stands in a page or in your browser")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="a folder of `webmine crawl`, instead of the lake"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """What was decided about a URL, why, and how it was found."""
    typed = [url] if _HAS_SCHEME.match(url) else [f"https://{url}", f"http://{url}"]
    absolute = [found for form in typed if (found := resolve(form, form, keep_fragment=True))]
    if not absolute:
        raise ConfigurationError(f"{url!r} is not an http or https URL")
    ask = _asking(out)
    forms = [*(form for found in absolute for form in forms_of(found)), url]
    rows = ask(_WHY, [forms])
    if as_json:
        print_json(rows)
    elif rows:
        for row in rows:
            _explain(row)
    else:
        _explain_unknown(url, _waiting(forms) if out is None else [])
        near = ask(_NEAR, [absolute[0]])
        if near:
            print_table(near, title="Discovered and similar")
    raise typer.Exit(0 if rows else 1)


def _asking(out: Path | None) -> Callable[[str, list[Any]], list[dict[str, Any]]]:
    """Questions to the ledger of the lake, or to that of a folder."""
    if out is None:
        lake = Lake(read_settings().lake)
        return lambda sql, values: warehouse.query(lake, sql, values).to_pylist()
    ledger = out / LEDGER
    if not ledger.is_file():
        raise ConfigurationError(f"{ledger} is not there; `webmine crawl --out {out}` writes it")
    return lambda sql, values: warehouse.query_file(ledger, "url_ledger", sql, values).to_pylist()


def _waiting(forms: list[str]) -> list[dict[str, Any]]:
    lake = Lake(read_settings().lake)
    seeds: list[dict[str, Any]] = warehouse.query(lake, _SEEDS, [forms]).to_pylist()
    return seeds


def _explain_unknown(url: str, seeds: list[dict[str, Any]]) -> None:
    output.print(f"{url} was never discovered by a crawl.", markup=False, soft_wrap=True)
    for seed in seeds:
        line = (
            f"  It waits for the next crawl of {seed['institution']} since "
            f"{seed['added_at']:%Y-%m-%d} ({seed['source']}: {seed['via']}): "
            f"webmine run {seed['institution']}"
        )
        output.print(line, markup=False, soft_wrap=True)


def _explain(row: dict[str, Any]) -> None:
    output.print(f"[bold]{escape(row['url'])}[/]  ({row['institution']})", soft_wrap=True)
    meaning = meaning_of(row["decision"], row["reason"])
    for line in (f"{row['decision']}: {row['reason']}", meaning.says, row["detail"]):
        if line:
            output.print(f"  {line}", markup=False, soft_wrap=True)
    if meaning.remedy:
        remedy = meaning.remedy.replace("`", "")
        output.print(f"  what helps: {remedy}", markup=False, soft_wrap=True)
    found = f"found on {row['discovered_from']}" if row["discovered_from"] else "a starting point"
    line = f"  {found}, depth {row['depth']}, decided {row['decided_at']:%Y-%m-%d %H:%M:%S} UTC"
    output.print(line, markup=False, soft_wrap=True)
