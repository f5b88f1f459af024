"""One page in a seat, from navigation to the DOM that settled."""

import asyncio
import contextlib
import re
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from webmine_assets.crawl.exchange import FetchResponse, RenderedPage
from webmine_assets.crawl.rendering import in_page
from webmine_assets.crawl.rendering.patience import Asked, Look, patience_s
from webmine_assets.crawl.rendering.render_requests import PageRequests
from webmine_assets.crawl.rendering.seat import PageScriptError, Seat, watched
from webmine_assets.errors import WebmineError

# One look at the page; a longer wait is made of several, so that navigation can interrupt it.
_LOOK_S = 1.0
_PAUSE_S = 0.02
# Of the time limit, what is kept for reading a page that did not settle.
_READ_S = 1.0
# Once its script was stopped a page answers at once, unless the whole machine is busy.
_READ_INTERRUPTED_S = 4.0
_READ_SHARE = 0.2
_READ_TRIES = 20
# Said of a document that is going, and of a page whose end we are about to hear of.
_MOVING = re.compile("navigated|destroyed|collected|find .*context|closed|crashed|detached")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitOptions:
    timeout_s: float
    quiet_ms: int
    screenshot: bool
    max_html_chars: int


class VisitError(WebmineError):
    """This page gave no DOM; becomes a RenderFailure."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.blocked: tuple[str, ...] = ()


class _MovingError(Exception):
    """The document that was asked is no more, or was stopped: ask again."""


class PageVisit:
    """A single use object: `run` it once."""

    def __init__(self, seat: Seat, response: FetchResponse, options: VisitOptions) -> None:
        self._seat = seat
        self._page = seat.page
        self._response = response
        self._options = options
        self._started = time.monotonic()
        self._deadline = self._started + options.timeout_s - self._reserve_s()

    async def run(self, requests: PageRequests) -> RenderedPage:
        """Render the page within its time limit; raises VisitError if it gives nothing."""
        await self._begin(requests)
        timed_out = not (await self._navigate() and await self._settle(requests))
        requests.stop_navigation()
        read = await self._read_or_interrupt()
        if read["isLeft"] or not requests.is_shown:
            # A crowded browser may not even open the page: what is there belongs to another one.
            raise VisitError("timeout", f"not opened within {self._options.timeout_s:g} s")
        return RenderedPage(
            url=read["url"],
            html=read["html"],
            title=read["title"],
            elapsed_ms=round((time.monotonic() - self._started) * 1000),
            timed_out=timed_out,
            moved_to=requests.moved_to(read["url"]),
            blocked=requests.blocked,
            screenshot_png=await self._screenshot(),
        )

    async def _begin(self, requests: PageRequests) -> None:
        beginning = self._seat.begin(address_of(self._response), requests)
        try:
            await self._within(beginning, self._left_s())
        except TimeoutError:
            raise VisitError("timeout", "the page before it does not let go of the tab") from None

    async def _navigate(self) -> bool:
        """Open the page; False if time ran out, which a script that never returns can cause."""
        opening = self._page.goto(
            address_of(self._response), wait_until="commit", timeout=self._left_s() * 1000
        )
        try:
            await self._within(opening)
        except PlaywrightTimeoutError:
            return False
        except PlaywrightError as problem:
            if "Download is starting" in problem.message:
                raise VisitError("download", "the browser would save this page") from problem
            # A page that moves on at once interrupts its own opening; _settle sees where it went.
            if "interrupted" not in problem.message and "ERR_ABORTED" not in problem.message:
                raise
        return True

    async def _settle(self, requests: PageRequests) -> bool:
        """Wait until nothing changes any more; False if time ran out first."""
        still_since: float | None = None
        while time.monotonic() < self._deadline:
            fetched = requests.fetched
            look = await self._look()
            now = time.monotonic()
            if look is None or not look["quiet"] or fetched != requests.fetched:
                still_since = None
                continue
            still_since = still_since or now
            if now - still_since >= patience_s(look, self._asked(requests)):
                return True
            await asyncio.sleep(_PAUSE_S)
        return False

    def _asked(self, requests: PageRequests) -> Asked:
        return Asked(
            is_any_under_way=requests.under_way > 0,
            is_news_under_way=self._seat.has_news_under_way,
            refused=requests.blocked,
        )

    async def _look(self) -> Look | None:
        """One report of the page; None while it moves to another document, or does not answer."""
        limit_ms = round(min(_LOOK_S, self._left_s()) * 1000)
        question = in_page.settle(self._options.quiet_ms, limit_ms)
        try:
            look: Look = await self._ask(question, self._left_s())
        except _MovingError:
            await asyncio.sleep(_PAUSE_S)
            return None
        except TimeoutError:
            return None
        return look

    async def _read_or_interrupt(self) -> dict[str, Any]:
        try:
            return await self._read(_READ_S)
        except TimeoutError:
            await self._seat.interrupt()
        try:
            return await self._read(_READ_INTERRUPTED_S)
        except TimeoutError:
            raise VisitError(
                "unresponsive", "its scripts or its layout do not let go of the page"
            ) from None

    async def _read(self, limit_s: float) -> dict[str, Any]:
        """The DOM; tried again while the page is between two documents."""
        question = in_page.read(self._options.max_html_chars)
        for _ in range(_READ_TRIES):
            with contextlib.suppress(_MovingError):
                read: dict[str, Any] = await self._ask(question, limit_s)
                return read
            await asyncio.sleep(_PAUSE_S)
        raise VisitError("navigation", "the page does not stop moving to another document")

    async def _ask(self, question: str, limit_s: float) -> Any:
        """The page's answer; VisitError if it has none and trying again is of no use."""
        try:
            return await self._within(self._seat.ask(question), limit_s)
        except PageScriptError as problem:
            if "terminated" in str(problem):
                # By our own interrupt, which came in the way.
                raise _MovingError from problem
            raise VisitError("unreadable", _first_line(problem)) from problem
        except PlaywrightError as problem:
            if _MOVING.search(problem.message):
                raise _MovingError from problem
            raise VisitError("unreadable", _first_line(problem)) from problem

    async def _screenshot(self) -> bytes | None:
        if not self._options.screenshot:
            return None
        taking = self._page.screenshot(type="png", animations="disabled", timeout=3000)
        with contextlib.suppress(PlaywrightError):
            return await self._within(taking)
        return None

    async def _within(self, work: Awaitable[_T], limit_s: float | None = None) -> _T:
        """Await `work` unless the page dies first or the limit passes (TimeoutError)."""
        task = watched(work)
        died = self._seat.died
        await asyncio.wait({task, died}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        if died.done():
            raise VisitError(died.result(), "the process that showed the page ended")
        if not task.done():
            raise TimeoutError
        result: _T = task.result()
        return result

    def _reserve_s(self) -> float:
        return min(_READ_S, _READ_SHARE * self._options.timeout_s)

    def _left_s(self) -> float:
        # Playwright takes a limit of 0 as none.
        return max(self._deadline - time.monotonic(), 0.001)


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0]


def address_of(response: FetchResponse) -> str:
    """Where the page is opened: the final URL with the fragment that was asked for."""
    if urlsplit(response.url).fragment:
        return response.url
    fragment = urlsplit(response.requested_url).fragment
    return f"{response.url}#{fragment}" if fragment else response.url
