"""Visiting one URL: cache, robots, fetch, read, render. Gives an outcome, changes nothing shared.

Visits run side by side; what they see depends on the URL alone, so their order does not matter.
"""

import traceback
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from webmine_assets.crawl.cache import Previous, Request, choose_request
from webmine_assets.crawl.earlier_pages import EarlierPages
from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
    Renderer,
)
from webmine_assets.crawl.frontier import Item
from webmine_assets.crawl.identity import is_credible_canonical
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets.crawl.outcome import Body, Cost, Outcome, Refused, Visited
from webmine_assets.crawl.pages.page import PageInput, ParsedPage
from webmine_assets.crawl.pages.page_signals import is_shell_status
from webmine_assets.crawl.pages.parsers import Parser
from webmine_assets.crawl.recovery.replay import JournalledFetcher
from webmine_assets.crawl.rendering.planner import PagePlan
from webmine_assets.crawl.rendering.second_pass import Reading, render_if_needed
from webmine_assets.crawl.rules.judgement import Judge
from webmine_assets.crawl.rules.policy import Kind, kind_of
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.crawl.snapshot import build_row, key_of, keys_passed
from webmine_assets.errors import WebmineError
from webmine_assets.institutions import Institution
from webmine_assets.records import Decision, PageSnapshot

LARGE_BODY_BYTES = 500_000
"""Larger ones wait in the journal, not in memory: 64 pages of 10 MB would be too much."""

_SHOWN_LOG = 3

_TOO_MUCH = frozenset(
    {
        FetchReason.BODY_SIZE,
        FetchReason.EXPANSION,
        FetchReason.HEADER_SIZE,
        FetchReason.REDIRECTS,
        FetchReason.REDIRECT_LOOP,
    }
)


@dataclass(slots=True, kw_only=True)
class Visitor:
    """What visits need; none of it is changed by a visit but the journal."""

    institution: Institution
    started_at: datetime
    scope: Scope
    robots: RobotsGate
    pages: JournalledFetcher
    parser: Parser
    renderer: Renderer | None
    earlier: EarlierPages
    judge: Judge

    async def visit(self, item: Item, plan: PagePlan) -> Outcome:
        """What came of one URL; a fault of ours costs that URL only, and its row says so."""
        outcome = await _whatever_comes(self._visit(item, plan))
        return await _whatever_comes(self.earlier.spare(item, outcome))

    async def _visit(self, item: Item, plan: PagePlan) -> Outcome:
        previous = self.earlier.find(item)
        request = choose_request(
            item.key,
            previous,
            started_at=self.started_at,
            ttl_days=self.institution.ttl_days,
        )
        if previous is not None and request is Request.NOTHING:
            return await self.earlier.keep(item, previous, None, Cost())
        refusal = await self.robots.decide(item.url)
        if refusal is not None:
            return Refused(refusal=refusal, at=None)
        is_conditional = request is Request.CONDITIONAL
        replayed = self.pages.has(_document(item.url), is_conditional=is_conditional)
        answer = await self._fetch(item, previous if is_conditional else None)
        cost = Cost(requests=1, replayed=int(replayed))
        if isinstance(answer, FetchFailure):
            return self._failed(item, answer, cost)
        cost = replace(cost, wire_bytes=answer.wire_bytes)
        if answer.status == 304 and previous is not None and is_conditional:
            return await self.earlier.keep(item, previous, answer, cost)
        refusal = self.judge.of_response(answer, was_known=previous is not None)
        if refusal is not None and not self._may_be_application(answer, plan):
            passed = keys_passed(answer)
            return Refused(refusal=refusal, at=answer.fetched_at, passed=passed, cost=cost)
        # Reassigned, so that no frame holds a large body while the visit waits for its turn.
        answer = _without_large_body(_routed(answer, item.url))
        return await self._read(item, answer, previous, plan=plan, cost=cost, unrendered=refusal)

    async def _fetch(self, item: Item, known: Previous | None) -> FetchResponse | FetchFailure:
        return await self.pages.fetch(
            FetchRequest(
                url=_document(item.url),
                etag=known.etag if known else None,
                last_modified=known.last_modified if known else None,
                max_body_bytes=self.judge.max_fetch_bytes,
                max_redirects=self.institution.budgets.max_redirects,
                check_hop=self._check_hop,
            )
        )

    async def _check_hop(self, url: str) -> Refusal | None:
        """A redirect may not lead where a link may not."""
        refusal = self.scope.decide(url) or await self.robots.decide(url)
        if refusal is None:
            return None
        return replace(refusal, detail=f"redirect to {url}: {refusal.detail}".rstrip(": "))

    def _failed(self, item: Item, failure: FetchFailure, cost: Cost) -> Refused:
        refusal = failure.refusal
        if refusal is None:
            decision = (
                Decision.CONTENT_POLICY if failure.reason in _TOO_MUCH else Decision.FETCH_ERROR
            )
            refusal = Refusal(decision=decision, reason=failure.reason, detail=failure.detail)
        passed = tuple(dict.fromkeys(key_of(url) for url in failure.redirects))
        return Refused(refusal=refusal, at=failure.fetched_at, passed=passed, cost=cost)

    async def _read(
        self,
        item: Item,
        response: FetchResponse,
        previous: Previous | None,
        *,
        plan: PagePlan,
        cost: Cost,
        unrendered: Refusal | None,
    ) -> Outcome:
        """Read the page, in a browser if need be; `unrendered` refuses what needed none."""
        parsed = await self.parser.parse(lambda: self._page_input(response, plan))
        light = Reading(parsed=parsed, body=Body(place=self.pages.kind, url=_document(item.url)))
        reading = await render_if_needed(
            light,
            response,
            plan=plan,
            renderer=self.renderer,
            parser=self.parser,
            read_body=partial(self._body, response),
        )
        cost = replace(
            cost,
            renders=int(reading.is_attempt),
            renders_failed=int(reading.failure is not None),
            render_ms=reading.render_ms,
        )
        response = _moved(response, reading)
        is_error = unrendered is not None and not (reading.rendered and not reading.parsed.refusal)
        refusal = _or_unknown(unrendered, reading) if is_error else self._refusal_of(reading)
        if previous is not None and previous.rendered and reading.parsed.refusal is None:
            # What a browser showed then is more than what the server sends without one.
            refusal = reading.failure_refusal or refusal
        if refusal is not None:
            return Refused(
                refusal=_with_log(refusal, reading.log),
                at=response.fetched_at,
                passed=keys_passed(response),
                parsed=None if is_error else reading.parsed,
                cost=cost,
                learned=reading.learned,
            )
        return await self._page(item, response, reading, previous=previous, cost=cost)

    def _refusal_of(self, reading: Reading) -> Refusal | None:
        """A page that is refused for its text alone may only have lacked a browser."""
        parsed = reading.parsed
        refusal = self.judge.of_page(parsed)
        if parsed.refusal is not None or (refusal is None and parsed.text.strip()):
            return refusal
        return reading.render_refusal or _with_clue(refusal, reading.render_clue)

    def _may_be_application(self, response: FetchResponse, plan: PagePlan) -> bool:
        """Whether an error's body may be the shell of an application that knows the page.

        Over the budget too, and without a browser: such a page says that it lacked one.
        """
        is_shell = is_shell_status(response.status) and _is_html(response)
        return is_shell and self._is_for_browsers(plan)

    async def _page(
        self,
        item: Item,
        response: FetchResponse,
        reading: Reading,
        *,
        previous: Previous | None,
        cost: Cost,
    ) -> Visited:
        identities = await self._identities(response, reading.parsed)
        final = key_of(response.url)
        row = build_row(item, response, reading, institution=self.institution, previous=previous)
        passed = dict.fromkeys(keys_passed(response), "redirect")
        passed[final] = "canonical" if identities[0] != final else "redirect"
        passed.setdefault(item.key, "redirect")
        return Visited(
            row=row,
            body=reading.body,
            decision=Decision.STORED,
            reason=_reason(row, previous),
            identities=(*identities, item.key),
            passed=passed,
            parsed=reading.parsed,
            cost=cost,
            learned=reading.learned,
        )

    async def _identities(self, response: FetchResponse, parsed: ParsedPage) -> tuple[str, ...]:
        """The canonical link if it may be fetched itself, then the final URL."""
        final = key_of(response.url)
        canonical = parsed.canonical
        if canonical is None or canonical == final or not is_credible_canonical(canonical, final):
            return (final,)
        if self.scope.decide(canonical) or await self.robots.decide(canonical):
            return (final,)
        return (canonical, final)

    def _page_input(self, response: FetchResponse, plan: PagePlan) -> PageInput:
        return PageInput(
            url=response.url,
            body=self._body(response),
            headers=response.headers,
            status=response.status,
            wants_signals=self._is_for_browsers(plan),
            keeps_routes=self.renderer is not None,
        )

    def _is_for_browsers(self, plan: PagePlan) -> bool:
        return self.renderer is not None and plan.may_render

    def _body(self, response: FetchResponse) -> bytes:
        """The body at hand, or the journal's if it was put down."""
        if not response.is_body_aside:
            return response.body
        return self.pages.journal.read_body(self.pages.kind, _document(response.requested_url))


async def _whatever_comes(visit: Awaitable[Outcome]) -> Outcome:
    """The outcome, or that a fault of ours prevented it."""
    try:
        return await visit
    except WebmineError:
        # A journal that cannot be written would cost all pages that follow: stop, go on later.
        raise
    except Exception:  # noqa: BLE001 - one bad page must not end a crawl
        detail = traceback.format_exc(limit=-4)[-1500:]
        refusal = Refusal(decision=Decision.FETCH_ERROR, reason="internal", detail=detail)
        return Refused(refusal=refusal, at=None)


def _reason(row: PageSnapshot, previous: Previous | None) -> str:
    """Why a fetched page is stored: text that is the same as before did not change."""
    if previous is None:
        return "new"
    return "unchanged" if row.checksum == previous.checksum else "changed"


def _routed(response: FetchResponse, asked_url: str) -> FetchResponse:
    """The response as that of the URL in the frontier, whose fragment the server never saw."""
    _, mark, fragment = asked_url.partition("#")
    url = f"{response.url}{mark}{fragment}"
    return replace(response, requested_url=asked_url, url=url)


def _moved(response: FetchResponse, reading: Reading) -> FetchResponse:
    """The response of the page its scripts led to: a redirect like any other."""
    if reading.moved_to is None:
        return response
    passed = (*response.redirects, response.url)
    # The journal of an earlier version has no document: the page's own response stands for it.
    document = reading.document or replace(response, redirects=())
    return replace(
        document,
        requested_url=response.requested_url,
        url=reading.moved_to,
        redirects=(*passed, *document.redirects),
    )


def _or_unknown(error: Refusal | None, reading: Reading) -> Refusal | None:
    """The server's error; or why no browser could ask the application whether it is one."""
    unknown = reading.render_refusal
    if error is None or unknown is None:
        return error
    return replace(unknown, detail=f"{error.detail}; {unknown.detail}")


def _is_html(response: FetchResponse) -> bool:
    return kind_of(response.headers.get("content-type"), response.body) is Kind.HTML


def _with_clue(refusal: Refusal | None, clue: str) -> Refusal | None:
    return replace(refusal, detail=f"{refusal.detail}; {clue}") if refusal and clue else refusal


def _with_log(refusal: Refusal, log: tuple[str, ...]) -> Refusal:
    """The refusal with what the page was refused in the browser, which may be its cause."""
    if not log:
        return refusal
    more = f" and {len(log) - _SHOWN_LOG} more" if len(log) > _SHOWN_LOG else ""
    shown = ", ".join(log[:_SHOWN_LOG])
    return replace(refusal, detail=f"{refusal.detail}; refused in the browser: {shown}{more}")


def _without_large_body(response: FetchResponse) -> FetchResponse:
    if len(response.body) <= LARGE_BODY_BYTES:
        return response
    return replace(response, body=b"", is_body_aside=True)


def _document(url: str) -> str:
    """What is asked of the server: a fragment names a place, or a view that scripts make."""
    return url.partition("#")[0]
