"""Archiving a partition: which files the pages go to, and what a run that was cut off leaves."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.index import index_path
from webmine_assets.archive.reader import read_archive, read_record
from webmine_assets.progress import SilentProgress
from webmine_assets.records import (
    PageArchive,
    PageSnapshot,
    RssEntry,
    Seed,
    SeedSource,
    SnapshotMeta,
)
from webmine_assets.settings import Settings
from webmine_assets.stages.archive import Archived, archive_pages
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.archive.factories import page
from webmine_assets_tests.factories import NOON
from webmine_assets_tests.stages.pages import institution, settings_in


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


def store(settings: Settings, *pages: PageSnapshot) -> Lake:
    lake = Lake(settings.lake)
    lake.write("page_snapshots", "u1", pages)
    return lake


def run(settings: Settings) -> Archived:
    return archive_pages(
        institution(), lake=Lake(settings.lake), settings=settings, progress=SilentProgress()
    )


def table(settings: Settings) -> list[PageArchive]:
    return list(Lake(settings.lake).read(PageArchive, "page_archives", "u1"))


def test_pages_go_to_the_files_of_their_flavour(settings: Settings) -> None:
    entry = RssEntry(link="12", fetch_date="2021-05-06", source_feed_id=3, via="old.csv")
    store(
        settings,
        page(1),
        page(2, meta=SnapshotMeta(source="csv")),
        page(3, meta=SnapshotMeta(source="historical"), rss_entry=entry),
        page(4, meta=SnapshotMeta(source="feed")),
    )
    outcome = run(replace(settings, archive_prefix="our"))
    assert [name.partition("-")[0] for name in outcome.files] == ["our", "ourcsv", "ourhist2021"]
    [_, _, historical] = outcome.files
    [story] = read_archive(settings.archives / "u1" / historical)
    assert story.page.rss_entry == replace(entry, domain="u1.edu")
    for row in table(settings):
        assert b"<title>" in read_record(settings.archives / "u1", row)


def test_what_a_feed_announced_stands_in_the_story(settings: Settings) -> None:
    lake = store(settings, page(1, meta=SnapshotMeta(source="feed")))
    seed = Seed(
        institution="u1",
        url="https://u1.edu/1",
        source=SeedSource.FEED,
        via="https://u1.edu/feed",
        title="Announced",
        published_at="2026-02-01T10:00:00+01:00",
        added_at=NOON,
    )
    lake.write("seeds", "u1", [seed])
    [name] = run(settings).files
    [story] = read_archive(settings.archives / "u1" / name)
    entry = story.page.rss_entry
    assert (entry.title, entry.pub_date) == ("Announced", "Sun, 01 Feb 2026 10:00:00 +0100")
    assert (entry.via, entry.source_url) == ("https://u1.edu/feed", "https://u1.edu/feed")


def test_a_second_run_gives_revisits_and_no_file(settings: Settings) -> None:
    store(settings, page(1), page(2))
    first = run(settings)
    later = NOON + timedelta(days=14)
    store(settings, page(1, fetched_at=later), page(2, fetched_at=later))
    second = run(settings)
    assert (first.stories, first.revisits) == (2, 0)
    assert (second.stories, second.revisits, second.files) == (0, 2, ())
    assert [row.record_type for row in table(settings)] == ["response"] * 2 + ["revisit"] * 2


def test_runs_without_a_visit_in_between_add_no_rows(settings: Settings) -> None:
    store(settings, page(1), page(2))
    for _ in range(4):
        run(settings)
    assert [row.record_type for row in table(settings)] == ["response"] * 2
    later = NOON + timedelta(days=14)
    store(settings, page(1, fetched_at=later), page(2))
    assert run(settings).revisits == 1
    assert run(settings).revisits == 0
    visits = sorted((row.url, row.record_type, row.fetched_at) for row in table(settings))
    assert visits == [
        ("https://u1.edu/1", "response", NOON),
        ("https://u1.edu/1", "revisit", later),
        ("https://u1.edu/2", "response", NOON),
    ]


def test_files_of_a_run_that_ended_before_its_table_are_not_written_again(
    settings: Settings,
) -> None:
    lake = store(settings, page(1), page(2))
    run(settings)
    rows = table(settings)
    lake.remove("page_archives", "u1")
    again = run(settings)
    assert (again.stories, again.revisits) == (0, 0)
    adopted = [replace(row, archived_at=NOON) for row in table(settings)]
    assert adopted == [replace(row, archived_at=NOON) for row in rows]
    third = run(settings)
    assert (third.stories, len(table(settings))) == (0, 2)


def test_a_file_left_before_its_index_was_written_has_it_made(settings: Settings) -> None:
    lake = store(settings, page(1), page(2))
    [name] = run(settings).files
    path = settings.archives / "u1" / name
    before = index_path(path).read_text()
    index_path(path).unlink()
    lake.remove("page_archives", "u1")
    assert run(settings).stories == 0
    assert index_path(path).read_text() == before
    assert check_archive(path) == []


def test_only_whole_records_of_this_institution_are_adopted(settings: Settings) -> None:
    lake = store(settings, page(1), page(2))
    [name] = run(settings).files
    path = settings.archives / "u1" / name
    last = max(row.offset for row in table(settings))
    path.write_bytes(path.read_bytes()[: last + 20])
    (path.parent / "foreign.warc.gz").write_bytes(b"not an archive")
    lake.remove("page_archives", "u1")
    assert run(settings).stories == 1
    lake.remove("page_archives", "u1")
    other = institution(institution_id="u2")
    (settings.archives / "u1").rename(settings.archives / "u2")
    lake.write("page_snapshots", "u2", [replace(page(1), institution="u2")])
    outcome = archive_pages(other, lake=lake, settings=settings, progress=SilentProgress())
    assert outcome.stories == 1
    assert check_archive(settings.archives / "u2" / outcome.files[0]) == []
