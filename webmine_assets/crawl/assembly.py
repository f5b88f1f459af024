"""Putting the parts of one crawl together."""

from collections.abc import Callable
from dataclasses import dataclass

from webmine_assets.crawl.budget import Budget, budget_of
from webmine_assets.crawl.cache import PreviousSnapshots
from webmine_assets.crawl.commit import Committer, SpooledRow
from webmine_assets.crawl.discovery import Discovery
from webmine_assets.crawl.earlier_pages import EarlierPages
from webmine_assets.crawl.exchange import Fetcher, Renderer
from webmine_assets.crawl.frontier import Frontier
from webmine_assets.crawl.identity import Identities
from webmine_assets.crawl.ledger import Ledger
from webmine_assets.crawl.listing import ListingReader
from webmine_assets.crawl.network.fetcher import USER_AGENT_TOKEN
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets.crawl.pages.parsers import Parser
from webmine_assets.crawl.recovery.journal import Journal
from webmine_assets.crawl.recovery.replay import JournalledFetcher, JournalledRenderer
from webmine_assets.crawl.recovery.spool import Spool
from webmine_assets.crawl.rendering.planner import RenderPlanner
from webmine_assets.crawl.rules.judgement import Judge
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.crawl.rules.traps import TrapGuard
from webmine_assets.crawl.visit import Visitor
from webmine_assets.institutions import Institution


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The parts of one crawl, each knowing only what it uses."""

    institution: Institution
    frontier: Frontier
    ledger: Ledger
    identities: Identities
    discovery: Discovery
    budget: Budget
    rows: Spool[SpooledRow]
    committer: Committer
    planner: RenderPlanner
    earlier: EarlierPages
    visitor: Visitor
    listings: ListingReader

    def remove_spools(self) -> None:
        self.rows.remove()
        self.ledger.remove()


def robots_gate(
    institution: Institution,
    fetcher: Fetcher,
    journal: Journal,
    *,
    set_crawl_delay: Callable[[str, float], None] | None = None,
) -> RobotsGate:
    """The gate of one crawl, its browser's too, so that a robots.txt is asked for once.

    `set_crawl_delay` is told a host and the seconds that its robots.txt asks for.
    """
    return RobotsGate(
        JournalledFetcher(fetcher, journal, "robots").fetch,
        USER_AGENT_TOKEN,
        crawl_delay=set_crawl_delay if institution.politeness.respect_crawl_delay else None,
    )


def assemble(
    institution: Institution,
    *,
    fetcher: Fetcher,
    robots: RobotsGate,
    renderer: Renderer | None,
    previous: PreviousSnapshots,
    journal: Journal,
    parser: Parser,
    max_kept: int = 0,
) -> Assembly:
    scope = Scope.of(institution)
    frontier, identities = Frontier(), Identities()
    ledger = Ledger(institution.institution_id, journal.path.with_suffix(".ledger"))
    budget = budget_of(institution, max_kept=max_kept)
    discovery = Discovery(
        institution=institution,
        started_at=journal.header.started_at,
        scope=scope,
        traps=TrapGuard(),
        ledger=ledger,
        frontier=frontier,
        identities=identities,
        max_waiting=budget.max_waiting,
        max_discovered=budget.max_discovered,
    )
    # Beside the journal, whose lock keeps other crawls from them.
    rows: Spool[SpooledRow] = Spool(journal.path.with_suffix(".pages"))
    judge = Judge(institution)
    earlier = EarlierPages(
        previous=previous,
        started_at=journal.header.started_at,
        scope=scope,
        judge=judge,
        parser=parser,
        keeps_routes=renderer is not None,
    )
    visitor = Visitor(
        institution=institution,
        started_at=journal.header.started_at,
        scope=scope,
        robots=robots,
        pages=JournalledFetcher(fetcher, journal, "page"),
        parser=parser,
        renderer=JournalledRenderer(renderer, journal) if renderer else None,
        earlier=earlier,
        judge=judge,
    )
    return Assembly(
        institution=institution,
        frontier=frontier,
        ledger=ledger,
        identities=identities,
        discovery=discovery,
        budget=budget,
        rows=rows,
        committer=Committer(discovery, budget, rows),
        planner=RenderPlanner(institution.rendering),
        earlier=earlier,
        visitor=visitor,
        listings=ListingReader(
            scope=scope, robots=robots, sitemaps=JournalledFetcher(fetcher, journal, "sitemap")
        ),
    )
