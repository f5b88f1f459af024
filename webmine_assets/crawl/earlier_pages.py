"""Pages of the last crawl that go on: fresh, confirmed, or kept where none can be asked for."""

from dataclasses import dataclass, replace
from datetime import datetime

from webmine_assets.crawl.cache import Previous, PreviousSnapshots
from webmine_assets.crawl.exchange import FetchResponse, Refusal
from webmine_assets.crawl.frontier import Item
from webmine_assets.crawl.outcome import Body, Cost, Outcome, Refused, Visited
from webmine_assets.crawl.pages.page import PageInput
from webmine_assets.crawl.pages.parsers import Parser
from webmine_assets.crawl.rules.judgement import Judge
from webmine_assets.crawl.rules.passing import is_passing
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.crawl.snapshot import kept_row
from webmine_assets.records import Decision, PageSnapshot

# A 304 speaks for one page: what redirected to it or spells its address is that page still, but a
# copy of its text, or a page that named it canonical, may say something else by now.
_CONFIRMED_WITH_IT = frozenset({"redirect", "normalised"})


@dataclass(slots=True, kw_only=True)
class EarlierPages:
    """The last partition under today's rules; nothing here asks the network."""

    previous: PreviousSnapshots
    started_at: datetime
    scope: Scope
    judge: Judge
    parser: Parser
    keeps_routes: bool

    def find(self, item: Item) -> Previous | None:
        """The row of the last partition, unless the scope has changed since."""
        previous = self.previous.find(item.key)
        if previous is None or self.scope.decide(previous.url) is not None:
            return None
        return previous

    async def keep(
        self, item: Item, previous: Previous, confirmed: FetchResponse | None, cost: Cost
    ) -> Outcome:
        """The row of the last partition goes on: within its time, or confirmed by the server."""
        full = self.previous.read(previous.url)
        page = self._stored_input(full)
        parsed = await self.parser.parse(lambda: page)
        row = kept_row(full, confirmed)
        refusal = self.judge.of_row(row)
        if refusal is not None:
            return Refused(refusal=refusal, at=row.fetched_at, parsed=parsed, cost=cost)
        aliases = {
            url: reason
            for url, reason in previous.aliases.items()
            if confirmed is None or reason in _CONFIRMED_WITH_IT
        }
        return Visited(
            row=row,
            body=Body(place="previous", url=previous.url),
            decision=Decision.NOT_MODIFIED if confirmed else Decision.FRESH,
            reason="304" if confirmed else "ttl",
            identities=(previous.url, item.key),
            passed={**aliases, item.key: aliases.get(item.key, "redirect")},
            parsed=parsed,
            cost=cost,
        )

    async def spare(self, item: Item, outcome: Outcome) -> Outcome:
        """The page of the last crawl in place of a failure that may have passed by the next."""
        if not isinstance(outcome, Refused):
            return outcome
        # Nor does it speak for stored pages that a new address led to: they are asked for later.
        passed = tuple(key for key in outcome.passed if not self._outlives(key, outcome.refusal))
        outcome = replace(outcome, passed=passed)
        previous = self.find(item)
        if previous is None or not self._outlives(item.key, outcome.refusal):
            return outcome
        if previous.url != item.key:
            return replace(outcome, led_to=previous)
        page = self._stored_input(self.previous.read(previous.url))
        return self.stay(item, replace(outcome, parsed=await self.parser.parse(lambda: page)))

    def _outlives(self, key: str, refusal: Refusal) -> bool:
        previous = self.previous.find(key)
        return previous is not None and is_passing(refusal, was_rendered=previous.rendered)

    def stay(self, item: Item, refused: Refused) -> Outcome:
        """The page of the last crawl, as it was, in place of a refusal that does not speak of it.

        Only links that were read (`refused.parsed`) are followed.
        """
        previous = self.find(item)
        if previous is None:
            return refused
        if previous.url != item.key:
            return replace(refused, led_to=previous)
        row = kept_row(self.previous.read(previous.url), None)
        refusal = self.judge.of_row(row)
        if refusal is not None:
            return replace(refused, refusal=refusal, passed=())
        reason, detail = refused.refusal.reason, refused.refusal.detail
        return Visited(
            row=row,
            body=Body(place="previous", url=previous.url),
            decision=Decision.KEPT,
            reason=reason,
            identities=(previous.url,),
            passed={},
            unasked=previous.aliases,
            parsed=refused.parsed,
            detail=f"{detail}; as of {row.fetched_at:%Y-%m-%d}".lstrip("; "),
            at=refused.at or self.started_at,
            cost=refused.cost,
            learned=refused.learned,
        )

    def _stored_input(self, row: PageSnapshot) -> PageInput:
        headers = row.headers
        if row.meta.rendered:
            # A rendered page is stored as the browser's UTF-8, whatever the server's header said.
            headers = {**headers, "content-type": f"{row.content_type}; charset={row.encoding}"}
        return PageInput(
            url=row.url,
            body=row.body,
            headers=headers,
            links_only=True,
            keeps_routes=self.keeps_routes,
        )
