"""Pages of an older system: a CSV that lists them, and their HTML in files named by download id.

"Blind" mode is a CSV of ids alone: then the page itself must say what its URL is.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, BinaryIO

import fsspec

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import unpacked
from webmine_assets.ingest.tables import Row, date_in_name, read_rows
from webmine_assets.reading.charset import decode
from webmine_assets.reading.html import parse
from webmine_assets.reading.stored import StoredPage
from webmine_assets.records import RssEntry
from webmine_assets.urls import resolve

NEED_CANONICAL_URL = "http://mediacloud.org/need_canonical_url"
_HEAD_BYTES = 512 * 1024
_ID = re.compile(r"[0-9]{1,20}")
_NUMBER = re.compile(r"[0-9]{1,18}")  # more digits may not fit the 64 bits of a table's integers
_MAX_HTML_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredHtml:
    """The bytes of a stored page, and when its file was written."""

    body: bytes
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A line of the CSV file `name` whose page cannot be imported, with a short fixed reason."""

    name: str
    line: int
    reason: str
    value: str


# A download id to the page stored under it; None if there is none.
ReadHtml = Callable[[str], StoredHtml | None]


def read_historical(
    stream: BinaryIO, read_html: ReadHtml, *, name: str
) -> Iterator[StoredPage | RejectedRow]:
    """Every line of a historical CSV with its stored page, or why it has none."""
    day = date_in_name(name.rpartition("/")[2])
    for row in read_rows(stream, name=name, needed=("downloads_id",)):
        download_id = row.values.get("downloads_id", "")
        if not _ID.fullmatch(download_id):
            yield RejectedRow(name, row.line, "bad_downloads_id", download_id[:200])
            continue
        try:
            stored = read_html(download_id)
        except (ImportSourceError, OSError) as problem:
            # One page that cannot be read keeps none of the others out.
            yield RejectedRow(name, row.line, "unreadable_html", f"{download_id}: {problem}"[:200])
            continue
        if stored is None or not stored.body:
            reason = "no_html" if stored is None else "empty_html"
            yield RejectedRow(name, row.line, reason, download_id)
            continue
        yield _page(row, stored, day, name)


def canonical_url(body: bytes) -> str | None:
    """What a page calls its own address: the canonical link, else og:url; absolute http(s) only."""
    tree = parse(decode(body[:_HEAD_BYTES], None).text, url="")
    claims = [_claim(node) for node in tree.iter("link", "meta")]
    for source in ("canonical", "og:url"):
        for name, value in claims:
            if name == source and (url := resolve(value.strip(), value.strip())):
                return url
    return None


def _claim(node: Any) -> tuple[str, str]:
    """What a link or meta element says of the page's address: the kind of claim and its value."""
    if node.tag == "meta":
        return (node.get("property") or "").lower(), node.get("content") or ""
    is_canonical = "canonical" in (node.get("rel") or "").lower().split()
    return "canonical" if is_canonical else "", node.get("href") or ""


def html_in(location: str) -> ReadHtml:
    """Stored pages in a folder or object store, in files named by id: ID, ID.html, ID.gz."""
    try:
        store, root = fsspec.core.url_to_fs(location)
    except (ImportError, ValueError, OSError) as problem:
        raise ImportSourceError(f"{location}: cannot be opened ({problem})") from None

    def read_html(download_id: str) -> StoredHtml | None:
        for suffix in ("", ".html", ".gz", ".html.gz"):
            path = f"{root.rstrip('/')}/{download_id}{suffix}"
            if store.isfile(path):
                with unpacked(store.open(path, "rb"), _MAX_HTML_BYTES) as stream:
                    body = stream.read(_MAX_HTML_BYTES)
                return StoredHtml(body=body, modified_at=_modified(store, path))
        return None

    return read_html


def _modified(store: Any, path: str) -> datetime | None:
    try:
        moment: datetime = store.modified(path)
    except (NotImplementedError, OSError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _page(row: Row, stored: StoredHtml, day: date | None, name: str) -> StoredPage | RejectedRow:
    raw = row.values.get("url", "")
    is_blind = raw in ("", NEED_CANONICAL_URL)
    url = canonical_url(stored.body) if is_blind else resolve(raw, raw)
    if url is None:
        reason = "no_canonical_url" if is_blind else "bad_url"
        value = row.values["downloads_id"] if is_blind else raw[:200]
        return RejectedRow(name, row.line, reason, value)
    return StoredPage(
        url=url,
        body=stored.body,
        status=200,
        headers={},
        content_type="text/html",
        encoding=None,
        fetched_at=_moment(row.values.get("collect_date")) or stored.modified_at,
        source="historical",
        via=name,
        rss_entry=RssEntry(
            link=row.values["downloads_id"],
            fetch_date=day.isoformat() if day else None,
            source_feed_id=_number(row.values.get("feeds_id")),
            source_source_id=_number(row.values.get("media_id")),
            via=name,
        ),
    )


def _moment(value: str | None) -> datetime | None:
    """`2022-01-25 10:20:30.5` and the like, taken as UTC; any number of digits of a fraction."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?)?", value or "")
    if match is None:
        return None
    day, clock, fraction = match.groups()
    text = f"{day}T{clock or '00:00:00'}.{(fraction or '0')[:6]:0<6}+00:00"
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        return None


def _number(value: str | None) -> int | None:
    return int(value) if value and _NUMBER.fullmatch(value) else None
