"""A browser context with one page, used for one page after another of the same origin.

Opening a context costs more than rendering in it (measured with four at a time on 2 cores: 5
pages/s with a new one each, 10 with this). No other origin ever sees it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Route, WebSocket
from playwright.async_api import Error as PlaywrightError

from webmine_assets.crawl.rendering.in_page import LEAVE, LEFT_PATH, PREPARE
from webmine_assets.crawl.rendering.render_requests import PageRequests
from webmine_assets.urls import origin_of

BROWSER_CRASH = "browser_crash"
PAGE_CRASH = "crash"
PAGE_CLOSED = "closed"

_CLOSE_S = 3.0
_RELEASE_S = 1.0
_RELEASE_TRIES = 2
_VIEWPORT_WIDTH, _VIEWPORT_HEIGHT = 1280, 960
_THUMBNAIL_SCALE = 0.5


class PageScriptError(PlaywrightError):
    """What a page throws when it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOptions:
    """How contexts are opened; screenshots are taken at half scale, 640 pixels wide."""

    user_agent: str | None = None
    screenshots: bool = False


class Seat:
    """Made by `open_seat`; `died` holds the reason once its page or browser is gone."""

    def __init__(self, context: BrowserContext, page: Page, session: CDPSession) -> None:
        self._context = context
        self._session = session
        self._requests: PageRequests | None = None
        self._known: set[str] = set()
        self._news: set[Route] = set()
        self.page = page
        self.visits = 0
        self.died: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def begin(self, address: str, requests: PageRequests) -> None:
        """Forget the last page's traces, and answer to the next one's requests."""
        # To the blank page of a new tab a script could go back, and would lose its own.
        if not self.visits and not await self.empty(origin_of(address)):
            raise TimeoutError
        await self._leave(address)
        self.visits += 1
        self._known.clear()
        self._news.clear()
        self._requests = requests

    def end(self) -> None:
        """The visit is over: what its page asks for from now on is refused."""
        self._requests = None

    async def empty(self, origin: str) -> bool:
        """Put a blank page in place of one that lives on; False if it does not let go.

        The blank page is of the same origin, so a script that goes back finds no other document.
        """
        going = watched(self.page.goto(origin + LEFT_PATH, wait_until="commit"))
        for _ in range(_RELEASE_TRIES):
            await asyncio.wait({going}, timeout=_RELEASE_S)
            if going.done():
                return not going.cancelled() and going.exception() is None
            await self.interrupt()
        return False

    async def ask(self, expression: str) -> Any:
        """What the page answers to a question of ours (see `in_page`); PlaywrightError if nothing.

        Playwright's own `evaluate` needs the page's Map, Set, Error … as they were.
        """
        answer = await self._session.send(
            "Runtime.evaluate",
            {"expression": expression, "awaitPromise": True, "returnByValue": True},
        )
        if problem := answer.get("exceptionDetails"):
            raise PageScriptError(problem.get("exception", {}).get("description", problem["text"]))
        return answer["result"].get("value")

    @property
    def has_news_under_way(self) -> bool:
        """Whether an address that this visit asked for the first time was not answered yet."""
        return bool(self._news)

    async def _leave(self, address: str) -> None:
        marking = watched(self._mark())
        forgetting = [
            marking,
            watched(self._context.clear_cookies()),
            watched(
                self._session.send(
                    "Storage.clearDataForOrigin",
                    {"origin": origin_of(address), "storageTypes": "all"},
                )
            ),
        ]
        _, late = await asyncio.wait(forgetting, timeout=_RELEASE_S)
        if late:
            # A timer of the last page came due after its visit, and its script never returns.
            await self.interrupt()
        await asyncio.gather(*forgetting)
        if not marking.result():
            await self._replace(origin_of(address))
        # A script of the next page that goes back comes to the mark, and no further.
        await self._session.send("Page.resetNavigationHistory")

    async def _mark(self) -> bool:
        """False for a page of no origin, which keeps its address, and one that we interrupted."""
        with contextlib.suppress(PageScriptError):
            return bool(await self.ask(LEAVE))
        return False

    async def _replace(self, origin: str) -> None:
        # Not for every page: a blank one in between costs a docsify site a fifth of its pages/s.
        if not (await self.empty(origin) and await self._mark()):
            raise TimeoutError

    async def answer(self, route: Route) -> None:
        requests, address = self._requests, route.request.url
        if requests is None:
            await self._answer_idle(route, address)
            return
        is_news = address not in self._known
        if is_news:
            self._known.add(address)
            self._news.add(route)
        try:
            await requests.answer(route)
        finally:
            self._news.discard(route)

    async def _answer_idle(self, route: Route, address: str) -> None:
        with contextlib.suppress(PlaywrightError):
            if urlsplit(address).path == LEFT_PATH:
                await route.fulfill(status=200, content_type="text/html", body="")
            else:
                await route.abort("aborted")

    async def interrupt(self) -> None:
        """Stop the script that holds the page, as a person would in the "page hangs" dialog."""
        sending = watched(self._session.send("Runtime.terminateExecution"))
        await asyncio.wait({sending}, timeout=_RELEASE_S)

    async def close(self) -> bool:
        """Close the context; False if it hangs, which makes its browser suspect."""
        closing = watched(self._context.close())
        await asyncio.wait({closing}, timeout=_CLOSE_S)
        return closing.done()

    def on_crash(self, page: Page) -> None:
        self._die(PAGE_CRASH)

    def on_close(self, page: Page) -> None:
        self._die(PAGE_CLOSED)

    def on_websocket(self, socket: WebSocket) -> None:
        if self._requests is not None:
            self._requests.log_blocked(socket.url, "type_websocket")

    def _die(self, reason: str) -> None:
        if not self.died.done():
            self.died.set_result(reason)


async def open_seat(browser: Browser, options: SeatOptions) -> Seat:
    """A context of its own whose every request is answered by the visit under way."""
    context = await browser.new_context(
        accept_downloads=False,
        service_workers="block",
        viewport={"width": _VIEWPORT_WIDTH, "height": _VIEWPORT_HEIGHT},
        device_scale_factor=_THUMBNAIL_SCALE if options.screenshots else 1,
        user_agent=options.user_agent,
        locale="en-US",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    await context.add_init_script(PREPARE)
    page = await context.new_page()
    seat = Seat(context, page, await context.new_cdp_session(page))
    await context.route("**/*", seat.answer)
    page.on("crash", seat.on_crash)
    page.on("websocket", seat.on_websocket)
    context.on("page", _close_popup)
    page.on("close", seat.on_close)
    return seat


async def _close_popup(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()


def watched(work: Awaitable[Any]) -> asyncio.Future[Any]:
    """Start work that may outlive our interest: its outcome is noted, so asyncio stays silent.

    It is never cancelled; Playwright ends it when the context is closed.
    """
    task: asyncio.Future[Any] = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task
