"""RSS, Atom and JSON feeds: what they announce, asked for only if they changed."""

import calendar
import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import feedparser

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import Fetch, Fetched
from webmine_assets.ingest.tracker import FeedState
from webmine_assets.records import Seed, SeedSource
from webmine_assets.urls import resolve

MAX_FEED_BYTES = 20_000_000
_MAX_TITLE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One story a feed announces; `published_at` is ISO 8601 with the offset the feed gave."""

    url: str
    title: str | None = None
    published_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedResult:
    """What asking for a feed gave; `state` is for the next time, `unchanged` means no entries."""

    url: str
    entries: tuple[FeedEntry, ...]
    state: FeedState
    unchanged: bool = False


def conditional_headers(state: FeedState | None) -> dict[str, str]:
    """The request headers that let a server answer 304."""
    headers = {}
    if state and state.etag:
        headers["If-None-Match"] = state.etag
    if state and state.last_modified:
        headers["If-Modified-Since"] = state.last_modified
    return headers


def fetch_feed(url: str, fetch: Fetch, *, state: FeedState | None, fetch_limit: int) -> FeedResult:
    """Ask for a feed and read the answer."""
    return read_answer(fetch(url, conditional_headers(state)), url, state, fetch_limit)


def read_answer(answer: Fetched, url: str, state: FeedState | None, fetch_limit: int) -> FeedResult:
    """The entries of a feed's answer, at most `fetch_limit`; an error status is an error.

    A server without conditional requests sends the same body again: that is unchanged too.
    """
    if answer.status == 304:
        return FeedResult(url=url, entries=(), state=state or FeedState(), unchanged=True)
    if answer.status != 200:
        raise ImportSourceError(f"{url}: the feed's server answered {answer.status}")
    new = FeedState(
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
        digest=f"sha256:{hashlib.sha256(answer.body).hexdigest()}",
    )
    if state and state.digest == new.digest:
        return FeedResult(url=url, entries=(), state=new, unchanged=True)
    entries = parse_feed(answer.body, answer.url)
    return FeedResult(url=url, entries=tuple(entries[:fetch_limit]), state=new)


def parse_feed(body: bytes, url: str) -> list[FeedEntry]:
    """The entries of a feed in its order, each URL once; what is no feed is an error."""
    if len(body) > MAX_FEED_BYTES:
        raise ImportSourceError(f"{url}: a feed of more than {MAX_FEED_BYTES} bytes")
    is_json = body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    found = _json_entries(body, url) if is_json else _xml_entries(body, url)
    entries: dict[str, FeedEntry] = {}
    for entry in found:
        entries.setdefault(entry.url, entry)
    return list(entries.values())


def feed_seeds(
    entries: Iterable[FeedEntry], *, institution: str, feed_url: str, now: datetime
) -> Iterator[Seed]:
    """The entries as seeds of an institution."""
    for entry in entries:
        yield Seed(
            institution=institution,
            url=entry.url,
            source=SeedSource.FEED,
            via=feed_url,
            title=entry.title,
            published_at=entry.published_at,
            added_at=now,
        )


def _xml_entries(body: bytes, url: str) -> Iterator[FeedEntry]:
    # Links are resolved here, and the HTML of entries is not used: neither is worth its time.
    parsed = feedparser.parse(BytesIO(body), sanitize_html=False, resolve_relative_uris=False)
    if not parsed.get("version") and not parsed.entries:
        reason = parsed.get("bozo_exception") or "no RSS or Atom element"
        raise ImportSourceError(f"{url}: not a feed ({reason})")
    base = resolve(parsed.feed.get("link") or "", url) or url
    for entry in parsed.entries:
        link = entry.get("link") or _permalink(entry)
        # A link is relative to xml:base or to the feed's own page; feeds rarely use either.
        address = resolve(link.strip(), base) if link else None
        if address:
            yield FeedEntry(
                url=address,
                title=_title(entry.get("title")),
                published_at=_iso(entry, "published") or _iso(entry, "updated"),
            )


def _permalink(entry: Any) -> str | None:
    """The guid, if it is a URL, of entries without a link."""
    guid = entry.get("id") or ""
    return guid if guid.startswith(("http://", "https://")) else None


def _iso(entry: Any, name: str) -> str | None:
    moment: time.struct_time | None = entry.get(f"{name}_parsed")
    try:
        stamp = calendar.timegm(moment) if moment else None
        return datetime.fromtimestamp(stamp, UTC).isoformat() if stamp is not None else None
    except (ValueError, OverflowError, OSError):
        return None


def _json_entries(body: bytes, url: str) -> Iterator[FeedEntry]:
    try:
        feed = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as problem:
        raise ImportSourceError(f"{url}: not a feed ({problem})") from None
    if not isinstance(feed.get("items"), list):
        raise ImportSourceError(f"{url}: not a JSON feed (no list of items)")
    for item in feed["items"]:
        link = (item.get("url") or item.get("external_url")) if isinstance(item, dict) else None
        address = resolve(link, url) if isinstance(link, str) else None
        if address:
            yield FeedEntry(
                url=address,
                title=_title(item.get("title")),
                published_at=_checked_iso(item.get("date_published") or item.get("date_modified")),
            )


def _checked_iso(value: object) -> str | None:
    try:
        return datetime.fromisoformat(value).isoformat() if isinstance(value, str) else None
    except ValueError:
        return None


def _title(value: object) -> str | None:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text[:_MAX_TITLE_CHARACTERS] or None
