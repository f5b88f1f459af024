"""May a URL be asked for at all: fetches each origin's robots.txt once and puts URLs to it.

RFC 9309, section 2.3.1: no file means no rules, a file out of reach means keep out.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeGuard

import ada_url

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
)
from webmine_assets.crawl.rules.robots import MAX_BYTES, RobotsFile, parse_robots
from webmine_assets.records import Decision

_MAX_REDIRECTS = 5
# Section 2.3.1.2: past five redirects the file may be taken as not there, as Google does too.
_AS_IF_ABSENT = frozenset({FetchReason.REDIRECTS, FetchReason.REDIRECT_LOOP})
_TOO_MANY_REQUESTS = 429

Fetch = Callable[[FetchRequest], Awaitable[FetchResponse | FetchFailure]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginRules:
    """What one origin's robots.txt came to; `closed` says why nothing of it may be crawled."""

    robots: RobotsFile
    closed: Refusal | None = None


class RobotsGate:
    """Decides by robots.txt, asked for through `fetch` (the crawler's, journal and all).

    `crawl_delay` is told each origin's host and Crawl-delay, at most `max_crawl_delay_s`; leave it
    out to ignore them. A robots.txt may redirect to any host (section 2.3.1.2): many sites keep one
    for all their names.
    """

    def __init__(
        self,
        fetch: Fetch,
        user_agent_token: str,
        *,
        crawl_delay: Callable[[str, float], None] | None = None,
        max_crawl_delay_s: float = 60.0,
    ) -> None:
        self._fetch = fetch
        self._token = user_agent_token
        self._crawl_delay = crawl_delay
        self._max_crawl_delay_s = max_crawl_delay_s
        self._origins: dict[str, OriginRules] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def decide(self, url: str) -> Refusal | None:
        """Why `url` may not be fetched, with the line that decides, or None if it may."""
        rules = await self.rules(url)
        if rules.closed is not None:
            return rules.closed
        decision = rules.robots.decide(self._token, url)
        if decision.allowed:
            return None
        return Refusal(
            decision=Decision.ROBOTS_BLOCKED, reason="robots_rule", detail=decision.detail
        )

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """The sitemaps that the robots.txt of a URL's origin advertises."""
        return (await self.rules(url)).robots.sitemaps

    async def rules(self, url: str) -> OriginRules:
        """The rules of a URL's origin, fetched at most once however many ask at the same time."""
        parsed = ada_url.URL(url)
        origin = parsed.origin
        known = self._origins.get(origin)
        if known is not None:
            return known
        async with self._locks.setdefault(origin, asyncio.Lock()):
            if origin not in self._origins:
                self._origins[origin] = await self._read(origin, parsed.host)
        return self._origins[origin]

    async def _read(self, origin: str, host: str) -> OriginRules:
        robots_url = f"{origin}/robots.txt"
        outcome = await self._fetch(
            FetchRequest(
                url=robots_url,
                max_body_bytes=MAX_BYTES,
                truncate_body=True,
                max_redirects=_MAX_REDIRECTS,
            )
        )
        rules = read_rules(robots_url, outcome)
        delay_s = rules.robots.crawl_delay_s(self._token)
        if self._crawl_delay is not None and delay_s:
            self._crawl_delay(host, min(delay_s, self._max_crawl_delay_s))
        return rules


def read_rules(robots_url: str, outcome: FetchResponse | FetchFailure) -> OriginRules:
    """The rules that follow from how the fetch of a robots.txt ended."""
    closed = _closed(robots_url, outcome)
    if closed is not None:
        return OriginRules(robots=parse_robots(b""), closed=closed)
    has_file = isinstance(outcome, FetchResponse) and 200 <= outcome.status < 300
    body = outcome.body if isinstance(outcome, FetchResponse) and has_file else b""
    return OriginRules(robots=parse_robots(body))


def _unreachable_cause(outcome: FetchResponse | FetchFailure) -> str | None:
    if isinstance(outcome, FetchFailure):
        return None if outcome.reason in _AS_IF_ABSENT else outcome.reason.value
    is_there = 200 <= outcome.status < 300
    is_absent = 400 <= outcome.status < 500 and outcome.status != _TOO_MANY_REQUESTS
    return None if is_there or is_absent else str(outcome.status)


def _closed(robots_url: str, outcome: FetchResponse | FetchFailure) -> Refusal | None:
    """Why the whole origin is out of bounds, if it is."""
    if _is_on_blocked_address(outcome):
        # The guard refuses the host itself: that, and no robots.txt, keeps its pages out.
        return Refusal(
            decision=Decision.FETCH_ERROR, reason=outcome.reason.value, detail=outcome.detail
        )
    cause = _unreachable_cause(outcome)
    if cause is None:
        return None
    return Refusal(
        decision=Decision.ROBOTS_BLOCKED,
        reason="robots_unreachable",
        detail=f"{robots_url}: {cause}",
    )


def _is_on_blocked_address(
    outcome: FetchResponse | FetchFailure,
) -> TypeGuard[FetchFailure]:
    return (
        isinstance(outcome, FetchFailure)
        and outcome.reason is FetchReason.BLOCKED_ADDRESS
        and not outcome.redirects
    )
