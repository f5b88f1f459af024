"""What a person sees of a materialisation in the UI: counts, a sample, a preview, a chart."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dagster import MetadataValue

from webmine_assets.defs.chart import bar_chart_png, markdown_image
from webmine_assets.records import CrawlReport
from webmine_assets.settings import Settings
from webmine_assets.stages.archive import Archived
from webmine_assets.stages.enhance import Enhancement
from webmine_assets.stages.imports import ImportOutcome
from webmine_assets.stages.operation import EnhanceAnswer
from webmine_assets.stages.screenshots import find_screenshots
from webmine_assets.storage.lake import Lake, Written
from webmine_assets.storage.schemas import table_schema

EMPTY_TEXT = "empty_text_share"
"""Kept with each enhancement, for the check of the next one and for the plot in the UI."""

_SAMPLE_ROWS = 5
_CELL = 80
_SHOWN_RESULTS = 50
_PREVIEW = 3_000
_PREVIEW_AMONG = 8
# Each is about 40 kB of the run's log.
_SHOWN_SCREENSHOTS = 3
_NOT_SHOWN = frozenset({"body", "headers", "provenance", "config_json", "institution"})


def table_metadata(lake: Lake, written: Written) -> dict[str, Any]:
    """Row count, size, sample and location of one published partition."""
    location = lake.location_of(written.table, written.institution)
    return {
        "dagster/row_count": written.rows,
        "size_mb": round(written.bytes / 1e6, 3),
        "sample": MetadataValue.md(sample_table(lake, written.table, written.institution)),
        "file": MetadataValue.path(location) if lake.is_local else MetadataValue.url(location),
    }


def crawl_metadata(table: str, report: CrawlReport) -> dict[str, Any]:
    """What a crawl adds to the metadata of its tables."""
    if table == "page_snapshots":
        counters = asdict(report.counters)
        return {**counters, "stopped_by": report.stopped_by, "rendering": report.rendering}
    if table == "url_ledger":
        return {**report.decisions, "decisions": MetadataValue.md(decisions_chart(report.reasons))}
    return {"config": MetadataValue.json(json.loads(report.config_json))}


def screenshot_metadata(lake: Lake, settings: Settings, institution: str) -> dict[str, Any]:
    """The first pictures of rendered pages, and where all of them are; nothing if there is none."""
    folder = settings.screenshots / institution
    found = list(find_screenshots(lake, institution, folder))
    if not found:
        return {}
    shown = [
        f"<{page.url}>\n\n{markdown_image(page.path.read_bytes(), 'Screenshot')}"
        for page in found[:_SHOWN_SCREENSHOTS]
    ]
    return {
        "screenshots": len(found),
        "screenshot_folder": MetadataValue.path(str(folder)),
        "screenshot_preview": MetadataValue.md("\n\n".join(shown)),
    }


def decisions_chart(reasons: Mapping[str, int]) -> str:
    """The chart of decisions by reason, and the same numbers as a table."""
    if not reasons:
        return "*none*"
    rows = [{"decision and reason": name, "urls": count} for name, count in reasons.items()]
    chart = markdown_image(bar_chart_png(reasons), "URLs by decision and reason")
    return f"{chart}\n\n{markdown_table(rows)}"


def enhancement_metadata(lake: Lake, outcome: Enhancement) -> dict[str, Any]:
    """What an enhancement adds to the metadata of page_content."""
    written = outcome.content
    return {
        "pages_extracted": written.rows - outcome.kept,
        "pages_unchanged": outcome.kept,
        "pages_failed": outcome.failed,
        "rules_invalid": len(outcome.rules_invalid),
        EMPTY_TEXT: empty_text_share(lake, written.institution),
        "preview": MetadataValue.md(page_preview(lake, written.institution)),
    }


def batch_metadata(lake: Lake, institution: str, answer: EnhanceAnswer) -> dict[str, Any]:
    """What the enhancement of some pages adds to the metadata of page_content."""
    rows = [
        {
            "page": result.url or result.id,
            "status": result.status.value,
            "added": result.fields_added,
        }
        for result in answer.results[:_SHOWN_RESULTS]
    ]
    return {
        "pages_processed": answer.processed,
        "pages_enhanced": answer.enhanced,
        "results": MetadataValue.md(markdown_table(rows) if rows else answer.message),
        EMPTY_TEXT: empty_text_share(lake, institution),
        "preview": MetadataValue.md(page_preview(lake, institution)),
    }


def empty_text_share(lake: Lake, institution: str) -> float:
    """The share of pages without main text."""
    batches = lake.batches("page_content", institution, columns=["text"], size=1_000)
    empty = [not row["text"].strip() for batch in batches for row in batch.to_pylist()]
    return round(sum(empty) / len(empty), 3) if empty else 0.0


def page_preview(lake: Lake, institution: str) -> str:
    """The Markdown of one page: the longest of the first few, cut."""
    columns = ["url", "title", "full_content"]
    for batch in lake.batches("page_content", institution, columns=columns, size=_PREVIEW_AMONG):
        page = max(batch.to_pylist(), key=lambda row: len(row["full_content"]))
        content = page["full_content"]
        cut = content if len(content) <= _PREVIEW else f"{content[:_PREVIEW]}\n\n…"
        return f"<{page['url']}>\n\n{cut}"
    return "*no page*"


def archive_metadata(settings: Settings, archived: Archived) -> dict[str, Any]:
    """What archiving adds: how much was written, and where it is."""
    folder = settings.archives / archived.table.institution
    newest = folder / archived.files[-1] if archived.files else None
    return {
        "stories_written": archived.stories,
        "revisits": archived.revisits,
        "archive_folder": MetadataValue.path(str(folder)),
        "archive_file": MetadataValue.path(str(newest)) if newest else MetadataValue.null(),
    }


def import_metadata(outcome: ImportOutcome) -> dict[str, Any]:
    """What an import adds to the metadata of the tables it wrote to."""
    refused = [{"refused because": why, "items": count} for why, count in outcome.refused.items()]
    return {
        "pages_added": outcome.added,
        "pages_renewed": outcome.renewed,
        "pages_known": outcome.known,
        "inputs": MetadataValue.md("\n".join(f"- `{name}`" for name in outcome.taken) or "-"),
        "refused": MetadataValue.md(markdown_table(refused) if refused else "none"),
    }


def sample_table(lake: Lake, table: str, institution: str) -> str:
    """The first rows as a Markdown table; wide and binary columns are left out."""
    columns = [name for name in table_schema(table).names if name not in _NOT_SHOWN]
    rows: list[dict[str, Any]] = []
    for batch in lake.batches(table, institution, columns=columns, size=_SAMPLE_ROWS):
        rows = batch.to_pylist()
        break
    return markdown_table(rows) if rows else "*no rows*"


def markdown_table(rows: list[dict[str, Any]]) -> str:
    """Rows as a Markdown table, long cells cut."""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row[name]) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{k}={v}" for k, v in value.items() if v not in (None, False, []))
    text = " ".join(str("" if value is None else value).split()).replace("|", "\\|")
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
