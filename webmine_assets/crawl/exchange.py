"""What is asked of the network and what comes back: the seam between crawler, fetcher and renderer.

A failure is a value with a reason, never an exception: the ledger stores it.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

USER_AGENT_TOKEN = "webmine"  # noqa: S105 - the product token
"""What groups of robots.txt, robots meta elements and X-Robots-Tag call us."""


class FetchReason(StrEnum):
    """Why a fetch gave no usable response."""

    TIMEOUT = "timeout"
    DNS = "dns"
    CONNECT = "connect"
    TLS = "tls"
    PROTOCOL = "protocol"
    RESET = "reset"
    TRUNCATED = "truncated"
    BLOCKED_ADDRESS = "blocked_address"
    BODY_SIZE = "body_size"
    EXPANSION = "expansion"
    HEADER_SIZE = "header_size"
    REDIRECTS = "redirects"
    REDIRECT_LOOP = "redirect_loop"
    REDIRECT_REFUSED = "redirect_refused"
    BAD_REDIRECT = "bad_redirect"
    UNSUPPORTED_CODING = "unsupported_coding"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a URL was not taken, or not followed: becomes its row in the ledger."""

    decision: str
    reason: str
    detail: str = ""


HopCheck = Callable[[str], Awaitable[Refusal | None]]


async def follow_any(url: str) -> Refusal | None:
    """A hop check that refuses nothing (the guard still does)."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRequest:
    """One URL to fetch; etag and last_modified make it conditional.

    `check_hop` is asked before each redirect is followed (scope, robots). None means the
    fetcher's own limit. With `truncate_body` a longer body is cut there instead of refused.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None
    max_body_bytes: int | None = None
    truncate_body: bool = False
    max_redirects: int | None = None
    check_hop: HopCheck = follow_any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchResponse:
    """A complete response: `body` is content-decoded, `headers` have lower-case names.

    With `is_body_aside` a large body waits in the journal, and `body` is empty.
    """

    requested_url: str
    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    fetched_at: datetime
    redirects: tuple[str, ...] = ()
    elapsed_s: float = 0.0
    wire_bytes: int = 0
    is_body_aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFailure:
    """No usable response: why, what a person needs to know, and whether trying again may help.

    `refusal` is set when a redirect was refused by the request's hop check.
    """

    requested_url: str
    reason: FetchReason
    detail: str
    fetched_at: datetime
    retryable: bool = False
    redirects: tuple[str, ...] = ()
    refusal: Refusal | None = None


class Fetcher(Protocol):
    """The one guarded door to the network."""

    async def fetch(self, request: FetchRequest) -> FetchResponse | FetchFailure: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
    """The DOM after scripts ran; `blocked` lists requests that gave nothing as `url reason`.

    `url` is what the address bar says, and links start from there. `moved_to` is the document that
    replaced the page's own, as after a redirect, and `document` its response without the body; a
    route that a script wrote there is no move. `links_to` are files that the page led to.
    """

    url: str
    html: str
    title: str
    elapsed_ms: int
    timed_out: bool = False
    moved_to: str | None = None
    document: FetchResponse | None = None
    links_to: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    screenshot_png: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderFailure:
    """No DOM: why, and what the page was refused before; `is_attempt` unless no page was opened."""

    url: str
    reason: str
    detail: str
    elapsed_ms: int = 0
    blocked: tuple[str, ...] = ()
    is_attempt: bool = True


class Renderer(Protocol):
    """Runs a page's scripts, with no network but the fetcher's."""

    async def render(self, response: FetchResponse) -> RenderedPage | RenderFailure: ...
