"""A page that came out of a file instead of the network: what archives and imports hand on."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RssEntry:
    """How a story was found, in Media Cloud's field names; all of it may be unknown.

    `pub_date` is RFC 2822, `fetch_date` is YYYY-MM-DD, `via` is for a person to read.
    """

    link: str | None = None
    title: str | None = None
    domain: str | None = None
    pub_date: str | None = None
    fetch_date: str | None = None
    source_url: str | None = None
    source_feed_id: int | None = None
    source_source_id: int | None = None
    via: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """The raw parts of a stored page, from which a snapshot can be made without the network.

    `body` has no content coding. `extras` is what our own archives add (first_seen_at, etag …).
    `problem` says why the body may not be usable: still coded, or too large to read.
    """

    url: str
    body: bytes
    status: int
    headers: dict[str, str]
    content_type: str
    encoding: str | None
    fetched_at: datetime | None
    source: str
    via: str
    rss_entry: RssEntry = field(default_factory=RssEntry)
    extras: dict[str, Any] = field(default_factory=dict)
    problem: str | None = None
