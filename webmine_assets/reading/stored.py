"""A page that came out of a file instead of the network: what archives and imports hand on."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from webmine_assets.records import RssEntry


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
