from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from webmine_assets.archive.pages import archive_pages
from webmine_assets.archive.reader import read_archive, read_record
from webmine_assets.records import PageArchive, PageSnapshot
from webmine_assets_tests.archive.factories import archivable, page


def archive(
    folder: Path, pages: Iterable[PageSnapshot], previous: Iterable[PageArchive] = (), day: int = 1
) -> list[PageArchive]:
    """The new rows when pages that were fetched anew on that day are archived."""

    def clock() -> datetime:
        return datetime(2026, 4, day, tzinfo=UTC)

    visited = (replace(p, fetched_at=p.fetched_at + timedelta(days=day - 1)) for p in pages)
    rows = archive_pages(
        map(archivable, visited), previous=previous, folder=folder, clock=clock, max_stories=2
    )
    return list(rows)


def later(snapshot: PageSnapshot) -> PageSnapshot:
    """The same at its next visit."""
    return replace(snapshot, fetched_at=snapshot.fetched_at + timedelta(days=3, microseconds=5))


def kinds(rows: list[PageArchive]) -> dict[str, str]:
    return {row.url.rsplit("/", 1)[1]: row.record_type for row in rows}


def test_every_new_page_has_a_row_that_leads_to_its_bytes(tmp_path: Path) -> None:
    pages = [page(number) for number in range(5)]
    rows = archive(tmp_path, pages)
    assert [row.url for row in rows] == [each.url for each in pages]
    assert len({row.file for row in rows}) == 3
    assert all((tmp_path / row.file).is_file() for row in rows)


def test_a_second_run_writes_only_what_changed(tmp_path: Path) -> None:
    first = archive(tmp_path, [page(1), page(2)])
    files = len(list(tmp_path.glob("*.warc.gz")))
    pages = [later(page(1)), page(2, text="New text."), page(3)]
    second = archive(tmp_path, pages, first, day=2)
    assert kinds(second) == {"1": "revisit", "2": "response", "3": "response"}
    assert len(list(tmp_path.glob("*.warc.gz"))) == files + 1
    [revisit] = [row for row in second if row.record_type == "revisit"]
    assert (revisit.file, revisit.offset) == (first[0].file, first[0].offset)
    assert revisit.archived_at > first[0].archived_at
    assert read_record(tmp_path, revisit) == page(1).body


def test_a_run_with_nothing_new_writes_no_file(tmp_path: Path) -> None:
    first = archive(tmp_path, [page(1)])
    later = replace(page(1), fetched_at=page(1).fetched_at + timedelta(microseconds=5))
    [row] = archive(tmp_path, [later], first, day=2)
    assert row.record_type == "revisit"
    assert row.fetched_at == page(1).fetched_at + timedelta(days=1)
    assert len(list(tmp_path.glob("*.warc.gz"))) == 1


def test_a_page_that_was_not_asked_for_since_gets_no_row(tmp_path: Path) -> None:
    first = archive(tmp_path, [page(1)])
    assert archive(tmp_path, [page(1)], first) == []
    again = archive(tmp_path, [page(1)], first, day=3)
    assert [row.record_type for row in again] == ["revisit"]
    assert archive(tmp_path, [page(1)], [*first, *again], day=3) == []


def test_a_page_that_changes_back_points_to_its_first_copy(tmp_path: Path) -> None:
    rows = archive(tmp_path, [page(1, text="A")], day=1)
    rows += archive(tmp_path, [page(1, text="B")], rows, day=2)
    [back] = archive(tmp_path, [later(page(1, text="A"))], rows, day=3)
    assert (back.record_type, back.offset, back.file) == ("revisit", rows[0].offset, rows[0].file)


def test_pages_without_text_are_compared_by_their_bytes(tmp_path: Path) -> None:
    first = archive(tmp_path, [page(1, text="", body=b"%PDF-1")])
    same = archive(tmp_path, [later(page(1, text="", body=b"%PDF-1"))], first, day=2)
    other = archive(tmp_path, [page(1, text="", body=b"%PDF-2")], first, day=3)
    assert [same[0].record_type, other[0].record_type] == ["revisit", "response"]


def test_a_page_whose_copy_is_gone_is_archived_again(tmp_path: Path) -> None:
    [row] = archive(tmp_path, [page(1)])
    (tmp_path / row.file).unlink()
    [again] = archive(tmp_path, [page(1)], [row], day=2)
    assert again.record_type == "response"


def test_rows_come_only_when_their_file_has_its_name(tmp_path: Path) -> None:
    rows = archive_pages(
        map(archivable, map(page, range(30))), previous=[], folder=tmp_path, max_stories=2
    )
    for row in rows:
        assert len(list(read_archive(tmp_path / row.file))) == 2
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []
