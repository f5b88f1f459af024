"""When institutions are crawled again, and what the schedules ask for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import (
    DagsterInstance,
    RunRequest,
    ScheduleDefinition,
    SkipReason,
    build_schedule_context,
)
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.defs.resources import Corpus
from webmine_assets.defs.schedules import is_due, refresh_due_institutions, refresh_feeds_hourly
from webmine_assets.institutions import Institution
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import crawl_report

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
QUARTER = timedelta(minutes=15)


def institution(name: str = "u1", ttl_days: float = 7) -> Institution:
    return Institution(
        institution_id=name,
        seed_urls=("https://u1.edu/",),
        allowed_domains=("u1.edu",),
        ttl_days=ttl_days,
    )


@pytest.mark.parametrize(
    ("last", "ttl_days", "due"),
    [
        (None, 7, True),
        (NOON - timedelta(days=6), 7, False),
        (NOON - timedelta(days=8, minutes=1), 7, True),
        (NOON - timedelta(hours=1), 0, True),
        (NOON - timedelta(hours=13), 0.5, True),
        (NOON - timedelta(hours=11), 0.5, False),
    ],
)
def test_an_institution_is_due_when_its_time_ran_out(
    last: datetime | None, ttl_days: float, due: bool
) -> None:
    assert is_due(institution(ttl_days=ttl_days), last, now=NOON) is due


@given(st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True), st.integers(0, 95))
def test_within_a_day_of_its_time_an_institution_is_due_in_one_quarter_hour(
    name: str, start: int
) -> None:
    now = NOON + start * QUARTER
    last = now - timedelta(days=7)
    due = [step for step in range(95) if is_due(institution(name), last, now=now + step * QUARTER)]
    assert len(due) <= 1
    assert is_due(institution(name), last, now=now + 96 * QUARTER)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    folder = tmp_path / "institutions"
    folder.mkdir()
    for name, feeds in (("u1", "[]"), ("u2", "['https://u2.edu/feed']"), ("u3", "[]")):
        (folder / f"{name}.yaml").write_text(
            f"institution_id: {name}\nseed_urls: ['https://{name}.edu/']\n"
            f"allowed_domains: [{name}.edu]\nttl_days: 3\nfeeds: {feeds}\n"
        )
    (folder / "broken.yaml").write_text("institution_id: [")
    return folder


def evaluated(schedule: ScheduleDefinition) -> list[RunRequest] | SkipReason:
    """What a schedule asks for at noon."""
    with DagsterInstance.ephemeral() as instance:
        context = build_schedule_context(instance=instance, scheduled_execution_time=NOON)
        result: list[RunRequest] | SkipReason = schedule(context, corpus=Corpus())
    return result


def asked(result: list[RunRequest] | SkipReason) -> dict[str, str]:
    assert isinstance(result, list)
    return {request.partition_key or "": request.tags["webmine/crawl"] for request in result}


def test_the_refresh_asks_for_due_institutions_and_passes_over_broken_files(folder: Path) -> None:
    lake = Lake(str(folder.parent / "lake"))
    for name, days in (("u1", 1), ("u2", 9)):
        lake.write(
            "crawl_reports",
            name,
            [crawl_report(institution=name, started_at=NOON - timedelta(days=days))],
        )
    result = evaluated(refresh_due_institutions)
    assert asked(result) == {"u2": "u2", "u3": "u3"}


def test_feeds_are_read_where_there_are_some(folder: Path) -> None:
    assert asked(evaluated(refresh_feeds_hourly)) == {"u2": "u2"}


def test_without_institutions_the_schedules_say_why_nothing_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    assert isinstance(evaluated(refresh_due_institutions), SkipReason)
    assert isinstance(evaluated(refresh_feeds_hourly), SkipReason)
