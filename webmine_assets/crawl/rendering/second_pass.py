"""The second pass: a page that needs scripts is rendered, read again and compared."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from webmine_assets.crawl.exchange import (
    FetchResponse,
    Refusal,
    RenderedPage,
    Renderer,
    RenderFailure,
)
from webmine_assets.crawl.outcome import Body
from webmine_assets.crawl.pages.links import MAX_LINKS
from webmine_assets.crawl.pages.page import LinkTuple, PageInput, ParsedPage
from webmine_assets.crawl.pages.page_signals import Signal
from webmine_assets.crawl.pages.parsers import Parser
from webmine_assets.crawl.rendering.planner import PagePlan
from webmine_assets.crawl.rendering.render_comparison import compare
from webmine_assets.crawl.rendering.render_policy import (
    Plan,
    PlanKind,
    RenderOutcome,
    render_reason,
)
from webmine_assets.records import Decision
from webmine_assets.urls import canonicalise

OVER_BUDGET = "over_budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read of a page in the end, and how it came about.

    `reason` is why a browser was asked for; `rendered` whether what it showed is what was read.
    """

    parsed: ParsedPage
    body: Body
    reason: str | None = None
    rendered: bool = False
    answer: RenderedPage | RenderFailure | None = None
    learned: RenderOutcome | None = None

    @property
    def failure(self) -> RenderFailure | None:
        return self.answer if isinstance(self.answer, RenderFailure) else None

    @property
    def is_attempt(self) -> bool:
        """Whether a browser opened the page, with whatever result."""
        return self.answer is not None and (self.failure is None or self.failure.is_attempt)

    @property
    def render_ms(self) -> int:
        return self.answer.elapsed_ms if self.answer else 0

    @property
    def log(self) -> tuple[str, ...]:
        """The requests that the page made in the browser and was refused."""
        return self.answer.blocked if self.answer else ()

    @property
    def moved_to(self) -> str | None:
        """Where the page led its visitor, as a redirect does."""
        return self._shown.moved_to if self._shown else None

    @property
    def document(self) -> FetchResponse | None:
        """The response that the page led its visitor to, without its body."""
        return self._shown.document if self._shown else None

    @property
    def _shown(self) -> RenderedPage | None:
        page = self.answer if isinstance(self.answer, RenderedPage) else None
        return page if self.rendered else None

    @property
    def render_clue(self) -> str:
        """What a browser made of a page that is refused for its text."""
        if self.answer is None:
            return ""
        if self.failure:
            return f"a browser gave nothing: {self.failure.reason}"
        shown = "as a browser showed it" if self.rendered else "a browser showed no more of it"
        is_late = isinstance(self.answer, RenderedPage) and self.answer.timed_out
        return f"{shown} within rendering.timeout_s" if is_late else shown

    @property
    def render_refusal(self) -> Refusal | None:
        """What the ledger says if the page has nothing to store without a browser.

        A page that was only worth a probe may as well be just a short one.
        """
        is_probe = self.reason in (Signal.NO_TEXT, Signal.SHORT_TEXT, Signal.LOW_TEXT_RATIO)
        return None if is_probe and self.parsed.text.strip() else self.failure_refusal

    @property
    def failure_refusal(self) -> Refusal | None:
        """Why no browser showed the page, if one was to."""
        if self.failure is None:
            return None
        detail = f"{self.failure.detail}; asked for by {self.reason}"
        return Refusal(
            decision=Decision.RENDER_ERROR, reason=self.failure.reason, detail=detail.lstrip("; ")
        )


async def render_if_needed(
    light: Reading,
    response: FetchResponse,
    *,
    plan: PagePlan,
    renderer: Renderer | None,
    parser: Parser,
    read_body: Callable[[], bytes],
) -> Reading:
    """The light reading, or the rendered one where the plan asks for it and it adds something."""
    signals = light.parsed.signals
    if renderer is None or signals is None:
        return light
    settled = plan.first
    reason = render_reason(settled, signals)
    if reason is not None:
        settled = await plan.settled()
        reason = render_reason(settled, signals)
    learned = RenderOutcome(plan=settled, signals=signals, reason=reason)
    light = replace(light, reason=reason, learned=learned)
    if reason is None:
        return light
    if settled.is_over_budget:
        return replace(light, answer=_over_budget(response.url))
    answer = await renderer.render(replace(response, body=read_body()))
    light = replace(light, answer=answer)
    if isinstance(answer, RenderFailure):
        return light
    parsed = await parser.parse(lambda: _page_input(answer, response))
    body = Body(place="render", url=response.requested_url)
    reading = _better(light, parsed, body, settled)
    # What the page led to and a browser does not show is a link, for the crawl to take itself.
    files = [(url, canonicalise(url), False) for url in answer.links_to]
    return replace(reading, parsed=_with_links(reading.parsed, files))


def _better(light: Reading, parsed: ParsedPage, body: Body, plan: Plan) -> Reading:
    """The reading to keep: a render that adds no text is a lesson about its host, and links."""
    gain = compare(
        light_text=light.parsed.text,
        rendered_text=parsed.text,
        light_links=[url for url, _, _ in light.parsed.links],
        rendered_links=[url for url, _, _ in parsed.links],
    )
    learned = replace(light.learned, added=gain.added) if light.learned else None
    light = replace(light, learned=learned)
    if not gain.added and plan.kind is not PlanKind.ALWAYS:
        return replace(light, parsed=_with_links(light.parsed, parsed.links))
    return replace(light, parsed=parsed, body=body, rendered=True)


def _with_links(page: ParsedPage, more: Iterable[LinkTuple]) -> ParsedPage:
    known = {url for url, _, _ in page.links}
    links = (*page.links, *(link for link in more if link[0] not in known))
    left_off = page.links_left_off + max(len(links) - MAX_LINKS, 0)
    return replace(page, links=links[:MAX_LINKS], links_left_off=left_off)


def _page_input(page: RenderedPage, response: FetchResponse) -> PageInput:
    shown = page.document or response
    # The browser gives characters; what the server said of its bytes no longer holds.
    headers = {**shown.headers, "content-type": "text/html; charset=utf-8"}
    return PageInput(
        url=page.url,
        body=page.html.encode("utf-8", "replace"),
        headers=headers,
        keeps_routes=True,
    )


def _over_budget(url: str) -> RenderFailure:
    detail = "rendering.max_pages is used up"
    return RenderFailure(url=url, reason=OVER_BUDGET, detail=detail, is_attempt=False)
