"""The last partition as a cache: what it must offer, and when it saves a request.

`fetched_at` of a stored row is when its body was received or last confirmed by a 304, so the time
to live counts from there; `changed_at` says when the text last changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from webmine_assets.records import PageSnapshot
from webmine_assets.urls import canonicalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The light part of a stored row: enough to decide, without body and text."""

    url: str
    requested_url: str
    etag: str | None
    last_modified: str | None
    fetched_at: datetime
    checksum: str
    first_seen_at: datetime
    changed_at: datetime
    depth: int = 0
    rendered: bool = False
    aliases: dict[str, str] = field(default_factory=dict)
    """URL to reason, as in meta.alias_urls and meta.alias_reasons."""

    @property
    def asked_by(self) -> str:
        """How the URL that was asked for led to the page."""
        return self.aliases.get(canonicalise(self.requested_url, keep_fragment=True), "redirect")

    @property
    def address(self) -> str:
        """Where the page itself is had: a canonical address may be one that nobody was at."""
        return self.url if self.asked_by == "redirect" else self.requested_url


class PreviousSnapshots(Protocol):
    """The last published partition of one institution."""

    def find(self, url: str) -> Previous | None:
        """The row whose url, requested_url or alias is `url`."""
        ...

    def read(self, url: str) -> PageSnapshot:
        """The full row whose url is `url`."""
        ...

    def urls(self) -> Iterable[str]:
        """The url of every row, in the order of the table."""
        ...


class Request(StrEnum):
    """What is asked of the network about a URL."""

    NOTHING = "nothing"
    CONDITIONAL = "conditional"
    PLAIN = "plain"


def choose_request(
    url: str, previous: Previous | None, *, started_at: datetime, ttl_days: float
) -> Request:
    """Nothing within the time to live, a conditional request if the row can be confirmed."""
    if previous is None:
        return Request.PLAIN
    # A row from after the start is this crawl's own, published before it was interrupted.
    if timedelta() <= started_at - previous.fetched_at < timedelta(days=ttl_days):
        return Request.NOTHING
    if (previous.etag or previous.last_modified) and _owns_validators(url, previous):
        return Request.CONDITIONAL
    return Request.PLAIN


def _owns_validators(url: str, previous: Previous) -> bool:
    """An ETag speaks for the URL that was asked and for those its redirects led through.

    It does not speak for a rendered page: the shell stays the same while its data change.
    """
    if previous.rendered:
        return False
    if url == previous.url:
        return previous.asked_by == "redirect"
    return url == previous.requested_url or previous.aliases.get(url) == "redirect"


def light(snapshot: PageSnapshot) -> Previous:
    """The light part of a full row."""
    aliases = dict(zip(snapshot.meta.alias_urls, snapshot.meta.alias_reasons, strict=True))
    return Previous(
        url=snapshot.url,
        requested_url=snapshot.requested_url,
        etag=snapshot.etag,
        last_modified=snapshot.last_modified,
        fetched_at=snapshot.fetched_at,
        checksum=snapshot.checksum,
        first_seen_at=snapshot.first_seen_at,
        changed_at=snapshot.changed_at,
        depth=snapshot.depth,
        rendered=snapshot.meta.rendered,
        aliases=aliases,
    )


class NoPrevious:
    """A first crawl."""

    def find(self, url: str) -> Previous | None:
        return None

    def read(self, url: str) -> PageSnapshot:
        raise KeyError(url)

    def urls(self) -> Iterable[str]:
        return ()


class InMemoryPrevious:
    """Rows that are already at hand."""

    def __init__(self, snapshots: Iterable[PageSnapshot]) -> None:
        self._rows = {snapshot.url: snapshot for snapshot in snapshots}
        self._lights = {url: light(row) for url, row in self._rows.items()}
        self._by_alias: dict[str, str] = {}
        for row in self._lights.values():
            for url in (row.requested_url, *row.aliases):
                self._by_alias.setdefault(url, row.url)

    def find(self, url: str) -> Previous | None:
        return self._lights.get(url) or self._lights.get(self._by_alias.get(url, ""))

    def read(self, url: str) -> PageSnapshot:
        return self._rows[url]

    def urls(self) -> Iterable[str]:
        return self._rows.keys()
