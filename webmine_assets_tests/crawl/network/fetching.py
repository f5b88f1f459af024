"""The real fetcher, opened for a test over a local site."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

from aiohttp.abc import AbstractResolver

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock, SystemClock
from webmine_assets.crawl.network.fetcher import FetchLimits, HttpFetcher, user_agent
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.network.retry import NO_RETRY, RetryPolicy
from webmine_assets_tests.hostile import HostileSite

ROOMY = FetchLimits(max_body_bytes=2_000_000)
TIGHT = FetchLimits(total_s=1.0, connect_s=1.0, idle_s=0.4, max_body_bytes=2_000_000)
HANGING = (
    "/wire/slow-body",
    "/wire/stalled-body",
    "/wire/no-response",
    "/wire/slow-headers",
    "/wire/endless-continue",
    "/wire/endless-chunk-extension",
)


@asynccontextmanager
async def open_fetcher(
    *,
    limits: FetchLimits = ROOMY,
    retry: RetryPolicy = NO_RETRY,
    clock: FakeClock | None = None,
    delay_s: float = 0,
    allow: tuple[str, ...] = ("127.0.0.1/32",),
    resolver: AbstractResolver | None = None,
) -> AsyncIterator[HttpFetcher]:
    time = clock or SystemClock()
    fetcher = HttpFetcher(
        guard=Guard(allow),
        politeness=Politeness(PolitenessLimits(delay_s=delay_s, concurrency=16), time),
        clock=time,
        user_agent=user_agent("ops@example.org"),
        limits=limits,
        retry=retry,
        random=Random(7),
        resolver=resolver,
    )
    async with fetcher:
        yield fetcher


async def fetch(site: HostileSite, path: str, **options: object) -> FetchResponse | FetchFailure:
    async with open_fetcher(limits=TIGHT if path in HANGING else ROOMY) as fetcher:
        return await fetcher.fetch(FetchRequest(url=site.url(path), **options))  # type: ignore[arg-type]
