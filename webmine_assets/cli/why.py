"""`webmine why`: what was decided about a URL, why, and how it was found."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from webmine_assets.cli.chosen import lake_to_ask
from webmine_assets.cli.console import output, print_json, print_table
from webmine_assets.errors import ConfigurationError
from webmine_assets.reasons import meaning_of
from webmine_assets.records import Decision, SeedSource
from webmine_assets.render_account import account_of_render
from webmine_assets.settings import read_settings
from webmine_assets.stages.folder_crawl import LEDGER, PAGES, REPORT
from webmine_assets.storage import warehouse
from webmine_assets.urls import canonicalise, forms_of, host_of, resolve, target_of, url_problem

Row = dict[str, Any]

_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)
_WHY = """
select institution, url, decision, reason, detail, depth, discovered_from, decided_at
from url_ledger where url in (select unnest($1)) order by institution
"""
_WAITING = """
select institution, source, via, added_at from seeds
where url in (select unnest($1)) order by institution
"""
_SEEDS = "select url, source, via from seeds where institution = $1"
_PAGE = """
select meta, rss_entry.via as via
from page_snapshots where institution = $1 and url = $2
"""
_TAKEN = {Decision.STORED, Decision.ALIAS, Decision.FRESH, Decision.NOT_MODIFIED}
# What a redirect leads to shares its fate, and has it as the place it was found at; the links of a
# page are one deeper.
_LED_TO = """
select url from url_ledger
where institution = $1 and discovered_from = $2 and depth = $3 and decision = $4 and reason = $5
"""
# Of the same host, with at most every third sign of the path another.
_NEAR = """
with others as (
    select distinct institution, url, decision, reason,
           levenshtein(lower(substr(url, strpos(url, $1) + length($1))), lower($2)) as distance
    from url_ledger where split_part(url, '/', 3) = $1
)
select institution, url, decision, reason from others
where distance <= greatest(1, length($2) // 3) order by distance, url, institution limit 3
"""
_FOUND = {
    SeedSource.CONFIG: "a starting point, in {via}",
    SeedSource.FEED: "announced by the feed {via}",
    SeedSource.CSV: "listed in {via}",
    SeedSource.HISTORICAL: "imported from {via}",
    SeedSource.WARC: "imported from {via}",
}


@dataclass(frozen=True, slots=True)
class _Crawls:
    """What crawls left to ask: the lake, or the folder of one."""

    ask: Callable[[str, list[Any]], list[Row]]
    seeds_of: Callable[[str], list[Row]]
    page: Callable[[str, str], list[Row]]
    waiting: Callable[[list[str]], list[Row]]


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
    if not absolute or url.startswith("/"):
        raise ConfigurationError(url_problem(url) or f"{url!r} is not an http or https URL")
    crawls = _in_lake() if out is None else _in_folder(out)
    forms = [*(form for found in absolute for form in forms_of(found)), url]
    rows = [row | {"rendering": _rendering(row, crawls)} for row in crawls.ask(_WHY, [forms])]
    if as_json:
        print_json(rows)
    elif rows:
        for row in rows:
            _explain(row, crawls)
    else:
        _explain_unknown(url, typed[0], crawls.waiting(forms))
        near = crawls.ask(_NEAR, [host_of(absolute[0]), target_of(absolute[0])])
        if near:
            print_table(near, title="Discovered and similar")
    raise typer.Exit(0 if rows else 1)


def _in_lake() -> _Crawls:
    lake = lake_to_ask(read_settings())

    def ask(sql: str, values: list[Any]) -> list[Row]:
        rows: list[Row] = warehouse.query(lake, sql, values).to_pylist()
        return rows

    return _Crawls(
        ask=ask,
        seeds_of=lambda institution: ask(_SEEDS, [institution]),
        page=lambda institution, url: ask(_PAGE, [institution, url]),
        waiting=lambda forms: ask(_WAITING, [forms]),
    )


def _in_folder(out: Path) -> _Crawls:
    if not (out / LEDGER).is_file():
        raise ConfigurationError(
            f"{out / LEDGER} is not there; `webmine crawl --out {out}` writes it"
        )

    def ask(file: str, sql: str, values: list[Any]) -> list[Row]:
        table = Path(file).stem
        rows: list[Row] = warehouse.query_file(out / file, table, sql, values).to_pylist()
        return rows

    def seeds_of(institution: str) -> list[Row]:
        config = json.loads((out / REPORT).read_text("utf-8"))["config"]
        via = f"the file of {institution}"
        return [
            {"url": url, "source": SeedSource.CONFIG.value, "via": via}
            for url in config.get("seed_urls", ())
        ]

    return _Crawls(
        ask=lambda sql, values: ask(LEDGER, sql, values),
        seeds_of=seeds_of,
        # A crawl into a folder that is ending has written its ledger, and not yet its pages.
        page=lambda institution, url: (
            ask(PAGES, _PAGE, [institution, url]) if (out / PAGES).is_file() else []
        ),
        waiting=lambda _: [],
    )


def _explain_unknown(url: str, read_as: str, waiting: list[Row]) -> None:
    if url == read_as:
        _line(f"{url} was never discovered by a crawl.")
    else:
        _line(
            f"{url} is no full address; read as {read_as} it was never discovered by a crawl. "
            "Write it with https:// and the host."
        )
    for seed in waiting:
        _line(
            f"  It waits for the next crawl of {seed['institution']} since "
            f"{seed['added_at']:%Y-%m-%d} ({seed['source']}: {seed['via']}): "
            f"webmine run {seed['institution']}"
        )


def _explain(row: Row, crawls: _Crawls) -> None:
    output.print(f"[bold]{escape(row['url'])}[/]  ({row['institution']})", soft_wrap=True)
    meaning = meaning_of(row["decision"], row["reason"])
    verdict = f"{row['decision']}: {row['reason']}"
    for line in (verdict, meaning.says, _evidence(row), row["rendering"]):
        if line:
            _line(f"  {line}")
    if row["decision"] not in _TAKEN and (led_to := crawls.ask(_LED_TO, _fate(row))):
        _line(f"  it leads to: {', '.join(target['url'] for target in led_to)}")
    if meaning.remedy:
        _line(f"  what helps: {meaning.remedy.replace('`', '')}")
    decided = f"decided {row['decided_at']:%Y-%m-%d %H:%M:%S} UTC"
    _line(f"  {_how_found(row, crawls)}, depth {row['depth']}, {decided}")


def _fate(row: Row) -> list[Any]:
    return [row[name] for name in ("institution", "url", "depth", "decision", "reason")]


def _evidence(row: Row) -> str:
    """The detail of a row, named where it does not speak for itself."""
    detail: str = row["detail"]
    if row["decision"] == "alias":
        return f"the page is stored as: {detail}"
    return f"checksum of its text: {detail}" if detail.startswith("sha256:") else detail


def _rendering(row: Row, crawls: _Crawls) -> str | None:
    """What a browser had to do with the page, if it is stored."""
    pages = crawls.page(row["institution"], row["url"]) if row["decision"] in _TAKEN else []
    return next((account_of_render(page["meta"]) for page in pages), None)


def _how_found(row: Row, crawls: _Crawls) -> str:
    if row["discovered_from"]:
        return f"found on {row['discovered_from']}"
    for seed in crawls.seeds_of(row["institution"]):
        if row["url"] in forms_of(seed["url"]) or row["url"] == canonicalise(seed["url"]):
            return _FOUND[SeedSource(seed["source"])].format(via=seed["via"])
    for page in crawls.page(row["institution"], row["url"]):
        if (source := page["meta"]["source"]) in set(SeedSource):
            return _FOUND[SeedSource(source)].format(via=page["via"] or "").rstrip()
    return "known from an earlier crawl or an import: no page of the last crawl led to it"


def _line(text: str) -> None:
    output.print(text, markup=False, soft_wrap=True)
