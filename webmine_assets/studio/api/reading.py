"""What programs can read: institutions, pages, search, and the ledger."""

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from webmine_assets.reasons import known_reasons
from webmine_assets.studio import parameters
from webmine_assets.studio.api import json_answer
from webmine_assets.studio.finding import PageFinder, read_page_query
from webmine_assets.studio.questions import About, Ask, Row
from webmine_assets.studio.questions import overview as overview_questions
from webmine_assets.studio.questions.ledger import ask_ledger, ask_reasons, count_ledger
from webmine_assets.studio.questions.page import ask_page, find_institution
from webmine_assets.studio.views.ledger import read_ledger_filter
from webmine_assets.studio.views.overview import with_files


class ReadingApi:
    """Answers the routes that change nothing."""

    def __init__(
        self,
        *,
        ask: Ask,
        about: About,
        finder: PageFinder,
        files: Callable[[], dict[str, Any]],
    ) -> None:
        self._ask = ask
        self._about = about
        self._finder = finder
        self._files = files

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/institutions", self.institutions),
            web.get("/api/pages", self.pages),
            web.get("/api/pages/{page_id}", self.page),
            web.get("/api/search", self.search),
            web.get("/api/ledger", self.ledger),
        ]

    async def institutions(self, request: web.Request) -> web.Response:
        rows = await asyncio.to_thread(overview_questions.ask_institutions, self._ask)
        files = await asyncio.to_thread(self._files)
        return json_answer({"institutions": with_files(rows, files)})

    async def pages(self, request: web.Request) -> web.Response:
        query = read_page_query(request, limit=25, max_limit=100)
        found = await asyncio.to_thread(self._finder.find, query)
        return json_answer({"total": found.total, "pages": found.rows})

    async def search(self, request: web.Request) -> web.Response:
        if not parameters.text(request, "q", limit=500):
            raise parameters.bad_request("q: expected the words to search for")
        return await self.pages(request)

    async def page(self, request: web.Request) -> web.Response:
        page_id = request.match_info["page_id"]
        parameters.require_unicode("page_id", page_id)
        page = await asyncio.to_thread(self._page, page_id)
        if page is None:
            raise web.HTTPNotFound(text=f"there is no page {page_id[:40]!r}")
        return json_answer(page)

    def _page(self, page_id: str) -> Row | None:
        institution = find_institution(self._ask, page_id)
        return ask_page(self._about, institution, page_id) if institution else None

    async def ledger(self, request: web.Request) -> web.Response:
        wanted = read_ledger_filter(request)
        limit = parameters.integer(request, "limit", default=50, low=1, high=500)
        page = parameters.integer(request, "page", default=1, low=1, high=100_000)
        written = await asyncio.to_thread(ask_reasons, self._ask)
        # A page of the ledger may be of another version, and have reasons that this one has not.
        known = {*known_reasons(), *(row["reason"] for row in written)}
        parameters.one_of("reason", wanted.reason, known)
        total, rows = await asyncio.gather(
            asyncio.to_thread(count_ledger, self._ask, wanted),
            asyncio.to_thread(
                lambda: ask_ledger(self._ask, wanted, limit=limit, offset=(page - 1) * limit)
            ),
        )
        return json_answer({"total": total, "urls": rows})
