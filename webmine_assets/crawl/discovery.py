"""What is done with URLs that are found: each new one is decided at once or joins the frontier."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from webmine_assets.crawl.budget import LEAST_DISCOVERED, LEAST_WAITING
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.frontier import Frontier, Item, ItemKind
from webmine_assets.crawl.identity import Identities
from webmine_assets.crawl.ledger import Ledger
from webmine_assets.crawl.listing import ListingLimit
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.crawl.rules.traps import TrapGuard
from webmine_assets.institutions import Institution
from webmine_assets.records import Decision

MAX_NOFOLLOW = 100_000
"""Links marked nofollow are remembered to the end: another page may link them without the mark."""
_LINKS_AT_A_TIME = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """A URL in a page: `url` as it is to be asked for, `key` as it is known."""

    url: str
    key: str
    nofollow: bool = False


@dataclass(slots=True)
class Discovery:
    """The only place that adds to the frontier; all of it runs at commits, so in a fixed order."""

    institution: Institution
    started_at: datetime
    scope: Scope
    traps: TrapGuard
    ledger: Ledger
    frontier: Frontier
    identities: Identities
    max_waiting: int = LEAST_WAITING
    max_discovered: int = LEAST_DISCOVERED
    left_off: int = 0
    """Links that were not taken in, as there were too many already."""
    listings: ListingLimit = field(default_factory=ListingLimit)
    queued: int = 0
    depth_max_seen: int = 0
    _nofollow: dict[str, tuple[int, str | None]] = field(default_factory=dict)

    async def add_links(self, links: Iterable[Found], *, depth: int, source_url: str) -> None:
        for number, link in enumerate(links):
            if number % _LINKS_AT_A_TIME == _LINKS_AT_A_TIME - 1:
                # A page of 20,000 links must not starve the connections that are being read.
                await asyncio.sleep(0)
            if link.nofollow:
                self._note_nofollow(link, depth, source_url)
            else:
                self.add(link, depth=depth, discovered_from=source_url)

    def add(
        self, found: Found, *, depth: int, discovered_from: str | None, source: str = "crawl"
    ) -> None:
        """Take a URL in, unless it is known; a refusal is its ledger row."""
        if self.ledger.discovered >= self.max_discovered and not self.ledger.is_known(found.key):
            self.left_off += 1
            return
        if not self.ledger.discover(found.key, depth=depth, discovered_from=discovered_from):
            self.identities.note_variant(found.key, found.url, (depth, discovered_from))
            return
        refusal = self._refusal(found, depth)
        if refusal is not None:
            self.settle(found.key, refusal)
            return
        self.queued += 1
        self.depth_max_seen = max(self.depth_max_seen, depth)
        item = Item(found.url, found.key, depth, discovered_from, source)
        self.frontier.add(item, preferred=self.scope.is_preferred(found.url))

    def add_listing(self, url: str, kind: ItemKind, *, discovered_from: str | None) -> None:
        """Queue a robots.txt or sitemap: no page, so no ledger row unless it cannot be read."""
        if self.listings.admits(url):
            self.frontier.add(Item(url, url, 0, discovered_from, kind.value, kind))

    def settle_listing(self, item: Item, refusal: Refusal) -> None:
        """Tell of a sitemap that could not be read, unless it is linked as a page."""
        if self.ledger.discover(item.key, depth=item.depth, discovered_from=item.discovered_from):
            self.settle(item.key, refusal)

    def settle(self, key: str, refusal: Refusal, at: datetime | None = None) -> None:
        self.ledger.settle(
            key,
            Decision(refusal.decision),
            refusal.reason,
            detail=refusal.detail,
            at=at or self.started_at,
        )

    def settle_nofollow(self) -> None:
        """At the end: what was only ever linked with nofollow was not followed."""
        for key, (depth, source_url) in self._nofollow.items():
            if self.ledger.discover(key, depth=depth, discovered_from=source_url):
                detail = f"linked with nofollow on {source_url}"
                self.settle(
                    key, Refusal(decision=Decision.ROBOTS_BLOCKED, reason="nofollow", detail=detail)
                )
        self._nofollow.clear()

    def _note_nofollow(self, link: Found, depth: int, source_url: str) -> None:
        if self.ledger.is_known(link.key) or link.key in self._nofollow:
            return
        if len(self._nofollow) < MAX_NOFOLLOW:
            self._nofollow[link.key] = (depth, source_url)
        else:
            self.left_off += 1

    def _refusal(self, found: Found, depth: int) -> Refusal | None:
        refusal = self.scope.decide(found.url)
        if refusal is None and depth > self.institution.max_depth:
            limit = self.institution.max_depth
            refusal = Refusal(
                decision=Decision.OVER_DEPTH, reason="max_depth", detail=f"depth {depth} of {limit}"
            )
        return refusal or self.traps.decide(found.url) or self._queue_refusal()

    def _queue_refusal(self) -> Refusal | None:
        if len(self.frontier) < self.max_waiting:
            return None
        detail = f"{self.max_waiting} URLs were waiting already"
        return Refusal(decision=Decision.OVER_PAGES, reason="max_queue", detail=detail)
