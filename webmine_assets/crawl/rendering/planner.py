"""What each host has taught about rendering, and who may use the budget, kept for one crawl.

A page whose plan is not settled when it is taken is fetched and read meanwhile. It waits where it
asks for a browser: until its host has proven to need one, until there is room in the budget, or
until all pages before it are known. All three happen at commits, so plans do not depend on latency.
"""

import asyncio
from dataclasses import dataclass, field, replace

from webmine_assets.crawl.outcome import Outcome
from webmine_assets.crawl.rendering.render_policy import (
    HostState,
    Plan,
    PlanKind,
    RenderOutcome,
    first_plan,
    learn,
    settled_plan,
)
from webmine_assets.institutions import Rendering
from webmine_assets.urls import host_of


@dataclass(slots=True, eq=False)
class PagePlan:
    """The plan of one page: `first` when its URL is taken, what `settled` gives when it counts."""

    host: str
    first: Plan
    is_sampled: bool = False
    final: Plan | None = None
    _is_settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def may_render(self) -> bool:
        """Whether the page could be rendered at all; over the budget it says that it should."""
        return self.first.kind is not PlanKind.NEVER

    async def settled(self) -> Plan:
        await self._is_settled.wait()
        assert self.final is not None  # noqa: S101  # set before the event
        return self.final

    def settle(self, plan: Plan) -> None:
        self.final = plan
        self._is_settled.set()


@dataclass(slots=True)
class RenderPlanner:
    """Asked when a URL is taken and when its turn has come, told when it is committed."""

    rendering: Rendering
    _hosts: dict[str, HostState] = field(default_factory=dict)
    _waiting: dict[PagePlan, None] = field(default_factory=dict)
    _holding: int = 0
    _renders: int = 0

    def take(self, url: str) -> PagePlan:
        """The plan of a page that is about to be visited."""
        host, state = host_of(url), self.state_of(url)
        self._hosts[host] = replace(state, taken=state.taken + 1)
        sampled = state.is_next_sampled
        plan = PagePlan(host, first_plan(state, self.rendering, is_sampled=sampled), sampled)
        self._waiting[plan] = None
        if not plan.may_render or self._is_decided(plan):
            self._settle(plan)
        return plan

    def state_of(self, url: str) -> HostState:
        """What is known of a URL's host."""
        return self._hosts.get(host_of(url), HostState())

    def settle(self, plan: PagePlan) -> None:
        """All pages before this one are committed: nothing more will be known."""
        if plan.final is None:
            self._settle(plan)

    def learn(self, plan: PagePlan, outcome: Outcome) -> None:
        """What a committed page has taught, and who need not wait any longer."""
        self.settle(plan)
        final = plan.final
        assert final is not None  # noqa: S101  # just settled
        self._holding -= final.may_render
        self._renders += outcome.cost.renders
        learned = getattr(outcome, "learned", None) or RenderOutcome(plan=final, signals=None)
        self._hosts[plan.host] = learn(self._hosts[plan.host], learned)
        for waiting in list(self._waiting):
            if self._is_decided(waiting):
                self._settle(waiting)

    def drop(self, plan: PagePlan) -> None:
        """The page is left off: what it held is free."""
        self._waiting.pop(plan, None)
        self._holding -= plan.final is not None and plan.final.may_render
        plan.settle(replace(plan.first, kind=PlanKind.NEVER))

    @property
    def _has_room(self) -> bool:
        """Renders so far and pages that may be rendered: `rendering.max_pages` holds exactly."""
        return self._renders + self._holding < self.rendering.max_pages

    def _is_decided(self, plan: PagePlan) -> bool:
        is_known = self.rendering.mode == "always" or self._hosts[plan.host].is_proven
        return is_known and self._has_room

    def _settle(self, plan: PagePlan) -> None:
        del self._waiting[plan]
        state = self._hosts[plan.host]
        final = settled_plan(state, self.rendering, is_sampled=plan.is_sampled)
        final = replace(final, is_over_budget=not self._has_room)
        self._holding += final.may_render
        plan.settle(final)
