"""CSV files of URLs to fetch: the columns by name, the day from the file's name."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from typing import BinaryIO

from webmine_assets.ingest.tables import date_in_name, read_rows
from webmine_assets.records import Seed, SeedSource
from webmine_assets.urls import resolve

URL_COLUMNS = ("url", "link", "href", "page", "address", "story_url", "permalink")
TITLE_COLUMNS = ("title", "headline", "name")
DATE_COLUMNS = ("published_at", "published", "publish_date", "publication_date", "pub_date", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvUrl:
    """One usable line; `fetch_date` is the day in the file's name."""

    line: int
    url: str
    title: str | None = None
    published_at: str | None = None
    fetch_date: date | None = None


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A line that names no page, or one that an earlier line named."""

    line: int
    reason: str
    value: str


def read_csv_urls(stream: BinaryIO, *, name: str) -> Iterator[CsvUrl | RejectedLine]:
    """Every line of a CSV of URLs, usable or not; a file without a URL column is an error."""
    day = date_in_name(name.rpartition("/")[2])
    seen: set[int] = set()  # of hashes: a file may have millions of URLs
    for row in read_rows(stream, name=name, needed=URL_COLUMNS):
        raw = row.first(URL_COLUMNS)
        if raw is None:
            yield RejectedLine(row.line, "no_url", "; ".join(row.values.values())[:200])
            continue
        url = resolve(raw, raw)
        if url is None or hash(url) in seen:
            yield RejectedLine(row.line, "repeated" if url else "not_http", raw[:200])
            continue
        seen.add(hash(url))
        yield CsvUrl(
            line=row.line,
            url=url,
            title=row.first(TITLE_COLUMNS),
            published_at=_iso(row.first(DATE_COLUMNS)),
            fetch_date=day,
        )


def csv_seed(entry: CsvUrl, *, institution: str, name: str, now: datetime) -> Seed:
    """A usable line as a seed of an institution."""
    return Seed(
        institution=institution,
        url=entry.url,
        source=SeedSource.CSV,
        via=f"{name}:{entry.line}",
        title=entry.title,
        published_at=entry.published_at,
        listed_on=entry.fetch_date,
        added_at=now,
    )


def _iso(value: str | None) -> str | None:
    """A date as ISO 8601 or as feeds write it (RFC 2822); None if it is neither."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return parse(value).isoformat() if value else None
        except (ValueError, OverflowError):
            continue
    return None
