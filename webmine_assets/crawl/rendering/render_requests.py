"""Answers every request of one rendered page through the guarded fetcher, or refuses it.

The browser never reaches the network: what is not fulfilled here is aborted and logged.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request, Route

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchRequest,
    FetchResponse,
    HopCheck,
    Refusal,
    RenderedPage,
    follow_any,
)
from webmine_assets.crawl.rendering.in_page import LEFT_PATH
from webmine_assets.crawl.rendering.subresources import SubresourceCache
from webmine_assets.crawl.rules.policy import Kind, kind_of

_REFUSED_TYPES = frozenset(
    {"image", "font", "media", "texttrack", "eventsource", "websocket", "manifest", "ping"}
)
_MAX_LOGGED = 100
_MAX_LOGGED_URL_CHARS = 300
# Said by the connection, by the coding we removed, or asking the browser to do more than show.
_DROPPED_RESPONSE_HEADERS = re.compile(
    r"content-(encoding|length|disposition)|transfer-encoding|connection|keep-alive|trailer|te"
    r"|upgrade|set-cookie|strict-transport-security|alt-svc|report-to|reporting-endpoints|nel|link",
    re.IGNORECASE,
)
# Statements that only modules have, where a statement begins. Words of a text may stand there too,
# but seldom in a script that was redirected, and only those are looked at.
_MODULE_STATEMENT = re.compile(
    rb"""(?:^|[;}]|\*/)[ \t]*(?:import\s*["'{*]|import\s+[\w$]+\s*(?:,|from\b)|export\s*[{*]"""
    rb"""|export\s+(?:default|const|let|var|function|class|async)\b)""",
    re.MULTILINE,
)
_KEPT_REQUEST_HEADERS = frozenset({"accept", "authorization", "origin", "range"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """How much one page may ask for."""

    max_requests: int = 200
    max_documents: int = 12
    max_resource_bytes: int = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What all pages of a crawl share: the cache before the fetcher, and who may be a document.

    `check_robots` is asked for every request that is in scope.
    """

    resources: SubresourceCache
    is_in_scope: Callable[[str], bool]
    check_robots: HopCheck = follow_any
    limits: RequestLimits
    with_styles: bool = False


class PageRequests:
    """The requests of one page; its own document is the response it was made from."""

    def __init__(self, door: Door, response: FetchResponse) -> None:
        self._door = door
        self._own_url = _bare(response.url)
        self._shown_url = ""
        self._documents: dict[str, FetchResponse] = {self._own_url: response}
        self._document_requests = 0
        self._max_documents = door.limits.max_documents
        self._log: dict[str, None] = {}
        self._links: set[str] = set()
        self.under_way = 0
        self.fetched = 0

    @property
    def blocked(self) -> tuple[str, ...]:
        return tuple(self._log)

    @property
    def is_shown(self) -> bool:
        """Whether the browser was given a document of this page at all."""
        return bool(self._shown_url)

    def moved_to(self, location: str) -> str | None:
        """The document that took the place of the page's own, if one did.

        A script that leaves its own address in the address bar (`location`) only took a detour.
        """
        bare = _bare(location)
        if not self._shown_url or self._own_url in (self._shown_url, bare):
            return None
        return location if bare == self._shown_url else self._shown_url

    def completed(self, page: RenderedPage) -> RenderedPage:
        """The page with what only its requests tell of it."""
        document = self._documents.get(_bare(page.moved_to)) if page.moved_to else None
        return replace(
            page,
            document=replace(document, body=b"") if document else None,
            # In an order that does not depend on which of them was asked for first.
            links_to=tuple(sorted(self._links)),
        )

    def stop_navigation(self) -> None:
        """Keep the page on the document it shows now."""
        self._max_documents = 0

    def log_blocked(self, url: str, reason: str) -> None:
        if len(self._log) < _MAX_LOGGED:
            self._log[f"{url[:_MAX_LOGGED_URL_CHARS]} {reason}"] = None

    async def answer(self, route: Route) -> None:
        """Fulfil or abort one request; a page that was closed meanwhile needs no answer."""
        self.under_way += 1
        try:
            await self._answer(route, route.request)
        except PlaywrightError:
            return
        finally:
            self.under_way -= 1

    async def _answer(self, route: Route, request: Request) -> None:
        if request.resource_type == "document":
            await self._answer_document(route, request)
        elif self._document_requests == 0:
            # Asked by the page that was in this seat before; it is nobody's any more.
            await route.abort("aborted")
        elif request.resource_type == "stylesheet" and not self._door.with_styles:
            # Nothing but a screenshot needs them, yet scripts may wait for them to load.
            await route.fulfill(status=200, content_type="text/css", body="")
        elif reason := refusal_of(request.resource_type, request.method, request.url):
            await self._refuse(route, request.url, reason)
        else:
            await self._answer_resource(route, request)

    async def _answer_document(self, route: Route, request: Request) -> None:
        url = _bare(request.url)
        if urlsplit(url).path == LEFT_PATH:
            await route.abort("aborted")  # A script went back to what is no page of the site.
            return
        self._document_requests += 1
        if self._document_requests > self._max_documents:
            await self._refuse(route, url, "too_many_documents")
        elif known := self._documents.get(url):
            await self._show(route, request, known)
        elif reason := refusal_of("document", request.method, url):
            await self._refuse(route, url, reason)
        elif not self._door.is_in_scope(url):
            await self._refuse(route, url, "out_of_scope")
        else:
            await self._fetch_document(route, request, url)

    async def _fetch_document(self, route: Route, request: Request, url: str) -> None:
        outcome = await self._fetch(url, {"accept": "text/html,*/*;q=0.5"}, self._check_document)
        if isinstance(outcome, str):
            await self._refuse(route, url, outcome)
            return
        if outcome.status >= 400:
            # A page that leads to an error keeps what it has: the error is no content of its own.
            await self._refuse(route, url, f"http_{outcome.status}")
            return
        if kind_of(outcome.headers.get("content-type"), outcome.body) is not Kind.HTML:
            if request.frame.parent_frame is None:
                self._links.add(url)
            await self._refuse(route, url, "not_html")
            return
        final_url = _bare(outcome.url)
        self._documents[final_url] = outcome
        if final_url == url:
            await self._show(route, request, outcome)
        else:
            # Playwright does not route the second leg of a redirect, so the page takes the step.
            await route.fulfill(status=200, content_type="text/html", body=_step_to(final_url))

    async def _answer_resource(self, route: Route, request: Request) -> None:
        outcome = await self._fetch(request.url, request_headers(request.headers), follow_any)
        if isinstance(outcome, str):
            await self._refuse(route, request.url, outcome)
        elif request.resource_type == "script":
            await self._answer_script(route, request, outcome)
        else:
            await self._fulfill(route, outcome)

    async def _answer_script(self, route: Route, request: Request, response: FetchResponse) -> None:
        if response.status >= 400:
            # The server's answer reaches the page, but an application without its script is empty.
            self.log_blocked(request.url, f"http_{response.status}")
        is_redirected = _bare(response.url) != _bare(request.url)
        if is_redirected and _MODULE_STATEMENT.search(response.body):
            response = replace(response, body=_module_at(response.url))
        await self._fulfill(route, response)

    async def _fetch(
        self, url: str, headers: dict[str, str], check_hop: HopCheck
    ) -> FetchResponse | str:
        """The response, or the reason there is none."""
        limits = self._door.limits
        fetch_request = FetchRequest(
            url=url,
            headers=headers,
            max_body_bytes=limits.max_resource_bytes,
            check_hop=check_hop,
        )
        if not self._door.resources.has(fetch_request):
            if self.fetched >= limits.max_requests:
                return "too_many_requests"
            if refusal := await self._check_robots(url):
                return refusal.decision
            self.fetched += 1
        outcome = await self._door.resources.fetch(fetch_request)
        return _failure_reason(outcome) if isinstance(outcome, FetchFailure) else outcome

    async def _check_robots(self, url: str) -> Refusal | None:
        return await self._door.check_robots(url) if self._door.is_in_scope(url) else None

    async def _check_document(self, url: str) -> Refusal | None:
        if not self._door.is_in_scope(url):
            return Refusal(decision="out_of_scope", reason="render_navigation", detail=url)
        return await self._door.check_robots(url)

    async def _show(self, route: Route, request: Request, response: FetchResponse) -> None:
        if request.frame.parent_frame is None:
            self._shown_url = _bare(request.url)
        await self._fulfill(route, response)

    async def _fulfill(self, route: Route, response: FetchResponse) -> None:
        await route.fulfill(
            status=response.status, headers=page_headers(response.headers), body=response.body
        )

    async def _refuse(self, route: Route, url: str, reason: str) -> None:
        self.log_blocked(url, reason)
        # "aborted" leaves the document that is there; any other error shows the browser's own page.
        await route.abort("aborted")


def refusal_of(resource_type: str, method: str, url: str) -> str | None:
    """Why a request is refused whatever its address, if it is: a crawl only ever reads."""
    if urlsplit(url).scheme not in ("http", "https"):
        return "scheme"
    if method != "GET":
        return "method"
    return f"type_{resource_type}" if resource_type in _REFUSED_TYPES else None


def page_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers of a fetched response that still hold for its decoded body."""
    return {k: v for k, v in headers.items() if not _DROPPED_RESPONSE_HEADERS.fullmatch(k)}


def request_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers a script may set and a server may need; who we are is the fetcher's to say."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {k: v for k, v in lowered.items() if k in _KEPT_REQUEST_HEADERS or k.startswith("x-")}


def _failure_reason(failure: FetchFailure) -> str:
    return failure.refusal.decision if failure.refusal else failure.reason.value


def _bare(url: str) -> str:
    return urldefrag(url).url


def _module_at(url: str) -> bytes:
    """A module that is the one at `url`: what that imports is looked for where it stands."""
    target = json.dumps(url)
    lines = (
        f"export * from {target};",
        f"import * as module from {target};",
        "export default module.default;",
    )
    return "\n".join(lines).encode()


def _step_to(url: str) -> str:
    # In a script element "<" could end the script; JSON may write it as an escape.
    target = json.dumps(url).replace("<", "\\u003c")
    return f"<!doctype html><script>location.replace({target} + location.hash)</script>"
