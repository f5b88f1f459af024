"""The second pass: a page that needs scripts is rendered, read again and compared."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from webmine_assets.crawl.exchange import FetchResponse, Refusal, Renderer, RenderFailure
from webmine_assets.crawl.outcome import Body, Cost, Outcome
from webmine_assets.crawl.pages.page import PageInput, ParsedPage
from webmine_assets.crawl.pages.parsers import Parser
from webmine_assets.crawl.rendering.render_comparison import compare
from webmine_assets.crawl.rendering.render_policy import (
    HostState,
    Plan,
    PlanKind,
    RenderOutcome,
    learn,
    render_reason,
    take,
)
from webmine_assets.institutions import Rendering
from webmine_assets.records import Decision
from webmine_assets.urls import host_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a page in the end, and how it came about."""

    parsed: ParsedPage
    body: Body
    learned: RenderOutcome | None = None
    rendered: bool = False
    render_reason: str | None = None
    attempted: bool = False
    render_ms: int = 0
    refusal: Refusal | None = None


async def render_if_needed(
    light: Reading,
    response: FetchResponse,
    *,
    plan: Plan,
    renderer: Renderer | None,
    parser: Parser,
    read_body: Callable[[], bytes],
) -> Reading:
    """The light reading, or the rendered one where the plan asks for it and it adds something."""
    signals = light.parsed.signals
    if renderer is None or signals is None:
        return light
    reason = render_reason(plan, signals)
    if reason is None:
        return replace(light, learned=RenderOutcome(plan=plan, signals=signals))
    answer = await renderer.render(replace(response, body=read_body()))
    if isinstance(answer, RenderFailure):
        learned = RenderOutcome(plan=plan, signals=signals, reason=reason)
        return _failed(replace(light, learned=learned, attempted=True), answer)
    page = PageInput(
        url=answer.url,
        body=answer.html.encode("utf-8", "replace"),
        headers={**response.headers, "content-type": "text/html; charset=utf-8"},
        keeps_routes=True,
    )
    parsed = await parser.parse(lambda: page)
    gain = compare(
        light_text=light.parsed.text,
        rendered_text=parsed.text,
        light_links=[url for url, _, _ in light.parsed.links],
        rendered_links=[url for url, _, _ in parsed.links],
    )
    learned = RenderOutcome(plan=plan, signals=signals, reason=reason, added=gain.added)
    light = replace(light, learned=learned, attempted=True, render_ms=answer.elapsed_ms)
    if not gain.added and plan.kind is not PlanKind.ALWAYS:
        return light
    body = Body(place="render", url=response.requested_url)
    return replace(light, parsed=parsed, body=body, rendered=True, render_reason=reason)


def _failed(light: Reading, failure: RenderFailure) -> Reading:
    """A page with text of its own is kept as it was received; an empty one is a render error."""
    light = replace(light, render_ms=failure.elapsed_ms)
    if light.parsed.text.strip():
        return light
    refusal = Refusal(decision=Decision.RENDER_ERROR, reason=failure.reason, detail=failure.detail)
    return replace(light, refusal=refusal)


@dataclass(slots=True)
class RenderPlanner:
    """What each host has taught; asked when a URL is taken, told when it is committed."""

    rendering: Rendering
    _hosts: dict[str, HostState] = field(default_factory=dict)
    _under_way: Counter[str] = field(default_factory=Counter)
    _renders: int = 0

    def plan(self, url: str) -> Plan:
        host = host_of(url)
        spent = self._renders + self._under_way.total()
        taken = take(self._hosts.get(host, HostState()), self.rendering, renders_spent=spent)
        self._hosts[host] = taken.state
        if taken.plan.kind is not PlanKind.NEVER:
            self._under_way[host] += 1
        return taken.plan

    def learn(self, url: str, plan: Plan, outcome: Outcome) -> None:
        host = host_of(url)
        cost: Cost = outcome.cost
        if plan.kind is not PlanKind.NEVER:
            self._under_way[host] -= 1
        self._renders += cost.renders
        learned = getattr(outcome, "learned", None) or RenderOutcome(plan=plan, signals=None)
        self._hosts[host] = learn(self._hosts[host], learned)
