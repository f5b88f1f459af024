"""Pages out of WARC files and older systems: what is stored, refused, merged and remembered."""

import dataclasses
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.archive.story import build_story
from webmine_assets.errors import ImportSourceError, StorageError
from webmine_assets.progress import SilentProgress
from webmine_assets.records import Decision, LedgerRow, PageSnapshot, RssEntry, SnapshotMeta
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets.stages.imports import ImportOutcome, PageImport
from webmine_assets.stages.imports import pages as imported_pages
from webmine_assets.storage.lake import Lake, Written
from webmine_assets_tests.archive.factories import members, response, warc_record, write_file
from webmine_assets_tests.factories import NOON, ledger_row
from webmine_assets_tests.stages.pages import html, institution, page, settings_in

# Each test starts reading processes.
pytestmark = pytest.mark.slow


def importing(data: Path, *, lake: Lake | None = None, **options: Any) -> PageImport:
    settings = settings_in(data)
    values: dict[str, Any] = {"institution": institution()} | options
    return PageImport(
        lake=lake or Lake(settings.lake), settings=settings, progress=SilentProgress(), **values
    )


def archive(folder: Path, *rows: PageSnapshot) -> str:
    stories = [build_story(row, None, None, [], seed=None) for row in rows]
    return str(write_file(folder, *stories))


def snapshots(data: Path) -> dict[str, PageSnapshot]:
    lake = Lake(settings_in(data).lake)
    return {row.url: row for row in lake.read(PageSnapshot, "page_snapshots", "u1")}


def decisions(data: Path) -> dict[str, str]:
    lake = Lake(settings_in(data).lake)
    rows = lake.read(LedgerRow, "url_ledger", "u1")
    return {row.url: f"{row.decision}:{row.reason}" for row in rows}


def ledger_adds_up(data: Path) -> bool:
    """As the asset check asks it: one row a URL, as many kept as there are pages."""
    rows = list(Lake(settings_in(data).lake).read(LedgerRow, "url_ledger", "u1"))
    kept = [row for row in rows if row.decision in ("stored", "fresh", "not_modified")]
    urls = {row.url for row in rows}
    return len(rows) == len(urls) and {row.url for row in kept} == set(snapshots(data))


def test_the_round_trip_keeps_body_url_dates_and_text(tmp_path: Path) -> None:
    stored = page(
        "https://u1.edu/fishery",
        html("fishery"),
        first_seen_at=NOON - timedelta(days=30),
        changed_at=NOON - timedelta(days=3),
        depth=2,
        discovered_from="https://u1.edu/",
        meta=SnapshotMeta(alias_urls=("https://u1.edu/f",), alias_reasons=("redirect",)),
    )
    outcome = importing(tmp_path / "d").warc([archive(tmp_path, stored)])
    assert (outcome.added, outcome.failed) == (1, [])
    back = snapshots(tmp_path / "d")["https://u1.edu/fishery"]
    expected = dataclasses.replace(
        stored,
        headers=back.headers,
        meta=dataclasses.replace(stored.meta, source="warc"),
        rss_entry=build_story(stored, None, None, [], seed=None).rss_entry,
    )
    assert back == expected
    assert decisions(tmp_path / "d") == {
        "https://u1.edu/fishery": "stored:imported",
        "https://u1.edu/f": "alias:redirect",
    }
    assert ledger_adds_up(tmp_path / "d")


def test_a_second_import_skips_the_file_unless_told_to_take_it_again(tmp_path: Path) -> None:
    file = archive(tmp_path, page("https://u1.edu/a", html("ferry")))
    importing(tmp_path / "d").warc([file])
    second = importing(tmp_path / "d").warc([file])
    assert (second.added, second.skipped) == (0, [file])
    third = importing(tmp_path / "d", again=True).warc([file])
    assert (third.added, third.known, third.skipped) == (0, 1, [])


class FailingLake(Lake):
    """A lake whose disk is full when pages are published."""

    def write(self, table: str, institution: str, rows: Iterable[Any]) -> Written:
        if table == "page_snapshots":
            raise StorageError("the disk is full")
        return super().write(table, institution, rows)


def test_an_import_that_dies_before_it_is_published_loses_nothing(tmp_path: Path) -> None:
    data = tmp_path / "d"
    file = archive(tmp_path, page("https://u1.edu/a", html("ferry")))
    dying = importing(data, lake=FailingLake(settings_in(data).lake))
    with pytest.raises(StorageError, match="full"):
        dying.warc([file])
    assert importing(data).warc([file]).added == 1
    assert list(snapshots(data)) == ["https://u1.edu/a"]
    assert ledger_adds_up(data)


class DyingLake(Lake):
    """A lake whose disk is full the second time pages are published."""

    published = 0

    def write(self, table: str, institution: str, rows: Iterable[Any]) -> Written:
        if table == "page_snapshots":
            self.published += 1
            if self.published == 2:
                raise StorageError("the disk is full")
        return super().write(table, institution, rows)


def test_an_import_that_dies_goes_on_after_its_last_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imported_pages, "_ROUND_PAGES", 16)
    data = tmp_path / "d"
    rows = [page(f"https://u1.edu/{n}", html(f"ferry {n}")) for n in range(40)]
    files = [archive(tmp_path / "one", *rows[:20]), archive(tmp_path / "two", *rows[20:])]
    with pytest.raises(StorageError, match="full"):
        importing(data, lake=DyingLake(settings_in(data).lake)).warc(files)
    assert len(snapshots(data)) == 16
    # The last page of a round counts as taken when the next one is asked for.
    outcome = importing(data).warc(files)
    assert (outcome.added, outcome.known, outcome.taken) == (24, 1, files)
    assert snapshots(data) == {row.url: snapshots(data)[row.url] for row in rows}
    assert ledger_adds_up(data)


def test_the_newer_copy_stays_and_history_is_kept(tmp_path: Path) -> None:
    data, url = tmp_path / "d", "https://u1.edu/a"
    day = timedelta(days=1)
    stored = page(url, html("ferry"), depth=3, discovered_from="https://u1.edu/")
    lake = Lake(settings_in(data).lake)
    lake.write("page_snapshots", "u1", [stored])
    lake.write("url_ledger", "u1", [ledger_row(url, depth=3)])
    older = page(url, html("old ferry"), fetched_at=NOON - day, first_seen_at=NOON - day)
    first = importing(data).warc([archive(tmp_path / "older", older)])
    assert (first.added, first.renewed, first.known) == (0, 0, 1)
    kept = snapshots(data)[url]
    assert (kept.body, kept.first_seen_at) == (stored.body, NOON - day)
    newer = page(url, html("new ferry"), fetched_at=NOON + day, changed_at=NOON + day)
    second = importing(data).warc([archive(tmp_path / "newer", newer)])
    assert (second.added, second.renewed) == (0, 1)
    row = snapshots(data)[url]
    assert (row.body, row.first_seen_at, row.changed_at) == (newer.body, NOON - day, NOON + day)
    assert (row.depth, row.discovered_from) == (3, "https://u1.edu/")
    assert row.meta.alias_urls == stored.meta.alias_urls
    assert decisions(data)[url] == "stored:imported"
    assert ledger_adds_up(data)


def test_of_many_copies_in_one_import_the_newest_is_stored(tmp_path: Path) -> None:
    url, hour = "https://u1.edu/a", timedelta(hours=1)
    copies = [
        page(url, html(f"ferry {n}"), fetched_at=NOON + n * hour, first_seen_at=NOON + n * hour)
        for n in (1, 3, 2)
    ]
    outcome = importing(tmp_path / "d").warc([archive(tmp_path, *copies)])
    row = snapshots(tmp_path / "d")[url]
    assert outcome.added == 1
    assert (row.body, row.first_seen_at) == (copies[1].body, NOON + hour)


def test_existing_rows_and_decisions_stay(tmp_path: Path) -> None:
    data = tmp_path / "d"
    lake = Lake(settings_in(data).lake)
    lake.write("page_snapshots", "u1", [page("https://u1.edu/old", html("mill"))])
    rows = [
        ledger_row("https://u1.edu/old", Decision.FRESH, reason="ttl"),
        ledger_row("https://u1.edu/gone", Decision.HTTP_ERROR, reason="http_404"),
        ledger_row("https://u1.edu/new", Decision.OVER_PAGES, reason="max_pages"),
    ]
    lake.write("url_ledger", "u1", rows)
    new = page("https://u1.edu/new", html("quay"), meta=SnapshotMeta())
    importing(data).warc([archive(tmp_path, new)])
    assert list(snapshots(data)) == ["https://u1.edu/old", "https://u1.edu/new"]
    assert decisions(data) == {
        "https://u1.edu/old": "fresh:ttl",
        "https://u1.edu/gone": "http_error:http_404",
        "https://u1.edu/new": "stored:imported",
    }
    assert ledger_adds_up(data)


def test_a_foreign_archive_is_judged_by_the_institution_s_rules(tmp_path: Path) -> None:
    not_found = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\nno"
    canonical = '<link rel="canonical" href="https://u1.edu/true">'
    file = tmp_path / "foreign.warc.gz"
    file.write_bytes(
        members(
            response("https://u1.edu/a?utm_source=x", html("ferry"), record_id="<urn:x:1>"),
            response("https://other.edu/b", html("mill"), record_id="<urn:x:2>"),
            response("https://u1.edu/short", b"<p>Hello.</p>", record_id="<urn:x:3>"),
            response("https://u1.edu/copy", html("quay", head=canonical), record_id="<urn:x:4>"),
            response("https://u1.edu/private/c", html("dock"), record_id="<urn:x:5>"),
            warc_record(
                "response",
                not_found,
                "WARC-Target-URI: https://u1.edu/404",
                "WARC-Record-ID: <urn:x:6>",
                "WARC-Date: 2020-02-03T04:05:06Z",
            ),
        )
    )
    rules = institution(disallowed_paths=["/private"])
    outcome = importing(tmp_path / "d", institution=rules).warc([str(file)])
    assert decisions(tmp_path / "d") == {
        "https://u1.edu/a": "stored:imported",
        "https://u1.edu/true": "stored:imported",
        "https://u1.edu/copy": "alias:canonical",
        "https://other.edu/b": "out_of_scope:host",
        "https://u1.edu/short": "content_policy:min_text",
        "https://u1.edu/private/c": "disallowed_path:path",
        "https://u1.edu/404": "http_error:http_404",
    }
    assert (outcome.added, sum(outcome.refused.values())) == (2, 4)
    assert ledger_adds_up(tmp_path / "d")
    everywhere = importing(tmp_path / "d", institution=rules, any_host=True).warc([str(file)])
    assert (everywhere.added, everywhere.skipped) == (1, [])
    assert "https://other.edu/b" in snapshots(tmp_path / "d")
    assert "https://u1.edu/private/c" not in snapshots(tmp_path / "d")
    assert ledger_adds_up(tmp_path / "d")


def test_a_damaged_file_gives_the_pages_before_the_damage_and_the_place(tmp_path: Path) -> None:
    whole = members(
        response("https://u1.edu/a", html("ferry"), record_id="<urn:x:1>"),
        response("https://u1.edu/b", html("mill"), record_id="<urn:x:2>"),
    )
    file = tmp_path / "cut.warc.gz"
    file.write_bytes(whole[:-40])
    outcome = importing(tmp_path / "d").warc([str(file), str(tmp_path / "none.warc")])
    assert outcome.added == 1
    assert [name for name, _ in outcome.failed] == [str(tmp_path / "none.warc"), str(file)]
    assert "at byte" in dict(outcome.failed)[str(file)]


def test_a_limit_is_held_and_the_next_run_takes_the_others(tmp_path: Path) -> None:
    rows = [page(f"https://u1.edu/{n}", html(f"boat {n}")) for n in range(5)]
    file = archive(tmp_path, *rows)
    first = importing(tmp_path / "d", limit=3).warc([file])
    assert (first.added, first.unfinished) == (3, [file])
    second = importing(tmp_path / "d", limit=3).warc([file])
    assert (second.added, second.taken) == (2, [file])
    assert len(snapshots(tmp_path / "d")) == 5


def test_historical_pages_are_stored_with_their_dates(tmp_path: Path) -> None:
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "11.html").write_bytes(html("fishery"))
    (folder / "12").write_bytes(
        html("lighthouse", head='<link rel="canonical" href="https://u1.edu/light">')
    )
    table = tmp_path / "2022-01-25.csv"
    table.write_text(
        "downloads_id,url,collect_date\n"
        "11,https://u1.edu/fish,2022-01-25 10:20:30.5\n"
        "12,,2022-01-26 00:00:00\n"
        "13,https://u1.edu/none,2022-01-26 00:00:00\n"
    )
    outcome = importing(tmp_path / "d").historical([str(table)], str(folder))
    rows = snapshots(tmp_path / "d")
    assert sorted(rows) == ["https://u1.edu/fish", "https://u1.edu/light"]
    assert rows["https://u1.edu/fish"].fetched_at.isoformat() == "2022-01-25T10:20:30.500000+00:00"
    assert rows["https://u1.edu/fish"].meta.source == "historical"
    assert rows["https://u1.edu/light"].rss_entry == RssEntry(
        link="12", fetch_date="2022-01-25", via=str(table)
    )
    assert dict(outcome.refused) == {"no_html": 1}
    with pytest.raises(ImportSourceError, match="no such folder"):
        importing(tmp_path / "d").historical([str(table)], str(tmp_path / "none"))
    again = importing(tmp_path / "d").historical([str(table)], str(folder))
    assert again.skipped == [str(table)]


def test_an_older_copy_under_another_address_is_told_in_the_ledger(tmp_path: Path) -> None:
    data, url = tmp_path / "d", "https://u1.edu/true"
    lake = Lake(settings_in(data).lake)
    lake.write("page_snapshots", "u1", [page(url, html("quay"))])
    lake.write("url_ledger", "u1", [ledger_row(url)])
    canonical = html("quay", head=f'<link rel="canonical" href="{url}">')
    file = tmp_path / "foreign.warc.gz"
    file.write_bytes(members(response("https://u1.edu/copy", canonical)))
    assert importing(data).warc([str(file)]).known == 1
    assert decisions(data) == {url: "stored:ok", "https://u1.edu/copy": "alias:canonical"}
    assert ledger_adds_up(data)


def test_an_import_waits_for_no_other_writer(tmp_path: Path) -> None:
    file = archive(tmp_path, page("https://u1.edu/a", html("ferry")))
    with (
        writing_pages(settings_in(tmp_path / "d"), "u1"),
        pytest.raises(StorageError, match="under way"),
    ):
        importing(tmp_path / "d").warc([file])


def test_extras_of_any_shape_are_harmless(tmp_path: Path) -> None:
    row = page("https://u1.edu/a", html("ferry"))
    story = build_story(row, None, None, [], seed=None)
    odd = {
        "page_id": "x",
        "fetched_at": "never",
        "first_seen_at": 7,
        "changed_at": "9999-01-01T00:00:00",
        "depth": "deep",
        "meta": {"alias_urls": "no", "redirects": [1, "https://u1.edu/r", "\ud800"]},
        "etag": "\udfff",
    }
    entry = RssEntry(title="\ud800" + "t" * 10_000, source_feed_id=2**80)
    file = write_file(tmp_path, dataclasses.replace(story, extras=odd, rss_entry=entry))
    outcome: ImportOutcome = importing(tmp_path / "d").warc([str(file)])
    assert outcome.added == 1
    stored = snapshots(tmp_path / "d")["https://u1.edu/a"]
    assert stored.changed_at <= stored.fetched_at
    assert (stored.depth, stored.meta.redirects) == (0, ("https://u1.edu/r", "?"))
    assert stored.rss_entry is not None
    assert (stored.etag, stored.rss_entry.source_feed_id) == ("?", None)
    assert str(stored.rss_entry.title).startswith("?ttt")
    assert len(str(stored.rss_entry.title)) == 4_000
