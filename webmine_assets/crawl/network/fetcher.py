"""The live fetcher: a GET with its redirects and retries, each hop polite and guarded."""

from dataclasses import replace
from random import Random
from types import TracebackType
from typing import Self

from aiohttp.abc import AbstractResolver

from webmine_assets import __version__
from webmine_assets.crawl.exchange import (
    USER_AGENT_TOKEN,
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
)
from webmine_assets.crawl.network.clock import Clock
from webmine_assets.crawl.network.diagnosis import Diagnosis, diagnose
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness
from webmine_assets.crawl.network.redirect import (
    REDIRECT_STATUSES,
    RedirectChain,
    Target,
    headers_beyond,
    parse_target,
)
from webmine_assets.crawl.network.retry import RetryPolicy, parse_retry_after
from webmine_assets.crawl.network.transport import Answer, FetchLimits, HttpTransport

__all__ = ["USER_AGENT_TOKEN", "FetchLimits", "HttpFetcher", "user_agent"]


def user_agent(contact: str | None) -> str:
    """Who is asking: name, version and, if known, a URL or address of the operator."""
    product = f"{USER_AGENT_TOKEN}/{__version__}"
    shown = "".join(character for character in contact or "" if character.isprintable())
    return f"{product} (+{shown})" if shown else product


class HttpFetcher:
    """Implements `Fetcher` over HTTP; use as `async with`."""

    def __init__(
        self,
        *,
        guard: Guard,
        politeness: Politeness,
        clock: Clock,
        user_agent: str,
        limits: FetchLimits | None = None,
        retry: RetryPolicy | None = None,
        random: Random | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._politeness = politeness
        self._clock = clock
        self._limits = limits or FetchLimits()
        self._retry = retry or RetryPolicy()
        self._random = random or Random(0)  # noqa: S311 - jitter, not a secret
        self._transport = HttpTransport(
            guard=guard,
            clock=clock,
            user_agent=user_agent,
            limits=self._limits,
            resolver=resolver,
        )

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._transport.__aexit__(kind, error, traceback)

    async def fetch(self, request: FetchRequest) -> FetchResponse | FetchFailure:
        """The response or the failure of `request`, after redirects and retries."""
        attempt = 1
        while True:
            outcome = await self._attempt(request)
            wait_s = self._retry.wait_s(
                outcome, attempt=attempt, random=self._random, now=self._clock.utcnow()
            )
            if wait_s is None:
                return outcome
            await self._clock.sleep(wait_s)
            attempt += 1

    async def _attempt(self, request: FetchRequest) -> FetchResponse | FetchFailure:
        target = parse_target(request.url)
        if target is None:
            return self._failure(request, Diagnosis(FetchReason.PROTOCOL, "not an http(s) URL"))
        limit = request.max_redirects
        chain = RedirectChain(target, self._limits.max_redirects if limit is None else limit)
        return await self._walk(request, chain)

    async def _walk(
        self, request: FetchRequest, chain: RedirectChain
    ) -> FetchResponse | FetchFailure:
        spent_s = 0.0
        while True:
            try:
                answer, hop_s = await self._hop(request, chain.target, spent_s)
            except Exception as error:  # noqa: BLE001 - one bad answer must not end a crawl
                return self._failure(request, diagnose(error), chain)
            spent_s += hop_s
            if answer.status not in REDIRECT_STATUSES:
                return self._response(request, chain, answer, elapsed_s=spent_s)
            failure = await self._follow(request, chain, answer.headers.get("location"))
            if failure is not None:
                return failure
            if request.headers:
                kept = headers_beyond(request.headers, chain.passed[-1], chain.target.url)
                request = replace(request, headers=kept)

    async def _hop(
        self, request: FetchRequest, target: Target, spent_s: float
    ) -> tuple[Answer, float]:
        """One polite exchange and the seconds it took; the wait for the host does not count."""
        await self._politeness.acquire(target.host)
        started = self._clock.now()
        answer: Answer | None = None
        try:
            answer = await self._transport.exchange(request, target.url, spent_s)
        finally:
            hop_s = self._clock.now() - started
            self._release(target.host, answer, hop_s)
        return answer, hop_s

    def _release(self, host: str, answer: Answer | None, hop_s: float) -> None:
        if answer is None:
            self._politeness.release(host, latency_s=hop_s)
            return
        asked = answer.headers.get("retry-after")
        self._politeness.release(
            host,
            status=answer.status,
            latency_s=answer.latency_s,
            retry_after_s=parse_retry_after(asked, self._clock.utcnow()) if asked else None,
        )

    async def _follow(
        self, request: FetchRequest, chain: RedirectChain, location: str | None
    ) -> FetchFailure | None:
        """Move the chain to where `location` leads, or say why it ends here."""
        target = chain.follow(location)
        if isinstance(target, Diagnosis):
            return self._failure(request, target, chain)
        refusal = await request.check_hop(target.url)
        chain.move(target)
        if refusal is None:
            return None
        problem = Diagnosis(FetchReason.REDIRECT_REFUSED, f"{target.url}: {refusal.reason}")
        return self._failure(request, problem, chain, refusal=refusal)

    def _response(
        self, request: FetchRequest, chain: RedirectChain, answer: Answer, *, elapsed_s: float
    ) -> FetchResponse:
        return FetchResponse(
            requested_url=request.url,
            url=chain.target.url if chain.passed else request.url,
            status=answer.status,
            headers=answer.headers,
            body=answer.body,
            fetched_at=self._clock.utcnow(),
            redirects=tuple(chain.passed),
            elapsed_s=elapsed_s,
            wire_bytes=answer.wire_bytes,
        )

    def _failure(
        self,
        request: FetchRequest,
        problem: Diagnosis,
        chain: RedirectChain | None = None,
        *,
        refusal: Refusal | None = None,
    ) -> FetchFailure:
        return FetchFailure(
            requested_url=request.url,
            reason=problem.reason,
            detail=problem.detail,
            fetched_at=self._clock.utcnow(),
            retryable=problem.retryable,
            redirects=tuple(chain.passed) if chain else (),
            refusal=refusal,
        )
