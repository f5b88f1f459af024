"""The crawl of one institution: pages, a decision for every URL, and a report."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice

from webmine_assets.crawl.miner import build_web_miner
from webmine_assets.crawl.recovery.crawl_journal import is_same_crawl, journal_path, remove_left
from webmine_assets.crawl.recovery.journal import left_header
from webmine_assets.crawl.report import CrawlProgress
from webmine_assets.crawl.result import CrawlResult
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress, Task
from webmine_assets.records import CrawlReport, Seed, SeedSource
from webmine_assets.settings import Settings
from webmine_assets.stages.archive import archive_imports
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets.stages.previous import previous_snapshots
from webmine_assets.stages.screenshots import keep_screenshots
from webmine_assets.storage.lake import Lake, Written

_log = logging.getLogger(__name__)

KEPT_REPORTS = 500
"""Crawls remembered per institution: years of daily ones, and still a small file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOutcome:
    """What a crawl published."""

    snapshots: Written
    ledger: Written
    reports: Written
    report: CrawlReport


def crawl_pages(
    institution: Institution,
    *,
    lake: Lake,
    settings: Settings,
    progress: Progress,
    force: bool = False,
    max_kept: int = 0,
) -> CrawlOutcome:
    """Crawl, publish the three tables, and only then let the journal go.

    With `max_kept` stored pages beyond the `max_pages` of this run stay, so many in all.

    A crawl that was killed between the two is finished, not crawled or published again.
    """
    name = institution.institution_id
    wanted = institution.model_copy(update={"ttl_days": 0}) if force else institution
    with writing_pages(settings, name):
        outcome = finish_published(wanted, lake=lake, settings=settings)
        if outcome is None:
            outcome = _crawl(
                wanted, lake=lake, settings=settings, progress=progress, max_kept=max_kept
            )
    _log.info(
        "%s: %d pages, stopped by %s; %s",
        name,
        outcome.snapshots.rows,
        outcome.report.stopped_by,
        ", ".join(f"{count} {what}" for what, count in sorted(outcome.report.decisions.items())),
    )
    return outcome


def _crawl(
    wanted: Institution, *, lake: Lake, settings: Settings, progress: Progress, max_kept: int
) -> CrawlOutcome:
    name = wanted.institution_id
    archive_imports(wanted, lake=lake, settings=settings, progress=progress)
    with previous_snapshots(lake, name) as previous, progress.task(f"{name}: crawl") as task:
        miner = build_web_miner(settings, previous_of=lambda _: previous)
        crawling = miner.mine(
            wanted,
            seeds=extra_seeds(lake, name),
            max_kept=max_kept,
            on_progress=lambda seen: show(task, seen),
        )
        with asyncio.run(crawling) as result:
            # Before the tables: once these are there, nothing of the journal is needed any more.
            keep_screenshots(result, settings.screenshots / name)
            outcome = publish(result, lake=lake, institution=name)
            result.finish()
    return outcome


def finish_published(wanted: Institution, *, lake: Lake, settings: Settings) -> CrawlOutcome | None:
    """What the interrupted crawl published, if all it had left to do was to remove its journal."""
    name = wanted.institution_id
    journal = journal_path(settings.journals, name)
    left = left_header(journal)
    if left is None or lake.note("page_snapshots", name) != start_note(left.started_at):
        return None
    remove_left(journal)
    reports = lake.read(CrawlReport, "crawl_reports", name, size=100)
    report = next((row for row in reports if row.started_at == left.started_at), None)
    if report is None or not is_same_crawl(left, wanted, now=datetime.now(UTC)):
        return None
    return CrawlOutcome(
        snapshots=lake.published("page_snapshots", name),
        ledger=lake.published("url_ledger", name),
        reports=lake.published("crawl_reports", name),
        report=report,
    )


def start_note(started_at: datetime) -> dict[str, str]:
    """What the pages of a crawl carry: who finds it knows that the crawl is published."""
    return {"started_at": started_at.isoformat()}


def publish(result: CrawlResult, *, lake: Lake, institution: str) -> CrawlOutcome:
    """Write the tables of a crawl; pages come last, as they are what others wait for.

    They carry the crawl's start: who finds it there knows that all three are published.
    """
    ledger = lake.write("url_ledger", institution, result.ledger())
    earlier = lake.read(CrawlReport, "crawl_reports", institution, size=100)
    others = (row for row in earlier if row.started_at != result.report.started_at)
    reports = lake.write(
        "crawl_reports", institution, chain([result.report], islice(others, KEPT_REPORTS - 1))
    )
    note = start_note(result.report.started_at)
    snapshots = lake.write("page_snapshots", institution, result.snapshots(), note=note)
    return CrawlOutcome(snapshots=snapshots, ledger=ledger, reports=reports, report=result.report)


def extra_seeds(lake: Lake, institution: str) -> list[tuple[str, str]]:
    """Seeds that do not stand in the institution file, with where they came from."""
    return [
        (seed.url, seed.source.value)
        for seed in lake.read(Seed, "seeds", institution, size=1_000)
        if seed.source is not SeedSource.CONFIG
    ]


def show(task: Task, seen: CrawlProgress) -> None:
    """One line of live progress."""
    eta = f", about {seen.eta_s:.0f} s left" if seen.eta_s is not None else ""
    waiting = f", {seen.queued} queued{eta}" if seen.queued else ""
    note = f"{seen.pages_per_s:.1f} pages/s{waiting}"
    task.update(seen.pages, seen.pages + seen.queued or None, note)
