"""The crawl as one call: opens journal, fetcher, browser and readers for an institution.

`build_web_miner(settings).crawl(institution)` gives its pages; `mine` leaves publishing to others.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webmine_assets.crawl.assembly import robots_gate
from webmine_assets.crawl.cache import NoPrevious, PreviousSnapshots
from webmine_assets.crawl.crawler import (
    CrawlOptions,
    OnProgress,
    crawl,
    ignore_progress,
)
from webmine_assets.crawl.exchange import Renderer
from webmine_assets.crawl.network.clock import Clock, SystemClock
from webmine_assets.crawl.network.fetcher import (
    FetchLimits,
    HttpFetcher,
    user_agent,
)
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.crawl.recovery.journal import Journal
from webmine_assets.crawl.rendering.absent import AbsentRenderer
from webmine_assets.crawl.rendering.chromium import find_chromium
from webmine_assets.crawl.rendering.renderer import ChromiumRenderer, RenderOptions
from webmine_assets.crawl.result import CrawlResult
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.institutions import Institution
from webmine_assets.records import PageSnapshot
from webmine_assets.settings import Settings

PreviousOf = Callable[[str], PreviousSnapshots]
_MAX_WORKERS = 4
_RESOURCES_AT_ONCE = 6
"""As browsers do: six connections to a host."""


def no_previous(_: str) -> PreviousSnapshots:
    """Every crawl is a first one."""
    return NoPrevious()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebMiner:
    """Crawls institutions; `previous_of` gives an institution's last partition."""

    journals: Path
    contact: str | None = None
    chromium: str | None = None
    previous_of: PreviousOf = no_previous
    workers: int = 1

    def crawl(
        self, institution: Institution, *, on_progress: OnProgress = ignore_progress
    ) -> Iterator[PageSnapshot]:
        """The institution's pages; when the last one is taken the crawl counts as published.

        Until then its journal stays, and the next call goes on from it instead of the network.
        """
        with _run(self.mine(institution, on_progress=on_progress)) as result:
            yield from result.snapshots()
            result.finish()

    async def mine(
        self,
        institution: Institution,
        *,
        seeds: Sequence[tuple[str, str]] = (),
        max_kept: int = 0,
        on_progress: OnProgress = ignore_progress,
    ) -> CrawlResult:
        """Crawl to the end; the caller publishes the rows and then calls `finish` on the result.

        `seeds` are extra (url, source) pairs; with `max_kept` pages of the last crawl beyond
        `max_pages` stay, so many in all. Cancelled or killed, the next call goes on.
        """
        clock = SystemClock()
        journal = open_crawl_journal(self.journals, institution, clock=clock, seeds=seeds)
        try:
            return await self._mine(institution, journal, clock, max_kept, on_progress)
        except BaseException:
            journal.close()
            raise

    async def _mine(
        self,
        institution: Institution,
        journal: Journal,
        clock: Clock,
        max_kept: int,
        on_progress: OnProgress,
    ) -> CrawlResult:
        async with AsyncExitStack() as stack:
            politeness = Politeness(_limits(institution), clock)
            fetcher = await stack.enter_async_context(self._fetcher(institution, politeness, clock))
            robots = robots_gate(
                institution, fetcher, journal, set_crawl_delay=politeness.set_crawl_delay
            )
            renderer, rendering = await self._renderer(stack, institution, robots, clock)
            return await crawl(
                institution,
                fetcher=fetcher,
                journal=journal,
                clock=clock,
                robots=robots,
                renderer=renderer,
                previous=self.previous_of(institution.institution_id),
                options=CrawlOptions(workers=self.workers, rendering=rendering),
                max_kept=max_kept,
                on_progress=on_progress,
            )

    def _fetcher(
        self, institution: Institution, politeness: Politeness, clock: Clock
    ) -> HttpFetcher:
        return HttpFetcher(
            guard=Guard(institution.allow_networks),
            politeness=politeness,
            clock=clock,
            user_agent=user_agent(self.contact),
            limits=FetchLimits(
                max_body_bytes=institution.budgets.max_body_bytes,
                max_redirects=institution.budgets.max_redirects,
            ),
        )

    async def _renderer(
        self,
        stack: AsyncExitStack,
        institution: Institution,
        robots: RobotsGate,
        clock: Clock,
    ) -> tuple[Renderer | None, str]:
        """The browser, and what the report says of it."""
        if institution.rendering.mode == "never":
            return None, "off"
        found = find_chromium(self.chromium)
        if found.path is None:
            return AbsentRenderer(found.detail), found.detail
        scope = Scope.of(institution)
        # What a page loads belongs to one visit: it is not spaced out as visits are.
        resources = Politeness(PolitenessLimits(delay_s=0, concurrency=_RESOURCES_AT_ONCE), clock)
        loader = await stack.enter_async_context(self._fetcher(institution, resources, clock))
        renderer = ChromiumRenderer(
            loader,
            executable=found.path,
            is_in_scope=lambda url: scope.decide(url) is None,
            check_robots=robots.decide,
            options=RenderOptions(
                timeout_s=institution.rendering.timeout_s,
                screenshots=institution.rendering.screenshots,
                user_agent=user_agent(self.contact),
            ),
        )
        return await stack.enter_async_context(renderer), "on"


def _run(mining: Coroutine[Any, Any, CrawlResult]) -> CrawlResult:
    """Mine to the end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(mining)
    with ThreadPoolExecutor(max_workers=1) as beside:
        return beside.submit(asyncio.run, mining).result()


def build_web_miner(settings: Settings, *, previous_of: PreviousOf = no_previous) -> WebMiner:
    """A miner as the settings say; without `previous_of` nothing is cached between crawls."""
    return WebMiner(
        journals=settings.journals,
        contact=settings.contact,
        chromium=settings.chromium,
        previous_of=previous_of,
        workers=max(1, min(_MAX_WORKERS, (os.cpu_count() or 2) - 1)),
    )


def _limits(institution: Institution) -> PolitenessLimits:
    politeness = institution.politeness
    return PolitenessLimits(delay_s=politeness.delay_ms / 1000, concurrency=politeness.concurrency)
