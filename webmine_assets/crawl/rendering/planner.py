"""What each host has taught about rendering, kept for one crawl."""

from collections import Counter
from dataclasses import dataclass, field

from webmine_assets.crawl.outcome import Outcome
from webmine_assets.crawl.rendering.render_policy import (
    HostState,
    Plan,
    RenderOutcome,
    learn,
    take,
)
from webmine_assets.institutions import Rendering
from webmine_assets.urls import host_of


@dataclass(slots=True)
class RenderPlanner:
    """Asked when a URL is taken, told when it is committed: both in frontier order."""

    rendering: Rendering
    _hosts: dict[str, HostState] = field(default_factory=dict)
    _under_way: Counter[str] = field(default_factory=Counter)
    _renders: int = 0

    def plan(self, url: str) -> Plan:
        host = host_of(url)
        spent = self._renders + self._under_way.total()
        taken = take(self._hosts.get(host, HostState()), self.rendering, renders_spent=spent)
        self._hosts[host] = taken.state
        self._under_way[host] += taken.plan.may_render
        return taken.plan

    def learn(self, url: str, plan: Plan, outcome: Outcome) -> None:
        host = host_of(url)
        self._under_way[host] -= plan.may_render
        self._renders += outcome.cost.renders
        learned = getattr(outcome, "learned", None) or RenderOutcome(plan=plan, signals=None)
        self._hosts[host] = learn(self._hosts[host], learned)
