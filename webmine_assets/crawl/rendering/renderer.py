"""Renders pages in Chromium: one browser, a few pages at a time, a context for each origin.

A page that loops, crashes or never settles costs itself its time limit and nothing else.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from playwright.async_api import Error as PlaywrightError

from webmine_assets.crawl.exchange import (
    Fetcher,
    FetchResponse,
    HopCheck,
    RenderedPage,
    RenderFailure,
    follow_any,
)
from webmine_assets.crawl.rendering.absent import UNAVAILABLE
from webmine_assets.crawl.rendering.browser import BrowserProcess, BrowserSupply
from webmine_assets.crawl.rendering.page_visit import PageVisit, VisitError, VisitOptions
from webmine_assets.crawl.rendering.render_requests import Door, PageRequests, RequestLimits
from webmine_assets.crawl.rendering.seat import BROWSER_CRASH, Seat, SeatOptions, watched
from webmine_assets.crawl.rendering.subresources import SubresourceCache
from webmine_assets.errors import RendererUnavailableError
from webmine_assets.urls import origin_of

_NEWS_S = 0.1
_SEAT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """How pages are rendered; `recycle_after` renders the browser is replaced.

    A page takes 0.1 s of processor time and waits for the rest, so six at a time suit two cores.
    """

    timeout_s: float = 15.0
    pages: int = 6
    quiet_ms: int = 150
    screenshots: bool = False
    user_agent: str | None = None
    recycle_after: int = 200
    cache_bytes: int = 64_000_000
    max_html_chars: int = 10_000_000
    limits: RequestLimits = field(default_factory=RequestLimits)


class ChromiumRenderer:
    """The renderer of a crawl; the browser starts with the first page that needs it."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        executable: str,
        is_in_scope: Callable[[str], bool],
        check_robots: HopCheck = follow_any,
        options: RenderOptions | None = None,
    ) -> None:
        self._options = options or RenderOptions()
        self._resources = SubresourceCache(fetcher, max_bytes=self._options.cache_bytes)
        self._door = Door(
            resources=self._resources,
            is_in_scope=is_in_scope,
            check_robots=check_robots,
            limits=self._options.limits,
            with_styles=self._options.screenshots,
        )
        self._seat_options = SeatOptions(
            user_agent=self._options.user_agent, screenshots=self._options.screenshots
        )
        self._visit_options = VisitOptions(
            timeout_s=self._options.timeout_s,
            quiet_ms=self._options.quiet_ms,
            screenshot=self._options.screenshots,
            max_html_chars=self._options.max_html_chars,
        )
        self._supply = BrowserSupply(executable, recycle_after=self._options.recycle_after)
        self._slots = asyncio.Semaphore(self._options.pages)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._supply.close()
        await self._resources.close()

    @property
    def browser_pids(self) -> list[int]:
        """The main processes of the browsers now running."""
        return self._supply.pids

    async def render(self, response: FetchResponse) -> RenderedPage | RenderFailure:
        """The page after its scripts ran, or why there is none; faults of the page never raise."""
        async with self._slots:
            started = time.monotonic()
            try:
                return await self._render(response)
            except RendererUnavailableError as problem:
                return RenderFailure(
                    url=response.url, reason=UNAVAILABLE, detail=str(problem), is_attempt=False
                )
            except VisitError as problem:
                return _failure(response, problem, started)

    async def _render(self, response: FetchResponse) -> RenderedPage:
        try:
            async with self._supply.lend() as process:
                return await self._visit(process, response)
        except VisitError as problem:
            if problem.reason != BROWSER_CRASH:
                raise
        # Up to `pages` pages lose their browser at once and one of them did it: each gets a second
        # try in a browser of its own, so the innocent are rendered all the same.
        async with self._supply.lend_alone() as process:
            return await self._visit(process, response)

    async def _visit(self, process: BrowserProcess, response: FetchResponse) -> RenderedPage:
        origin = origin_of(response.url)
        try:
            seat = await self._take_seat(process, origin)
            return await self._visit_in(process, seat, response)
        except VisitError as problem:
            await self._blame(process, problem)
            raise
        except PlaywrightError as problem:
            # Pages' own faults are VisitErrors: a browser that fails otherwise is not trusted on.
            process.is_sick = True
            detail = str(problem).strip().splitlines()[0]
            failed = VisitError("navigation", detail)
            await self._blame(process, failed)
            raise failed from problem

    async def _blame(self, process: BrowserProcess, problem: VisitError) -> None:
        # The news that the browser is gone comes after the errors it causes.
        await asyncio.sleep(_NEWS_S)
        if process.is_gone:
            problem.reason = BROWSER_CRASH

    async def _take_seat(self, process: BrowserProcess, origin: str) -> Seat:
        taking = watched(
            process.take_seat(origin, self._seat_options, max_idle=self._options.pages)
        )
        await asyncio.wait({taking}, timeout=_SEAT_S)
        if not taking.done():
            process.is_sick = True
            raise VisitError(BROWSER_CRASH, "the browser opens no more pages")
        seat: Seat = taking.result()
        return seat

    async def _visit_in(
        self, process: BrowserProcess, seat: Seat, response: FetchResponse
    ) -> RenderedPage:
        is_clean = False
        requests = PageRequests(self._door, response)
        try:
            page = await PageVisit(seat, response, self._visit_options).run(requests)
            is_clean = not page.timed_out
        except VisitError as problem:
            problem.blocked = requests.blocked
            raise
        else:
            return requests.completed(page)
        finally:
            await process.return_seat(origin_of(response.url), seat, is_clean=is_clean)


def _failure(response: FetchResponse, problem: VisitError, started: float) -> RenderFailure:
    return RenderFailure(
        url=response.url,
        reason=problem.reason,
        detail=problem.detail,
        elapsed_ms=round((time.monotonic() - started) * 1000),
        blocked=problem.blocked,
    )
