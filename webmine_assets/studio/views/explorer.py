"""The explorer: pages by words and filters, and what was decided about URLs."""

import asyncio
from collections.abc import Callable

from aiohttp import web

from webmine_assets.records import PAGE_DECISIONS, Decision
from webmine_assets.studio.finding import MAX_HITS, PageFinder, PageQuery, read_page_query
from webmine_assets.studio.painter import Painter, query_string
from webmine_assets.studio.questions import Ask
from webmine_assets.studio.questions.pages import ask_languages, ask_topics

_SCREEN = 25


class ExplorerView:
    """Answers `/pages`."""

    def __init__(
        self, *, ask: Ask, painter: Painter, finder: PageFinder, names: Callable[[], list[str]]
    ) -> None:
        self._ask = ask
        self._painter = painter
        self._finder = finder
        self._names = names

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/pages", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        query = read_page_query(request, limit=_SCREEN, max_limit=100)
        # All others are found among the URLs.
        if query.filter.decision and query.filter.decision not in PAGE_DECISIONS:
            raise web.HTTPFound("/urls" + _ledger_query(query))
        found, languages, topics, names = await asyncio.gather(
            asyncio.to_thread(self._finder.find, query),
            asyncio.to_thread(ask_languages, self._ask),
            asyncio.to_thread(ask_topics, self._ask),
            asyncio.to_thread(self._names),
        )
        return self._painter.page(
            request,
            "explorer.html",
            query=query,
            values=query.as_query(),
            found=found,
            page=query.offset // query.limit + 1,
            last_page=max(1, -(-found.total // query.limit)),
            max_hits=MAX_HITS,
            names=names,
            languages=[row["value"] for row in languages],
            topics=[row["value"] for row in topics],
            decisions=[decision.value for decision in Decision],
        )


def _ledger_query(query: PageQuery) -> str:
    wanted = query.filter
    return query_string({"institution": wanted.institution, "decision": wanted.decision})
