"""Which crawls still have to be enhanced: read from Dagster's event log, decided one by one."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self

from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    AssetRecordsFilter,
    DagsterEventType,
    DagsterInstance,
    DagsterRun,
)

from webmine_assets.defs.jobs import ENHANCES
from webmine_assets.defs.partitions import INSTITUTIONS

_AT_ONCE = 50
"""Materialisations looked at in one tick: a daemon that was down catches up in steps."""

_LAST_ENHANCED = AssetKey("page_topics")


class Fate(Enum):
    """What to do about the pages of one crawl; the value is for a person."""

    ENHANCE = "to be enhanced"
    WAIT = "its run is still going"
    ENHANCED_THERE = "enhanced by its own run"
    REFUSED = "a blocking check failed"
    RETIRED = "its institution file is gone"


@dataclass(frozen=True, slots=True)
class NewPages:
    """One materialisation of page_snapshots."""

    storage_id: int
    run_id: str
    institution: str


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far the event log was read, and the crawls before that whose runs had not ended."""

    after: int = 0
    waiting: tuple[NewPages, ...] = ()

    @classmethod
    def parse(cls, text: str | None) -> Self:
        raw = json.loads(text or "{}")
        return cls(raw.get("after", 0), tuple(NewPages(*item) for item in raw.get("waiting", [])))

    def past(self, pages: Sequence[NewPages], waiting: Sequence[NewPages]) -> "Cursor":
        return Cursor(max(self.after, *(page.storage_id for page in pages)), tuple(waiting))

    def __str__(self) -> str:
        waiting = [[page.storage_id, page.run_id, page.institution] for page in self.waiting]
        return json.dumps({"after": self.after, "waiting": waiting})


def new_pages(instance: DagsterInstance, *, after: int) -> Iterator[NewPages]:
    """Materialisations of page_snapshots after a storage id, oldest first."""
    result = instance.fetch_materializations(
        AssetRecordsFilter(asset_key=AssetKey("page_snapshots"), after_storage_id=after),
        limit=_AT_ONCE,
        ascending=True,
    )
    for record in result.records:
        # One without a partition was reported by hand; it is passed over as a retired one.
        yield NewPages(record.storage_id, record.run_id, record.partition_key or "")


def fate_of(instance: DagsterInstance, pages: NewPages) -> Fate:
    """What to do now; a run that was deleted since counts as ended."""
    run = instance.get_run_by_id(pages.run_id)
    if run is not None and enhances_itself(run):
        return Fate.ENHANCED_THERE
    if run is not None and not run.is_finished:
        return Fate.WAIT
    if not instance.has_dynamic_partition(INSTITUTIONS, pages.institution):
        return Fate.RETIRED
    return Fate.REFUSED if is_refused(instance, pages) else Fate.ENHANCE


def enhances_itself(run: DagsterRun) -> bool:
    """Whether the run that crawled also enhances: the whole chain, or a selection with it."""
    selected = run.asset_selection or frozenset()
    return run.tags.get(ENHANCES) == "true" or _LAST_ENHANCED in selected


def is_refused(instance: DagsterInstance, pages: NewPages) -> bool:
    """Whether a blocking check of that run found the pages of this institution unfit."""
    entries = instance.all_logs(pages.run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION)
    evaluations = (
        entry.dagster_event.event_specific_data for entry in entries if entry.dagster_event
    )
    return any(
        is_refusal(found) and found.partition in (None, pages.institution)
        for found in evaluations
        if isinstance(found, AssetCheckEvaluation)
    )


def is_refusal(found: AssetCheckEvaluation) -> bool:
    """Whether a check stops what follows; a warning of a blocking check does not."""
    is_error = found.severity is AssetCheckSeverity.ERROR
    return bool(found.blocking) and not found.passed and is_error
