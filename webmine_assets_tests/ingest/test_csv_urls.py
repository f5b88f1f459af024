import gzip
from datetime import date
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.csv_urls import CsvUrl, RejectedLine, csv_seed, read_csv_urls
from webmine_assets.ingest.tables import date_in_name
from webmine_assets.records import SeedSource
from webmine_assets_tests.factories import NOON


def read(text: str | bytes, name: str = "urls.csv") -> list[CsvUrl | RejectedLine]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_csv_urls(BytesIO(data), name=name))


@pytest.mark.parametrize(
    "text",
    [
        "url\nhttps://u1.edu/a\n",
        "id,URL,title\n5,https://u1.edu/a,\n",
        "title;Link\n;https://u1.edu/a\n",
        "\ufefftitle\tpermalink\r\n\thttps://u1.edu/a\r\n",
        "https://u1.edu/a\n",
        "5,https://u1.edu/a\n",
        "A title\thttps://u1.edu/a\n",
        "A title;https://u1.edu/a\n",
        "A title, with comma|https://u1.edu/a\n",
        'https://u1.edu/a, "A, title"\n',
        '"https://u1.edu/a"\n',
        'url\n"https://u1.edu/a"',
    ],
)
def test_the_url_column_is_found_by_its_name(text: str) -> None:
    [entry] = read(text)
    assert isinstance(entry, CsvUrl)
    assert (entry.url, entry.title) == ("https://u1.edu/a", None)


def test_title_and_date_come_along() -> None:
    [entry] = read("url,title,date\nhttps://u1.edu/a,A,2026-02-01\n", "csv/2022-01-25-urls.csv")
    assert entry == CsvUrl(
        line=2,
        url="https://u1.edu/a",
        title="A",
        published_at="2026-02-01T00:00:00",
        fetch_date=date(2022, 1, 25),
    )


def test_lines_that_name_no_new_page_are_told() -> None:
    lines = ["url,x", "https://u1.edu/a,1", ",2", "ftp://u1.edu/,3", "https://U1.edu/a,4", "x,5"]
    found = read("\n".join(lines))
    assert [(e.line, e.reason) for e in found if isinstance(e, RejectedLine)] == [
        (3, "no_url"),
        (4, "not_http"),
        (5, "repeated"),
        (6, "not_http"),
    ]


@pytest.mark.parametrize("path", ["a,b.html", "a;b=1|2", "a,1,2.html?x=3;4"])
def test_a_file_of_bare_urls_is_never_cut(path: str) -> None:
    found = read(f"https://u1.edu/{path}\nhttps://u1.edu/other\n")
    assert [entry.url for entry in found if isinstance(entry, CsvUrl)] == [
        f"https://u1.edu/{path}",
        "https://u1.edu/other",
    ]


def test_a_rejected_line_shows_its_values() -> None:
    [rejected] = read("title,url\nA title,\n")
    assert rejected == RejectedLine(2, "no_url", "A title")


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        ("2026-02-01T10:00:00Z", "2026-02-01T10:00:00+00:00"),
        ("Sun, 01 Feb 2026 10:00:00 +0100", "2026-02-01T10:00:00+01:00"),
        ("1 February", None),
        ("9999999-01-01", None),
    ],
)
def test_dates_of_both_kinds_are_kept(value: str, iso: str | None) -> None:
    [entry] = read(f'url,date\nhttps://u1.edu/a,"{value}"\n')
    assert isinstance(entry, CsvUrl)
    assert entry.published_at == iso


@pytest.mark.parametrize("text", ["name,age\nx,3\n", "just a line of text\n", "\x00\xff;\n"])
def test_a_file_without_a_column_of_urls_says_what_it_has(text: str) -> None:
    with pytest.raises(ImportSourceError, match=r"urls\.csv: no column named url or link"):
        read(text)


@pytest.mark.parametrize("text", ["", "\n\n", "url\n"])
def test_an_empty_file_has_no_urls(text: str) -> None:
    assert read(text) == []


def test_gzip_is_undone() -> None:
    [entry] = read(gzip.compress(b"url\nhttps://u1.edu/a\n"))
    assert isinstance(entry, CsvUrl)


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"url\nhttps://u1.edu/a\n", mtime=0)[:-9],
        b"\x1f\x8bnonsense",
        b"url\n" + b"x" * 1_000_002,
    ],
)
def test_broken_files_are_errors(data: bytes) -> None:
    with pytest.raises(ImportSourceError):
        read(data)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_fail_otherwise(data: bytes) -> None:
    try:
        read(data)
    except ImportSourceError:
        assert data


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2022-01-25.csv", date(2022, 1, 25)),
        ("urls_2022_01_25.csv.gz", date(2022, 1, 25)),
        ("20220125-x.csv", date(2022, 1, 25)),
        ("2022-13-45_2021-02-03.csv", date(2021, 2, 3)),
        ("120220125.csv", None),
        ("urls.csv", None),
    ],
)
def test_a_date_is_found_in_a_name(name: str, day: date | None) -> None:
    assert date_in_name(name) == day


def test_a_line_becomes_a_seed() -> None:
    day = date(2022, 1, 25)
    entry = CsvUrl(line=7, url="https://u1.edu/a", title="A", fetch_date=day)
    seed = csv_seed(entry, institution="u1", name="x.csv", now=NOON)
    assert (seed.source, seed.via, seed.title) == (SeedSource.CSV, "x.csv:7", "A")
    assert seed.listed_on == day


def test_a_table_that_is_no_utf8_is_windows_1252() -> None:
    first, last = "Ämter – Universität", "L’année à Århus"
    lines = [f"https://u1.edu/a;{first}", *(f"https://u1.edu/{n};Page" for n in range(5_000))]
    table = "\r\n".join(["URL;Title", *lines, f"https://u1.edu/z;{last}"])
    entries = read(table.encode("cp1252"))
    assert [entries[0].title, entries[-1].title] == [first, last]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8"])
def test_a_byte_order_mark_says_how_a_table_is_written(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    [entry] = read(f"{mark}Titel\tURL\r\nÜber uns\thttps://u1.edu/ü\r\n".encode(encoding))
    assert isinstance(entry, CsvUrl)
    assert entry.url == "https://u1.edu/%C3%BC"
