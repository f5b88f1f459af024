"""Schedules: crawl what is due, spread over the day; look at feeds every hour."""

import zlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from dagster import (
    DefaultScheduleStatus,
    RunRequest,
    ScheduleEvaluationContext,
    SkipReason,
    schedule,
)

from webmine_assets.defs.jobs import crawl, refresh_feeds
from webmine_assets.defs.resources import Corpus
from webmine_assets.institutions import Institution, load_institutions
from webmine_assets.stages.history import last_crawls

CRAWL_TAG = "webmine/crawl"
_SLOTS = 96
"""Quarter hours of a day: each institution has its own, so that crawls do not start together."""


def is_due(institution: Institution, last_crawl: datetime | None, *, now: datetime) -> bool:
    """Whether to crawl now: never crawled, or the time to live ran out and its slot is here.

    A time to live under a day, or a whole day's delay, does not wait for the slot.
    """
    if last_crawl is None:
        return True
    late = now - last_crawl - timedelta(days=institution.ttl_days)
    if late < timedelta(0):
        return False
    slot = zlib.crc32(institution.institution_id.encode()) % _SLOTS
    is_slot = slot == (now.hour * 60 + now.minute) // 15
    return is_slot or institution.ttl_days < 1 or late >= timedelta(days=1)


def _requests(institutions: Iterable[Institution], *, now: datetime, kind: str) -> list[RunRequest]:
    return [
        RunRequest(
            run_key=f"{kind}:{institution.institution_id}:{now:%Y%m%dT%H%M}",
            partition_key=institution.institution_id,
            tags={CRAWL_TAG: institution.institution_id},
        )
        for institution in institutions
    ]


@schedule(
    job=crawl,
    cron_schedule="*/15 * * * *",
    default_status=DefaultScheduleStatus.STOPPED,
)
def refresh_due_institutions(
    context: ScheduleEvaluationContext, corpus: Corpus
) -> list[RunRequest] | SkipReason:
    """Crawls institutions whose ttl_days have run out, each in its own quarter hour of the day."""
    now = context.scheduled_execution_time.astimezone(UTC)
    loaded = load_institutions(corpus.settings.institutions).institutions
    last = last_crawls(corpus.lake)
    due = [item for key, item in loaded.items() if is_due(item, last.get(key), now=now)]
    return _requests(due, now=now, kind="refresh") or SkipReason("no institution is due")


@schedule(
    job=refresh_feeds,
    cron_schedule="5 * * * *",
    default_status=DefaultScheduleStatus.STOPPED,
)
def refresh_feeds_hourly(
    context: ScheduleEvaluationContext, corpus: Corpus
) -> list[RunRequest] | SkipReason:
    """Reads the feeds of institutions that have some and fetches what they announce."""
    now = context.scheduled_execution_time.astimezone(UTC)
    loaded = load_institutions(corpus.settings.institutions).institutions
    with_feeds = [item for item in loaded.values() if item.feeds]
    return _requests(with_feeds, now=now, kind="feeds") or SkipReason("no institution has feeds")


SCHEDULES = [refresh_due_institutions, refresh_feeds_hourly]
