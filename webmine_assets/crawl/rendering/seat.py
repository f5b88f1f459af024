"""A browser context with one page, used for one page after another of the same origin.

Opening a context costs more than rendering in it (measured with four at a time on 2 cores: 5
pages/s with a new one each, 10 with this). No other origin ever sees it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag

from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Route, WebSocket
from playwright.async_api import Error as PlaywrightError

from webmine_assets.crawl.rendering.page_scripts import LEAVE, PREPARE
from webmine_assets.crawl.rendering.render_requests import PageRequests
from webmine_assets.urls import origin_of

BROWSER_CRASH = "browser_crash"
PAGE_CRASH = "crash"
PAGE_CLOSED = "closed"

_CLOSE_S = 3.0
_RELEASE_S = 1.0
_VIEWPORT_WIDTH, _VIEWPORT_HEIGHT = 1280, 960
_THUMBNAIL_SCALE = 0.5


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
        self.page = page
        self.visits = 0
        self.died: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def begin(self, address: str, requests: PageRequests) -> None:
        """Forget the last page's traces, and answer to the next one's requests."""
        if self.visits:
            await self._leave(address)
        self.visits += 1
        self._requests = requests

    async def _leave(self, address: str) -> None:
        forgetting = [
            watched(self.page.evaluate(LEAVE)),
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
        if urldefrag(self.page.url).url == urldefrag(address).url:
            # A document of no origin keeps its address: another fragment of it would only scroll.
            # A blank page in between costs a docsify site a fifth of its pages/s.
            await self.page.goto("about:blank")
            await self.page.evaluate(LEAVE)

    async def answer(self, route: Route) -> None:
        if self._requests is None:
            with contextlib.suppress(PlaywrightError):
                await route.abort("aborted")
        else:
            await self._requests.answer(route)

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
