"""Fetching and rendering through the journal: what is in it is not asked for again."""

import asyncio
from dataclasses import dataclass, field

from webmine_assets.crawl.exchange import (
    Fetcher,
    FetchFailure,
    FetchRequest,
    FetchResponse,
    RenderedPage,
    Renderer,
    RenderFailure,
)
from webmine_assets.crawl.recovery.journal import Journal


@dataclass(slots=True)
class JournalledFetcher:
    """A `Fetcher` for one kind of entry (page, robots, sitemap)."""

    fetcher: Fetcher
    journal: Journal
    kind: str
    _under_way: dict[str, asyncio.Event] = field(default_factory=dict)

    def has(self, url: str) -> bool:
        return (self.kind, url) in self.journal

    async def fetch(self, request: FetchRequest) -> FetchResponse | FetchFailure:
        """The journalled answer; else the network's, which is in the journal when this returns."""
        # Views of one document are visited side by side: with an answer for each, a replay would
        # give all of them the last. A loop, as the one that was waited for may have been given up.
        while earlier := self._under_way.get(request.url):
            await earlier.wait()
        entry = self.journal.find(self.kind, request.url)
        if isinstance(entry, FetchResponse | FetchFailure):
            return entry
        ended = self._under_way[request.url] = asyncio.Event()
        try:
            answer = await self.fetcher.fetch(request)
            self.journal.append(self.kind, request.url, answer)
        finally:
            del self._under_way[request.url]
            ended.set()
        return answer


@dataclass(slots=True)
class JournalledRenderer:
    """A `Renderer` whose results survive a crash too."""

    renderer: Renderer
    journal: Journal

    async def render(self, response: FetchResponse) -> RenderedPage | RenderFailure:
        entry = self.journal.find("render", response.requested_url)
        if isinstance(entry, RenderedPage | RenderFailure):
            return entry
        answer = await self.renderer.render(response)
        # A browser that is not there may be there when the crawl goes on.
        if not isinstance(answer, RenderFailure) or answer.is_attempt:
            self.journal.append("render", response.requested_url, answer)
        return answer
