"""Turning outcomes into rows: identity, ledger, links and counters, strictly in frontier order."""

from dataclasses import dataclass, field, replace
from datetime import datetime

from webmine_assets.crawl.budget import Budget
from webmine_assets.crawl.cache import Previous
from webmine_assets.crawl.discovery import Discovery, Found
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.frontier import Item, ItemKind
from webmine_assets.crawl.outcome import Body, Listed, Outcome, Refused, Visited
from webmine_assets.crawl.recovery.spool import Spool
from webmine_assets.crawl.report import Tally
from webmine_assets.records import Decision, PageSnapshot, page_id
from webmine_assets.urls import canonicalise

SpooledRow = tuple[PageSnapshot, Body]


@dataclass(slots=True)
class Committer:
    """Owns what only a commit may change."""

    discovery: Discovery
    budget: Budget
    rows: Spool[SpooledRow]
    tally: Tally = field(default_factory=Tally)
    _held: list[tuple[str, Refusal, datetime | None]] = field(default_factory=list)
    _unasked: list[tuple[Item, str, dict[str, str], bool, datetime]] = field(default_factory=list)

    async def commit(self, item: Item, outcome: Outcome) -> None:
        self._spend(outcome)
        if isinstance(outcome, Listed):
            self._commit_listing(item, outcome)
        elif self.discovery.ledger.is_settled(item.key):
            # Another URL led to this page while it was under way: that one was first.
            self.tally.repeated += 1
        elif isinstance(outcome, Refused):
            await self._commit_refusal(item, outcome)
        else:
            await self._commit_page(item, outcome)

    def _spend(self, outcome: Outcome) -> None:
        cost = outcome.cost
        self.budget.requests += cost.requests
        self.budget.bytes += cost.wire_bytes
        self.tally.add_cost(cost)

    def _commit_listing(self, item: Item, listed: Listed) -> None:
        for url in listed.sitemaps:
            self.discovery.add_listing(url, ItemKind.SITEMAP, discovered_from=item.url)
        for url, lastmod in listed.pages.items():
            found = Found(url, canonicalise(url))
            self.discovery.add(found, depth=1, discovered_from=item.url, source="sitemap")
            if lastmod is not None:
                self.discovery.identities.note_lastmod(found.key, lastmod)
        if listed.problem is not None:
            self.discovery.settle_listing(item, listed.problem)

    async def _commit_refusal(self, item: Item, outcome: Refused) -> None:
        if outcome.led_to is not None:
            self._hold(item, outcome, outcome.led_to)
        else:
            self._refuse(item, outcome)
        if outcome.parsed is not None:
            await self._follow(item, item.key, outcome)

    def _refuse(self, item: Item, outcome: Refused) -> None:
        for key in dict.fromkeys((item.key, *outcome.passed)):
            self._discover_passed(key, item)
            if not self.discovery.ledger.is_settled(key):
                self.discovery.settle(key, outcome.refusal, outcome.at)

    def _hold(self, item: Item, outcome: Refused, page: Previous) -> None:
        """An alias that failed is none yet, and none no more, until its page was asked for."""
        self._held.append((item.key, outcome.refusal, outcome.at))
        if not self.discovery.ledger.is_known(page.url):
            found = Found(page.address, page.url)
            self.discovery.add(found, depth=item.depth, discovered_from=item.discovered_from)

    def settle_held(self) -> None:
        """When nothing is asked for any more: aliases of kept pages hold unless seen otherwise."""
        for unasked in self._unasked:
            self._settle_aliases(*unasked)
        for key, refusal, at in self._held:
            if not self.discovery.ledger.is_settled(key):
                self.discovery.settle(key, refusal, at)

    async def _commit_page(self, item: Item, outcome: Visited) -> None:
        ledger, identities = self.discovery.ledger, self.discovery.identities
        row = outcome.row
        url = next(
            (u for u in outcome.identities if u in identities or not ledger.is_settled(u)), item.key
        )
        owner = identities.owner(url, row.checksum, has_text=bool(row.text))
        if owner is None:
            self._store(item, outcome, url)
            owner = url
        else:
            self.tally.deduped += 1
        at = outcome.at or row.fetched_at
        is_copy = owner != url
        passed = {url: "checksum", **outcome.passed} if is_copy else outcome.passed
        self._settle_aliases(item, owner, passed, is_copy, at)
        if outcome.unasked:
            self._unasked.append((item, owner, outcome.unasked, is_copy, at))
        await self._follow(item, owner, outcome)

    def _store(self, item: Item, outcome: Visited, url: str) -> None:
        self._discover_passed(url, item)
        row = replace(outcome.row, url=url, page_id=page_id(outcome.row.institution, url))
        self.discovery.identities.store(url, row.checksum, requested_url=row.requested_url)
        self.discovery.ledger.settle(
            url,
            outcome.decision,
            outcome.reason,
            detail=row.checksum if outcome.detail is None else outcome.detail,
            at=outcome.at or row.fetched_at,
        )
        self.rows.append((row, outcome.body))
        self.budget.pages += 1
        self.tally.add_page(row)

    def _settle_aliases(
        self, item: Item, owner: str, passed: dict[str, str], is_copy: bool, at: datetime
    ) -> None:
        """Every URL on the way is an alias, with the reason why it led here."""
        ledger, identities = self.discovery.ledger, self.discovery.identities
        for key, reason in passed.items():
            self._discover_passed(key, item)
            if key == owner or ledger.is_settled(key):
                continue
            reason = "checksum" if is_copy else reason
            ledger.settle(key, Decision.ALIAS, reason, detail=owner, at=at)
            identities.add_alias(owner, key, reason)

    def settle_variants(self) -> None:
        """At the end: other spellings of stored pages are aliases of them."""
        ledger, identities = self.discovery.ledger, self.discovery.identities
        for key, spelling, (depth, seen_on) in identities.variants():
            if ledger.discover(spelling, depth=depth, discovered_from=seen_on):
                ledger.settle(
                    spelling,
                    Decision.ALIAS,
                    "normalised",
                    detail=key,
                    at=self.discovery.started_at,
                )
                identities.add_alias(key, spelling, "normalised")

    def _discover_passed(self, key: str, item: Item) -> None:
        self.discovery.ledger.discover(key, depth=item.depth, discovered_from=item.key)

    async def _follow(self, item: Item, source_url: str, outcome: Visited | Refused) -> None:
        if outcome.parsed is None:
            return
        self.tally.links_left_off += outcome.parsed.links_left_off
        found = (Found(url, key, nofollow) for url, key, nofollow in outcome.parsed.links)
        await self.discovery.add_links(found, depth=item.depth + 1, source_url=source_url)
