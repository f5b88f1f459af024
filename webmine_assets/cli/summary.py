"""The readable end of a run: what each institution gave, example questions, what to type next."""

from typing import Any

from webmine_assets.cli.console import output, print_table
from webmine_assets.records import PAGE_DECISIONS
from webmine_assets.stages.kept import QUESTION, kept_pages
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake

_PER_INSTITUTION = """
with last as (
    select * from crawl_reports
    qualify row_number() over (partition by institution order by started_at desc) = 1
)
select
    last.institution,
    (select count(*) from page_snapshots s where s.institution = last.institution) as pages,
    last.counters.cache_hits as cached,
    last.counters.not_modified + coalesce(last.reasons['stored:unchanged'], 0) as unchanged,
    coalesce(decisions['kept'], 0) as kept,
    (select count(*) from page_snapshots s
        where s.institution = last.institution and s.meta.rendered) as rendered,
    coalesce(decisions['alias'], 0) as aliases,
    coalesce(decisions['robots_blocked'], 0) as robots,
    coalesce(decisions['content_policy'], 0) as refused,
    coalesce(decisions['http_error'], 0) + coalesce(decisions['fetch_error'], 0)
        + coalesce(decisions['render_error'], 0) as errors,
    (select count(distinct topic) from page_topics t
        where t.institution = last.institution) as topics,
    (select count(distinct file) from page_archives a
        where a.institution = last.institution) as archives,
    last.stopped_by as ended,
    last.rendering
from last order by last.institution
"""

_NOT_KEPT = """
select decision || ':' || reason as name, count(*) as urls, arg_min(url, depth) as example
from url_ledger where institution = $1 group by all order by min(depth), urls desc limit 4
"""

_EXAMPLES = (
    (
        "Why were URLs not taken?",
        "select decision, reason, count(*) as urls from url_ledger "  # noqa: S608  # constants
        f"where decision not in {tuple(map(str, PAGE_DECISIONS))} "
        "group by all order by urls desc limit 6",
    ),
    (
        "Where do publication dates come from?",
        "select institution, source, pages from metadata_sources "
        "where field = 'date' order by pages desc limit 5",
    ),
    (
        "What is the corpus about?",
        "select topic, count(*) as pages, round(avg(confidence), 2) as confidence "
        "from page_topics group by topic order by pages desc limit 6",
    ),
)

_NEXT = (
    ('webmine search "energy storage"', "full-text search with snippets"),
    ("webmine why http://127.0.0.1:8801/internal/staff-handbook", "why a URL is not there"),
    ('webmine query "describe page_metadata"', "the columns of a table"),
    ("webmine studio", "see the pages and their provenance, and teach extraction rules"),
    ("make ui", "Dagster: lineage, checks, schedules, backfills"),
    ("webmine init my-site https://www.example.edu/", "your own institution"),
    ("webmine demo --remove", "take the demo and its data away"),
)


def institution_rows(lake: Lake, institutions: list[str]) -> list[dict[str, Any]]:
    """One row per institution that has been crawled, in the order asked for."""
    # A damaged file of another institution is no matter of this run.
    with warehouse.asking_about(lake, *institutions) as ask:
        rows = {row["institution"]: row for row in ask(_PER_INSTITUTION, [])}
    return [rows[name] for name in institutions if name in rows]


def print_summary(rows: list[dict[str, Any]], *, seconds: float) -> None:
    """The table of a run, and what a reader should notice in it."""
    shown = [{name: row[name] for name in row if name != "rendering"} for row in rows]
    output.print()
    counted = "1 institution" if len(rows) == 1 else f"{len(rows)} institutions"
    print_table(shown, title=f"{counted} in {seconds:.1f} s")
    cached = sum(row["cached"] for row in rows)
    if cached:
        output.print(f"{cached} pages came from the cache: they are younger than their ttl_days.")
    for note in sorted({row["rendering"] for row in rows} - {"on", "off"}):
        output.print(f"[yellow]rendering is off:[/] {note}")


def reasons_of_emptiness(lake: Lake, rows: list[dict[str, Any]]) -> list[str]:
    """Why crawls stored no page, in a line for each, and the command that tells more."""
    lines = []
    for name in (row["institution"] for row in rows if not row["pages"]):
        with warehouse.asking_about(lake, name) as ask:
            found = ask(_NOT_KEPT, [name])
        if found:
            counted = ", ".join(f"{reason['name']} ({reason['urls']})" for reason in found)
            lines.append(f"{name}: {counted}; ask: webmine why {found[0]['example']}")
    return lines


def reasons_of_keeping(lake: Lake, rows: list[dict[str, Any]]) -> list[str]:
    """Why pages stay as they were, in a line for each institution, and what tells more."""
    lines = []
    for name in (row["institution"] for row in rows if row["kept"]):
        kept = kept_pages(warehouse.query(lake, QUESTION, [name]).to_pylist())
        if kept.pages:
            lines.append(f"{name}: {kept.says}; ask: webmine why {kept.example}")
    return lines


def print_examples(lake: Lake) -> None:
    """Three questions with their answers."""
    for question, sql in _EXAMPLES:
        output.print(f'\n[bold]{question}[/]\n[dim]webmine query "{sql}"[/]', soft_wrap=True)
        print_table(warehouse.query(lake, sql).to_pylist())


def print_next_steps() -> None:
    """What to type next."""
    output.print("\n[bold]What next[/] [dim](after: source .venv/bin/activate)[/]")
    for command, purpose in _NEXT:
        output.print(f"  {command}\n      [dim]{purpose}[/]", soft_wrap=True)
