import gzip
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.ingest.historical import (
    NEED_CANONICAL_URL,
    RejectedRow,
    StoredHtml,
    canonical_url,
    html_in,
    read_historical,
)
from webmine_assets.reading.stored import StoredPage

HEADER = "collect_date,stories_id,media_id,downloads_id,feeds_id,language,url\n"
CANONICAL = b"<html><head><link rel='canonical' href='https://u1.edu/c'></head></html>"
FILES = {
    "1": StoredHtml(body=CANONICAL),
    "2": StoredHtml(body=b"<p>x", modified_at=datetime(2020, 1, 1, tzinfo=UTC)),
    "3": StoredHtml(body=b""),
}


def read(text: str, name: str = "2022_01_25.csv") -> list[StoredPage | RejectedRow]:
    return list(read_historical(BytesIO(text.encode()), FILES.get, name=name))


def test_a_row_and_its_html_make_a_page() -> None:
    [page] = read(
        HEADER + "2022-01-24 10:20:30.5,9,7,1,8,en,https://u1.edu/a\n", "s3://b/2022-01-25.csv"
    )
    assert isinstance(page, StoredPage)
    assert (page.url, page.body, page.status) == ("https://u1.edu/a", CANONICAL, 200)
    assert page.fetched_at == datetime(2022, 1, 24, 10, 20, 30, 500000, tzinfo=UTC)
    assert page.encoding is None
    rss = page.rss_entry
    assert (rss.link, rss.fetch_date, rss.via) == ("1", "2022-01-25", "s3://b/2022-01-25.csv")
    assert (rss.source_feed_id, rss.source_source_id) == (8, 7)


@pytest.mark.parametrize(
    "text", ["downloads_id\n1\n", "1\n", f"downloads_id,url\n1,{NEED_CANONICAL_URL}\n"]
)
def test_blind_mode_takes_the_url_from_the_page(text: str) -> None:
    [page] = read(text)
    assert isinstance(page, StoredPage)
    assert page.url == "https://u1.edu/c"


def test_without_a_collect_date_the_file_s_date_counts() -> None:
    [page] = read("downloads_id,url\n2,https://u1.edu/a\n")
    assert isinstance(page, StoredPage)
    assert page.fetched_at == datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x,https://u1.edu/", "bad_downloads_id"),
        ("../1,https://u1.edu/", "bad_downloads_id"),
        ("99,https://u1.edu/", "no_html"),
        ("3,https://u1.edu/", "empty_html"),
        ("2,", "no_canonical_url"),
        ("2,ftp://u1.edu/", "bad_url"),
    ],
)
def test_rows_without_a_page_say_why(line: str, reason: str) -> None:
    [row] = read(f"downloads_id,url\n{line}\n")
    assert isinstance(row, RejectedRow)
    assert row.reason == reason
    assert row.name == "2022_01_25.csv"


def test_a_page_that_cannot_be_read_keeps_no_other_out(tmp_path: Path) -> None:
    (tmp_path / "1.gz").write_bytes(gzip.compress(CANONICAL)[:-6])
    (tmp_path / "2").write_bytes(CANONICAL)
    csv = BytesIO(b"downloads_id\n1\n2\n")
    damaged, page = read_historical(csv, html_in(str(tmp_path)), name="x.csv")
    assert isinstance(damaged, RejectedRow)
    assert (damaged.reason, damaged.value[:2]) == ("unreadable_html", "1:")
    assert isinstance(page, StoredPage)


def test_a_page_without_an_address_is_told_by_its_id() -> None:
    [row] = read("downloads_id\n2\n")
    assert isinstance(row, RejectedRow)
    assert (row.reason, row.line, row.value) == ("no_canonical_url", 2, "2")


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (CANONICAL, "https://u1.edu/c"),
        (b"<link rel='nofollow CANONICAL' href=' https://u1.edu/c '>", "https://u1.edu/c"),
        (b"<meta property='og:url' content='https://u1.edu/o'>", "https://u1.edu/o"),
        (b"<meta property='og:url' content='https://u1.edu/o'>" + CANONICAL, "https://u1.edu/c"),
        ("<link rel=canonical href='https://u1.edu/é'>".encode(), "https://u1.edu/%C3%A9"),
        (b"<link rel='canonical' href='/relative'>", None),
        (b"<link rel='canonical'><link href='https://u1.edu/x'>", None),
        (b"", None),
        (b"   ", None),
    ],
)
def test_the_canonical_url_is_the_page_s_own_word(html: bytes, url: str | None) -> None:
    assert canonical_url(html) == url


@given(st.binary(max_size=300))
def test_no_bytes_make_the_search_for_it_fail(data: bytes) -> None:
    canonical_url(b"<link rel=canonical href='" + data)
    canonical_url(data)


def test_html_is_found_in_a_folder_by_its_id(tmp_path: Path) -> None:
    (tmp_path / "1").write_bytes(b"one")
    (tmp_path / "2.html").write_bytes(b"two")
    (tmp_path / "3.gz").write_bytes(gzip.compress(b"three"))
    read_html = html_in(str(tmp_path))
    found = [read_html(name) for name in ("1", "2", "3")]
    assert [each.body for each in found if each] == [b"one", b"two", b"three"]
    assert found[0]
    assert found[0].modified_at
    assert read_html("4") is None
