import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from webmine_assets.crawl.exchange import FetchFailure, FetchReason
from webmine_assets.crawl.network.clock import FakeClock, SystemClock
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.network.fetcher import FetchLimits, HttpFetcher
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.network.retry import NO_RETRY
from webmine_assets.crawl.network.robots_gate import RobotsGate
from webmine_assets_tests.hostile import HostileSite
from webmine_assets_tests.hostile.site import Robots

ORIGIN = "http://u1.edu"
ROBOTS = f"{ORIGIN}/robots.txt"
RULES = b"""User-agent: *
Disallow: /private/
Crawl-delay: 7
Sitemap: http://u1.edu/map.xml

User-agent: webmine
Disallow: /no-mine
Crawl-delay: 900
"""


def site(status: int = 200, body: bytes = RULES) -> FakeFetcher:
    fetcher = FakeFetcher(
        {ROBOTS: lambda request: fetcher.response(request.url, status=status, body=body)}
    )
    return fetcher


def broken(reason: FetchReason) -> FakeFetcher:
    failure = FetchFailure(
        requested_url=ROBOTS, reason=reason, detail="", fetched_at=FakeClock().utcnow()
    )
    return FakeFetcher({ROBOTS: failure})


async def test_rule_refuses_with_the_line_that_decides() -> None:
    gate = RobotsGate(site().fetch, "other")
    refusal = await gate.decide(f"{ORIGIN}/private/x")
    assert refusal is not None
    assert (refusal.decision, refusal.reason) == ("robots_blocked", "robots_rule")
    assert "line 2" in refusal.detail
    assert "Disallow: /private/" in refusal.detail
    assert await gate.decide(f"{ORIGIN}/open") is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
async def test_missing_file_means_no_rules(status: int) -> None:
    gate = RobotsGate(site(status).fetch, "webmine")
    assert await gate.decide(f"{ORIGIN}/no-mine") is None


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 300])
async def test_file_out_of_reach_closes_the_origin(status: int) -> None:
    refusal = await RobotsGate(site(status).fetch, "webmine").decide(f"{ORIGIN}/")
    assert refusal is not None
    assert (refusal.reason, refusal.detail) == ("robots_unreachable", f"{ROBOTS}: {status}")


AS_IF_ABSENT = (FetchReason.REDIRECTS, FetchReason.REDIRECT_LOOP)
CLOSING = set(FetchReason) - {*AS_IF_ABSENT, FetchReason.BLOCKED_ADDRESS}


@pytest.mark.parametrize("reason", sorted(CLOSING))
async def test_failed_fetch_closes_the_origin(reason: FetchReason) -> None:
    refusal = await RobotsGate(broken(reason).fetch, "webmine").decide(f"{ORIGIN}/")
    assert refusal is not None
    assert (refusal.reason, refusal.detail) == ("robots_unreachable", f"{ROBOTS}: {reason.value}")


async def test_host_that_the_guard_refuses_is_not_laid_to_its_robots_file() -> None:
    fetcher = broken(FetchReason.BLOCKED_ADDRESS)
    refusal = await RobotsGate(fetcher.fetch, "webmine").decide(f"{ORIGIN}/")
    assert refusal is not None
    assert (refusal.decision, refusal.reason) == ("fetch_error", "blocked_address")


@pytest.mark.parametrize("reason", AS_IF_ABSENT)
async def test_endless_redirects_count_as_no_file(reason: FetchReason) -> None:
    assert await RobotsGate(broken(reason).fetch, "webmine").decide(f"{ORIGIN}/") is None


async def test_file_is_fetched_once_for_many_askers() -> None:
    clock = FakeClock()
    fetcher = FakeFetcher({}, clock=clock, latency_s=lambda url: 5.0)
    gate = RobotsGate(fetcher.fetch, "webmine")
    await asyncio.gather(*(gate.decide(f"{ORIGIN}/{number}") for number in range(20)))
    assert fetcher.urls == [ROBOTS]


async def test_each_scheme_and_port_has_its_own_file() -> None:
    fetcher = FakeFetcher({})
    gate = RobotsGate(fetcher.fetch, "webmine")
    for url in ("http://u1.edu/", "http://u1.edu:80/a", "https://u1.edu/", "http://u1.edu:8080/"):
        await gate.decide(url)
    assert fetcher.urls == [ROBOTS, "https://u1.edu/robots.txt", "http://u1.edu:8080/robots.txt"]


async def test_asker_that_is_cancelled_leaves_the_fetch_to_the_next() -> None:
    clock = FakeClock()
    fetcher = FakeFetcher({}, clock=clock, latency_s=lambda url: 5.0)
    gate = RobotsGate(fetcher.fetch, "webmine")
    first = asyncio.create_task(gate.decide(f"{ORIGIN}/a"))
    await asyncio.sleep(0)
    second = asyncio.create_task(gate.decide(f"{ORIGIN}/b"))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is None
    assert fetcher.urls == [ROBOTS, ROBOTS]


@pytest.mark.parametrize(("token", "delay_s"), [("other", 7), ("webmine", 60)])
async def test_crawl_delay_is_told_and_bounded(token: str, delay_s: float) -> None:
    told: list[tuple[str, float]] = []
    gate = RobotsGate(site().fetch, token, crawl_delay=lambda host, s: told.append((host, s)))
    await gate.decide(f"{ORIGIN}/")
    await gate.decide(f"{ORIGIN}/again")
    assert told == [("u1.edu", delay_s)]


async def test_sitemaps_are_those_of_the_origin() -> None:
    assert await RobotsGate(site().fetch, "webmine").sitemaps(f"{ORIGIN}/x") == (
        "http://u1.edu/map.xml",
    )


async def test_request_asks_for_a_bounded_file_and_five_redirects() -> None:
    fetcher = site()
    await RobotsGate(fetcher.fetch, "webmine").decide(f"{ORIGIN}/")
    request = fetcher.requests[0]
    assert (request.max_body_bytes, request.truncate_body) == (512_000, True)
    assert request.max_redirects == 5


@asynccontextmanager
async def live_gate(robots: Robots) -> AsyncIterator[tuple[RobotsGate, HostileSite]]:
    clock = SystemClock()
    fetcher = HttpFetcher(
        guard=Guard(("127.0.0.1/32",)),
        politeness=Politeness(PolitenessLimits(delay_s=0, max_hold_s=0), clock),
        clock=clock,
        user_agent="webmine/0",
        limits=FetchLimits(total_s=1, idle_s=0.3),
        retry=NO_RETRY,
    )
    async with HostileSite(robots) as hostile, fetcher:
        yield RobotsGate(fetcher.fetch, "webmine"), hostile


@pytest.mark.parametrize(
    ("robots", "cause"),
    [
        ("rules", None),
        ("absent", None),
        ("403", None),
        ("huge", None),
        ("redirecting", None),
        ("looping", None),
        ("500", "500"),
        ("503", "503"),
        ("429", "429"),
        ("hanging", "timeout"),
        ("leaving", "blocked_address"),
    ],
)
async def test_hostile_robots_open_or_close_the_site(robots: Robots, cause: str | None) -> None:
    async with live_gate(robots) as (gate, hostile):
        refusal = await gate.decide(hostile.url("/ok"))
    assert (refusal.detail.rpartition(": ")[2] if refusal else None) == cause


@pytest.mark.parametrize("robots", ["rules", "huge", "redirecting"])
async def test_rules_hold_wherever_the_file_was_found(robots: Robots) -> None:
    async with live_gate(robots) as (gate, hostile):
        refusal = await gate.decide(hostile.url("/private/page"))
    assert refusal is not None
    assert "Disallow: /private/" in refusal.detail
