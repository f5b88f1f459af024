"""One page: content, stored page, metadata with provenance, topics, history and archive."""

import asyncio
import secrets
from typing import Any

from aiohttp import web

from webmine_assets.render_account import account_of_render
from webmine_assets.settings import Settings
from webmine_assets.studio.markdown import MAX_CHARACTERS, render_markdown
from webmine_assets.studio.painter import Painter
from webmine_assets.studio.questions import About, Ask
from webmine_assets.studio.questions.page import ask_neighbours, ask_page, find_institution
from webmine_assets.studio.rules.preview import parse_page
from webmine_assets.studio.rules.sample import SampledPage, Samples
from webmine_assets.studio.security import stored_page_policy
from webmine_assets.studio.stored.frame import frame_page, frame_picker, frame_text

TABS = ("reading", "stored", "metadata", "topics", "history")
PAGE_ID = "{page_id:[0-9a-f]{16}}"


class PageView:
    """Answers `/pages/{id}` and what lies below it."""

    def __init__(
        self, *, ask: Ask, about: About, painter: Painter, samples: Samples, settings: Settings
    ) -> None:
        self._ask = ask
        self._about = about
        self._painter = painter
        self._samples = samples
        self._settings = settings

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(f"/pages/{PAGE_ID}", self.show),
            web.get(f"/pages/{PAGE_ID}/stored", self.stored),
            web.get(f"/pages/{PAGE_ID}/picker", self.picker),
            web.get(f"/pages/{PAGE_ID}/screenshot", self.screenshot),
        ]

    async def show(self, request: web.Request) -> web.Response:
        tab = request.query.get("tab", TABS[0])
        if tab not in TABS:
            raise web.HTTPNotFound(text=f"there is no tab {tab[:40]!r}; known: {', '.join(TABS)}")
        values = await asyncio.to_thread(self._values, request.match_info["page_id"], tab)
        return self._painter.page(request, "page.html", **values)

    def _values(self, page_id: str, tab: str) -> dict[str, Any]:
        institution = self._institution(page_id)
        page = ask_page(self._about, institution, page_id)
        if page is None:
            raise _no_page(page_id)
        content, topics = page["content"], page["topics"]
        markdown = content["full_content"] if content else ""
        return {
            "page": page,
            "rendering": account_of_render(page["snapshot"]["meta"]),
            "tab": tab,
            "tabs": TABS,
            "reading": render_markdown(markdown) if tab == "reading" else "",
            "is_cut": len(markdown) > MAX_CHARACTERS,
            "has_screenshot": self._screenshot(institution, page_id) is not None,
            "neighbours": ask_neighbours(
                self._ask, institution, [topic["topic"] for topic in topics], page_id
            )
            if tab == "topics"
            else [],
        }

    def _institution(self, page_id: str) -> str:
        institution = find_institution(self._ask, page_id)
        if institution is None:
            raise _no_page(page_id)
        return institution

    def _read(self, page_id: str) -> SampledPage:
        page = self._samples.read_page(self._institution(page_id), page_id)
        if page is None:
            raise _no_page(page_id)
        return page

    async def stored(self, request: web.Request) -> web.Response:
        """The stored page, inert."""
        page = await asyncio.to_thread(self._read, request.match_info["page_id"])
        html = await asyncio.to_thread(_framed, page)
        return _stored_answer(html, stored_page_policy())

    async def picker(self, request: web.Request) -> web.Response:
        """The stored page with our picker in it."""
        page = await asyncio.to_thread(self._read, request.match_info["page_id"])
        if not page.is_html:
            raise web.HTTPNotFound(text="only HTML pages have elements to pick")
        nonce = secrets.token_urlsafe(16)
        html = await asyncio.to_thread(
            lambda: frame_picker(parse_page(page), title=page.title or page.url, nonce=nonce)
        )
        return _stored_answer(html, stored_page_policy(nonce))

    async def screenshot(self, request: web.Request) -> web.FileResponse:
        page_id = request.match_info["page_id"]
        institution = await asyncio.to_thread(self._institution, page_id)
        path = self._screenshot(institution, page_id)
        if path is None:
            raise web.HTTPNotFound(text="there is no screenshot of this page")
        return web.FileResponse(path, headers={"Content-Type": "image/png"})

    def _screenshot(self, institution: str, page_id: str) -> Any:
        path = self._settings.screenshots / institution / f"{page_id}.png"
        return path if path.is_file() else None


def _no_page(page_id: str) -> web.HTTPNotFound:
    return web.HTTPNotFound(text=f"there is no page {page_id}")


def _framed(page: SampledPage) -> str:
    title = page.title or page.url
    if page.is_html:
        return frame_page(parse_page(page), title=title)
    return frame_text(page.text, title=title)


def _stored_answer(html: str, policy: str) -> web.Response:
    return web.Response(
        body=html.encode("utf-8", "replace"),
        content_type="text/html",
        charset="utf-8",
        headers={"Content-Security-Policy": policy, "Cache-Control": "no-store"},
    )
