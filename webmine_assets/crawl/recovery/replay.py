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

    def has(self, url: str, *, is_conditional: bool = False) -> bool:
        return any((kind, url) in self.journal for kind in self._kinds(is_conditional))

    async def fetch(self, request: FetchRequest) -> FetchResponse | FetchFailure:
        """The journalled answer; else the network's, which is in the journal when this returns."""
        # Views of one document are visited side by side: with an answer for each, a replay would
        # give all of them the last. A loop, as the one that was waited for may have been given up.
        while earlier := self._under_way.get(request.url):
            await earlier.wait()
        is_conditional = bool(request.etag or request.last_modified)
        for kind in self._kinds(is_conditional):
            entry = self.journal.find(kind, request.url)
            if isinstance(entry, FetchResponse | FetchFailure):
                return entry
        ended = self._under_way[request.url] = asyncio.Event()
        try:
            answer = await self.fetcher.fetch(request)
            is_confirmed = is_conditional and _is_not_modified(answer)
            kind = self._confirmed if is_confirmed else self.kind
            self.journal.append(kind, request.url, answer)
        finally:
            del self._under_way[request.url]
            ended.set()
        return answer

    @property
    def _confirmed(self) -> str:
        return f"{self.kind}_confirmed"

    def _kinds(self, is_conditional: bool) -> tuple[str, ...]:
        """Where answers may be: a 304 has no body for a view of the document that is new."""
        return (self._confirmed, self.kind) if is_conditional else (self.kind,)


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


def _is_not_modified(answer: FetchResponse | FetchFailure) -> bool:
    return isinstance(answer, FetchResponse) and answer.status == 304
