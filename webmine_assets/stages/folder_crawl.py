"""A crawl into a folder of plain files, with no lake and no Dagster: what `webmine crawl` does.

The folder holds three files, and while the crawl lasts its journal. The pages come last and carry
the crawl's start: who finds them knows that all three files are this crawl's.
"""

import asyncio
import contextlib
import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webmine_assets.crawl.miner import WebMiner
from webmine_assets.crawl.recovery.crawl_journal import is_same_crawl, journal_path, remove_left
from webmine_assets.crawl.recovery.journal import left_header
from webmine_assets.crawl.result import CrawlResult
from webmine_assets.errors import ConfigurationError
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import CrawlReport, LedgerRow, PageSnapshot
from webmine_assets.settings import Settings
from webmine_assets.stages.crawl import show, start_note
from webmine_assets.stages.previous import stored_snapshots
from webmine_assets.stages.screenshots import keep_screenshots
from webmine_assets.stages.seeds import read_feeds
from webmine_assets.storage.lake import note_of, write_parquet

PAGES, LEDGER, REPORT = "page_snapshots.parquet", "url_ledger.parquet", "report.json"

Report = dict[str, Any]
"""What report.json holds."""


def crawl_into(
    folder: Path,
    institution: Institution,
    *,
    miner: WebMiner,
    settings: Settings,
    progress: Progress,
) -> Report:
    """Crawl, put the three files in place, and only then let the journal go.

    A crawl that was killed between the two is finished, not crawled or written again.
    """
    owner = _owner(folder)
    if owner not in (None, institution.institution_id):
        raise ConfigurationError(
            f"{folder} holds the results of {owner}; "
            f"choose another folder for {institution.institution_id}"
        )
    miner = dataclasses.replace(miner, journals=folder / "journal")
    report = _finish_published(folder, institution, miner.journals)
    if report is None:
        report = _crawl(folder, institution, miner, settings, progress)
    with contextlib.suppress(OSError):
        miner.journals.rmdir()
    return report


def _owner(folder: Path) -> str | None:
    """Whose results are here; a report that is damaged or none of ours is nobody's."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        name = json.loads((folder / REPORT).read_text("utf-8")).get("institution")
        return name if isinstance(name, str) else None
    return None


def _crawl(
    folder: Path,
    institution: Institution,
    miner: WebMiner,
    settings: Settings,
    progress: Progress,
) -> Report:
    name = institution.institution_id
    feeds = read_feeds(institution, settings, now=datetime.now(UTC))
    for problem in feeds.problems:
        progress.say(f"{name}: {problem}")
    with (
        stored_snapshots(folder / PAGES, name) as previous,
        progress.task(f"{name}: crawl") as task,
    ):
        miner = dataclasses.replace(miner, previous_of=lambda _: previous)
        crawling = miner.mine(
            institution,
            seeds=[(seed.url, seed.source.value) for seed in feeds.seeds],
            on_progress=lambda seen: show(task, seen),
        )
        with asyncio.run(crawling) as result:
            # Before the files: once these are there, nothing of the journal is needed any more.
            keep_screenshots(result, folder / "screenshots")
            report = _publish(result, folder)
            result.finish()
    return report


def _publish(result: CrawlResult, folder: Path) -> Report:
    # The journal is locked, so what lies aside was left by a crawl that was killed here.
    for name in (PAGES, LEDGER, REPORT):
        for left in folder.glob(f".{name}.*"):
            left.unlink(missing_ok=True)
    write_parquet(folder / LEDGER, LedgerRow, result.ledger())
    text = _to_text(result.report)
    aside = folder / f".{REPORT}.new"
    aside.write_text(text, "utf-8")
    aside.replace(folder / REPORT)
    note = start_note(result.report.started_at)
    write_parquet(folder / PAGES, PageSnapshot, result.snapshots(), note=note)
    report: Report = json.loads(text)
    return report


def _finish_published(folder: Path, wanted: Institution, journals: Path) -> Report | None:
    """The report of the interrupted crawl, if all it had left to do was to remove its journal."""
    journal = journal_path(journals, wanted.institution_id)
    left = left_header(journal)
    if left is None or note_of(folder / PAGES) != start_note(left.started_at):
        return None
    remove_left(journal)
    if not is_same_crawl(left, wanted, now=datetime.now(UTC)):
        return None
    report: Report = json.loads((folder / REPORT).read_text("utf-8"))
    return report


def _to_text(report: CrawlReport) -> str:
    """The report as a person and a program can read it, its configuration as an object."""
    fields = dataclasses.asdict(report)
    fields["config"] = json.loads(fields.pop("config_json"))
    return json.dumps(fields, default=datetime.isoformat, indent=2, ensure_ascii=False) + "\n"
