"""One crawl: a sliding window of visits, committed strictly in frontier order.

A URL is taken from the frontier only at a commit, and the window's size is fixed, so the rows,
their order and the pages a budget picks do not depend on latency or on the number of connections.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from webmine_assets.crawl.assembly import Assembly, assemble, robots_gate
from webmine_assets.crawl.budget import Exhausted
from webmine_assets.crawl.cache import NoPrevious, PreviousSnapshots
from webmine_assets.crawl.discovery import Found
from webmine_assets.crawl.exchange import Fetcher, Refusal, Renderer
from webmine_assets.crawl.frontier import Item, ItemKind
from webmine_assets.crawl.network.clock import Clock
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets.crawl.outcome import Outcome, Refused
from webmine_assets.crawl.pages.page_signals import is_hash_route
from webmine_assets.crawl.pages.parsers import InlineParser, Parser, ParserPool
from webmine_assets.crawl.recovery.journal import Journal, Stop
from webmine_assets.crawl.rendering.planner import PagePlan
from webmine_assets.crawl.report import CrawlProgress, build_report, count, progress
from webmine_assets.crawl.result import CrawlResult
from webmine_assets.crawl.snapshot import key_of
from webmine_assets.crawl.window import WINDOW, UnderWay, Window
from webmine_assets.institutions import Institution
from webmine_assets.urls import origin_of, resolve

OnProgress = Callable[[CrawlProgress], None]
# What a kill may make a time budget forget.
_NOTE_TIME_EVERY_S = 1.0


def ignore_progress(_: CrawlProgress) -> None:
    """For who does not watch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """How a crawl runs; nothing here changes its rows.

    `workers` processes read pages (0: in this one). `rendering` is what the report says about the
    browser.
    """

    workers: int = 1
    parse_timeout_s: float = 60.0
    rendering: str = "off"
    window: int = WINDOW


async def crawl(
    institution: Institution,
    *,
    fetcher: Fetcher,
    journal: Journal,
    clock: Clock,
    robots: RobotsGate | None = None,
    renderer: Renderer | None = None,
    previous: PreviousSnapshots | None = None,
    options: CrawlOptions | None = None,
    max_kept: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> CrawlResult:
    """Crawl one institution to its end or its budgets; the caller publishes and calls `finish`.

    With `max_kept` pages of the last crawl beyond `max_pages` stay, so many in all.
    Cancelling it leaves the journal, and the same call goes on from there.
    """
    options = options or CrawlOptions()
    async with AsyncExitStack() as stack:
        parser = await _open_parser(stack, options)
        parts = assemble(
            institution,
            fetcher=fetcher,
            robots=robots or robots_gate(institution, fetcher, journal),
            renderer=renderer if institution.rendering.mode != "never" else None,
            previous=previous or NoPrevious(),
            journal=journal,
            parser=parser,
            max_kept=max_kept,
        )
        window = await stack.enter_async_context(Window(options.window))
        run = _Run(parts, window, journal, clock, on_progress)
        try:
            stopped_by = await run.to_the_end()
        except BaseException:
            parts.remove_spools()
            raise
        return run.result(stopped_by, options.rendering)


async def _open_parser(stack: AsyncExitStack, options: CrawlOptions) -> Parser:
    if options.workers == 0:
        return InlineParser()
    pool = ParserPool(options.workers, timeout_s=options.parse_timeout_s)
    return await stack.enter_async_context(pool)


@dataclass(slots=True)
class _Run:
    """The loop: fill the window, take its first outcome, commit it."""

    parts: Assembly
    window: Window
    journal: Journal
    clock: Clock
    on_progress: OnProgress
    commits: int = 0
    late: list[Item] = field(default_factory=list)
    late_plans: list[PagePlan] = field(default_factory=list)
    started: float = field(init=False)
    spent_before_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock.now()
        self.spent_before_s = self.journal.spent_s

    async def to_the_end(self) -> str:
        """Crawl; which budget ended it, or `finished`."""
        self._seed()
        exhausted = await self._drain()
        if exhausted is None:
            self._recall_previous()
            exhausted = await self._drain()
        await self._settle_rest(exhausted)
        return exhausted.reason if exhausted else "finished"

    async def _drain(self) -> Exhausted | None:
        """Until nothing waits and nothing is under way, or a budget is used up."""
        while True:
            exhausted = self.parts.budget.exhausted()
            if exhausted is not None:
                return exhausted
            self._fill()
            if self._is_stopped:
                return await self._wind_up()
            if not self.window:
                return None
            finished = await self._finish_first(self._remaining_s())
            if finished is None:
                late = frozenset(item.mark for item in self.window.unended)
                self.journal.append_stop(Stop(self.commits, late))
            else:
                await self._commit(*finished)

    async def _wind_up(self) -> Exhausted:
        """The time is up: what was received behind a slow page still counts, in its order."""
        # Before anything else is decided, as a replay knows of no later moment to do so.
        under_way = [visit.plan for visit in self.window if self._is_late(visit.item)]
        for plan in filter(None, (*self.late_plans, *under_way)):
            self.parts.planner.drop(plan)
        while self.window:
            if self._is_late(self.window.first.item):
                self.late.append(await self.window.drop_first())
            elif finished := await self._finish_first(None):
                await self._commit(*finished)
        return self.parts.budget.out_of_time()

    async def _finish_first(self, timeout_s: float | None) -> tuple[UnderWay, Outcome] | None:
        if plan := self.window.first.plan:
            self.parts.planner.settle(plan)
        return await self.window.finish_first(timeout_s)

    def _fill(self) -> None:
        frontier, ledger = self.parts.frontier, self.parts.ledger
        while self._has_room():
            item = frontier.pop()
            if item is None:
                return
            if item.kind is not ItemKind.PAGE or not ledger.is_settled(item.key):
                self._start(item)

    def _has_room(self) -> bool:
        # In a replay, visits that had not ended when the clock did still take up their places.
        late_pages = sum(item.kind is ItemKind.PAGE for item in self.late)
        if len(self.window) + len(self.late) >= self.window.size:
            return False
        return self.parts.budget.can_take(self.window.pages + late_pages)

    @property
    def _is_stopped(self) -> bool:
        """Whether the clock has ended the crawl, now or at this point of the one replayed."""
        stop = self.journal.stop
        return stop is not None and self.commits >= stop.commits

    def _is_late(self, item: Item) -> bool:
        return self.journal.stop is not None and item.mark in self.journal.stop.late

    def _start(self, item: Item) -> None:
        plan = self.parts.planner.take(item.url) if item.kind is ItemKind.PAGE else None
        if self._is_late(item):
            self.late.append(item)
            self.late_plans += [plan] if plan else []
        elif plan is not None:
            self.window.start(item, plan, self.parts.visitor.visit(item, plan))
        else:
            self.window.start(item, None, self.parts.listings.visit(item))

    async def _commit(self, visit: UnderWay, outcome: Outcome) -> None:
        if visit.plan is not None:
            self.parts.planner.learn(visit.plan, outcome)
        await self.parts.committer.commit(visit.item, outcome)
        self.commits += 1
        self._note_time()
        self.on_progress(self._progress(visit.item.url))

    def _seed(self) -> None:
        """Seeds first, then what feeds named, then the sitemaps of the seeds' origins."""
        discovery, institution = self.parts.discovery, self.parts.institution
        configured = [(url, "crawl") for url in institution.seed_urls]
        urls = [(_plain(url), source) for url, source in (*configured, *self.journal.header.seeds)]
        for url, source in urls:
            found = Found(url, key_of(url))
            discovery.add(found, depth=0, discovered_from=None, source=source)
        for origin in dict.fromkeys(origin_of(_plain(url)) for url in institution.seed_urls):
            discovery.add_listing(f"{origin}/robots.txt", ItemKind.ROBOTS, discovered_from=None)

    def _recall_previous(self) -> None:
        """Pages of the last crawl that nothing links any more: they are gone, moved or orphans."""
        previous = self.parts.earlier.previous
        for url in previous.urls():
            if not self.parts.ledger.is_known(url) and (row := previous.find(url)):
                found = Found(row.requested_url, url)
                self.parts.discovery.add(found, depth=row.depth, discovered_from=None)

    async def _settle_rest(self, exhausted: Exhausted | None) -> None:
        """What was left says which budget left it; of it, pages of the last crawl stay."""
        items = [*self.late, *await self.window.cancel(), *self._waiting()]
        if exhausted is not None:
            self._recall_previous()
            await self._leave([*items, *self._waiting()], exhausted)
        self.parts.committer.settle_held()
        self.parts.discovery.settle_nofollow()
        self.parts.committer.settle_variants()

    def _waiting(self) -> list[Item]:
        items = []
        while item := self.parts.frontier.pop():
            items.append(item)
        return items

    async def _leave(self, items: list[Item], exhausted: Exhausted) -> None:
        refusal = Refusal(
            decision=exhausted.decision, reason=exhausted.reason, detail=exhausted.detail
        )
        outcome: Outcome
        for item in items:
            if item.kind is ItemKind.PAGE and not self.parts.ledger.is_settled(item.key):
                outcome = Refused(refusal=refusal, at=None)
                if self.parts.budget.has_place:
                    outcome = self.parts.earlier.stay(item, outcome)
                await self.parts.committer.commit(item, outcome)

    def _remaining_s(self) -> float | None:
        """Seconds to wait for the next outcome; a replay goes on to where the clock ended it."""
        if self.journal.stop is not None:
            return None
        return self.parts.budget.remaining_s(self._spent_s())

    def _spent_s(self) -> float:
        return self.spent_before_s + self.clock.now() - self.started

    def _note_time(self) -> None:
        spent_s = self._spent_s()
        if spent_s - self.journal.spent_s >= _NOTE_TIME_EVERY_S:
            self.journal.append_spent(spent_s)

    def _progress(self, url: str) -> CrawlProgress:
        budget = self.parts.budget
        return progress(
            pages=budget.pages,
            max_pages=budget.max_pages,
            queued=len(self.parts.frontier) + len(self.window),
            fetched=budget.requests,
            elapsed_s=self._spent_s(),
            current_url=url,
        )

    def result(self, stopped_by: str, rendering: str) -> CrawlResult:
        parts, ledger = self.parts, self.parts.ledger
        parts.committer.tally.links_left_off += parts.discovery.left_off
        counters = count(
            parts.committer.tally,
            ledger.decisions,
            ledger.reasons,
            queued=parts.discovery.queued,
            depth_max_seen=parts.discovery.depth_max_seen,
            spent_s=self._spent_s(),
        )
        report = build_report(
            parts.institution,
            counters,
            parts.committer.tally,
            decisions=ledger.decisions,
            reasons=ledger.reasons,
            started_at=self.journal.header.started_at,
            finished_at=self.clock.utcnow(),
            stopped_by=stopped_by,
            rendering=rendering,
        )
        return CrawlResult(
            report=report,
            page_count=len(parts.rows),
            ledger_count=len(ledger),
            _rows=parts.rows,
            _ledger=ledger,
            _journal=self.journal,
            _previous=parts.earlier.previous,
            _identities=parts.identities,
        )


def _plain(url: str) -> str:
    """A configured URL as links are: absolute and without a fragment."""
    return resolve(url, url, keep_fragment=is_hash_route(url)) or url
