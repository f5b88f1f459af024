"""What a site lists itself: the sitemaps its robots.txt advertises, visited like pages."""

import asyncio
from dataclasses import dataclass, field

from webmine_assets.crawl.exchange import FetchRequest, FetchResponse, Refusal
from webmine_assets.crawl.frontier import Item, ItemKind
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets.crawl.outcome import Cost, Listed
from webmine_assets.crawl.pages.sitemap import parse_sitemap
from webmine_assets.crawl.recovery.replay import JournalledFetcher
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.records import Decision
from webmine_assets.urls import resolve

MAX_SITEMAPS = 50
"""Sitemap files of one crawl; with 50,000 URLs each that is far beyond any page budget."""
MAX_SITEMAP_BYTES = 52_428_800  # 50 MB, the limit of sitemaps.org

# All sitemaps of a robots.txt are taken at once, and they arrive faster than they are read: twenty
# of 30 MB took 386 MB without this bound.
_BODIES_AT_ONCE = 2


@dataclass(slots=True, kw_only=True)
class ListingReader:
    """Visits robots.txt and sitemap items."""

    scope: Scope
    robots: RobotsGate
    sitemaps: JournalledFetcher
    _bodies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_BODIES_AT_ONCE))

    async def visit(self, item: Item) -> Listed:
        if item.kind is ItemKind.ROBOTS:
            return Listed(sitemaps=self._allowed(await self.robots.sitemaps(item.url), item.url))
        async with self._bodies:
            return await self._read_sitemap(item)

    async def _read_sitemap(self, item: Item) -> Listed:
        refusal = await self.robots.decide(item.url)
        if refusal is not None:
            return Listed(problem=refusal)
        replayed = int(self.sitemaps.has(item.url))
        answer = await self.sitemaps.fetch(
            FetchRequest(url=item.url, max_body_bytes=MAX_SITEMAP_BYTES, check_hop=self._check_hop)
        )
        if not isinstance(answer, FetchResponse):
            problem = answer.refusal or _unread(f"{answer.reason}: {answer.detail}")
            return Listed(problem=problem, cost=Cost(requests=1, replayed=replayed))
        if answer.status != 200:
            problem = _unread(f"status {answer.status}")
            return Listed(problem=problem, cost=Cost(requests=1, replayed=replayed))
        # 50 MB of XML take seconds: connections that are being read must not starve meanwhile.
        found = await asyncio.to_thread(parse_sitemap, answer.body)
        pages = ((resolve(entry.raw_url, answer.url), entry.lastmod) for entry in found.entries)
        return Listed(
            pages={url: lastmod for url, lastmod in pages if url},
            sitemaps=self._allowed(found.nested, answer.url),
            problem=_unread(found.problem) if found.problem else None,
            cost=Cost(requests=1, replayed=replayed, wire_bytes=answer.wire_bytes),
        )

    async def _check_hop(self, url: str) -> Refusal | None:
        """A sitemap may not send the crawler where a link may not."""
        return self.scope.decide(url) or await self.robots.decide(url)

    def _allowed(self, raw_urls: tuple[str, ...], base: str) -> tuple[str, ...]:
        """Sitemaps on the institution's own hosts; others may list what they like."""
        urls = (resolve(raw, base) for raw in raw_urls[:MAX_SITEMAPS])
        return tuple(url for url in urls if url and self.scope.decide(url) is None)


def _unread(detail: str) -> Refusal:
    return Refusal(decision=Decision.CONTENT_POLICY, reason="sitemap", detail=detail)


@dataclass(slots=True)
class ListingLimit:
    """Each sitemap once, and a bounded number of them: an index may name itself."""

    _seen: set[str] = field(default_factory=set)

    def admits(self, url: str) -> bool:
        if url in self._seen or len(self._seen) >= MAX_SITEMAPS:
            return False
        self._seen.add(url)
        return True
