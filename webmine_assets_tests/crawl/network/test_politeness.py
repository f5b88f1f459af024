import asyncio

import pytest

from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits

HOST = "u1.edu"


def polite(
    *, delay_s: float = 0.0, concurrency: int = 4, **limits: float
) -> tuple[Politeness, FakeClock]:
    clock = FakeClock()
    options = PolitenessLimits(delay_s=delay_s, concurrency=concurrency, **limits)  # type: ignore[arg-type]
    return Politeness(options, clock), clock


async def starts(
    politeness: Politeness, clock: FakeClock, *, requests: int, takes_s: float, host: str = HOST
) -> list[float]:
    """When each of many requests at once was let through."""
    times: list[float] = []

    async def one() -> None:
        await politeness.acquire(host)
        times.append(clock.now())
        await clock.sleep(takes_s)
        politeness.release(host, status=200, latency_s=takes_s)

    await asyncio.gather(*(one() for _ in range(requests)))
    return times


async def test_requests_to_one_host_are_spaced_by_the_delay() -> None:
    politeness, clock = polite(delay_s=2)
    assert await starts(politeness, clock, requests=4, takes_s=0.1) == [0, 2, 4, 6]


async def test_other_host_does_not_wait() -> None:
    politeness, clock = polite(delay_s=100)
    await politeness.acquire(HOST)
    await politeness.acquire("u2.edu")
    assert clock.sleeps == []


async def test_no_more_requests_at_once_than_the_concurrency() -> None:
    politeness, clock = polite(concurrency=2)
    assert await starts(politeness, clock, requests=6, takes_s=1) == [0, 0, 1, 1, 2, 2]


async def test_no_delay_and_free_places_cost_no_wait() -> None:
    politeness, clock = polite(concurrency=16)
    for _ in range(16):
        await politeness.acquire(HOST)
    assert clock.sleeps == []


@pytest.mark.parametrize(
    ("delay_s", "crawl_delay_s", "spacing_s"), [(1, 5, 5), (5, 1, 5), (0, 3, 3)]
)
async def test_crawl_delay_holds_if_it_is_longer(
    delay_s: float, crawl_delay_s: float, spacing_s: float
) -> None:
    politeness, clock = polite(delay_s=delay_s)
    politeness.set_crawl_delay(HOST, crawl_delay_s)
    times = await starts(politeness, clock, requests=3, takes_s=0.1)
    assert times == [0, spacing_s, 2 * spacing_s]


@pytest.mark.parametrize("status", [429, 503])
async def test_busy_host_is_left_alone_for_its_retry_after(status: int) -> None:
    politeness, clock = polite()
    await politeness.acquire(HOST)
    politeness.release(HOST, status=status, latency_s=0.1, retry_after_s=30)
    await politeness.acquire(HOST)
    assert clock.now() == 30


async def test_hold_reaches_requests_that_already_wait() -> None:
    politeness, clock = polite(delay_s=1)
    await politeness.acquire(HOST)
    waiting = asyncio.create_task(politeness.acquire(HOST))
    await asyncio.sleep(0)
    politeness.release(HOST, status=429, retry_after_s=20)
    await waiting
    assert clock.now() == 20


async def test_hold_is_bounded() -> None:
    politeness, clock = polite(max_hold_s=60)
    await politeness.acquire(HOST)
    politeness.release(HOST, status=429, retry_after_s=86_400)
    await politeness.acquire(HOST)
    assert clock.now() == 60


async def test_busy_answers_double_the_delay_and_good_ones_halve_it() -> None:
    politeness, _ = polite(first_backoff_s=1, max_delay_s=5)
    delays = []
    for status in (503, 503, 503, 503, 200, 200, 200, 200, 200, 200):
        await politeness.acquire(HOST)
        politeness.release(HOST, status=status, latency_s=0.1)
        delays.append(politeness.delay_s(HOST))
    assert delays == [1, 2, 4, 5, 2.5, 1.25, 0.625, 0.3125, 0.15625, 0]


async def test_missing_answer_is_no_sign_of_recovery() -> None:
    politeness, _ = polite(first_backoff_s=1)
    for status in (503, None, None):
        await politeness.acquire(HOST)
        politeness.release(HOST, status=status, latency_s=0.001)
    assert politeness.delay_s(HOST) == 1
    assert politeness.connections(HOST) == 1


async def test_busy_host_gets_one_connection_until_it_has_recovered() -> None:
    politeness, _ = polite(concurrency=3)
    seen = []
    for status in (429, 200, 200, 200, 200, 200, 200, 200):
        await politeness.acquire(HOST)
        politeness.release(HOST, status=status, latency_s=0.1)
        seen.append(politeness.connections(HOST))
    assert seen[0] == 1
    assert seen[-1] == 3
    assert seen == sorted(seen)


async def test_slow_host_is_asked_more_slowly_and_with_fewer_connections() -> None:
    politeness, _ = polite(delay_s=0.5, concurrency=4)
    for _ in range(20):
        await politeness.acquire(HOST)
        politeness.release(HOST, status=200, latency_s=8)
    assert politeness.delay_s(HOST) == pytest.approx(2, rel=0.01)
    assert politeness.connections(HOST) == 1
    for _ in range(30):
        await politeness.acquire(HOST)
        politeness.release(HOST, status=200, latency_s=0.01)
    assert politeness.delay_s(HOST) == 0.5
    assert politeness.connections(HOST) == 4


async def test_latency_adds_no_delay_where_none_is_asked_for() -> None:
    politeness, _ = polite(delay_s=0)
    await politeness.acquire(HOST)
    politeness.release(HOST, status=200, latency_s=8)
    assert politeness.delay_s(HOST) == 0


async def test_cancelled_waiter_gives_its_place_back() -> None:
    politeness, clock = polite(delay_s=10, concurrency=1)
    await politeness.acquire(HOST)
    queued = asyncio.create_task(politeness.acquire(HOST))
    await asyncio.sleep(0)
    queued.cancel()
    await asyncio.gather(queued, return_exceptions=True)
    politeness.release(HOST)
    spacing = asyncio.create_task(politeness.acquire(HOST))
    await asyncio.sleep(0)
    spacing.cancel()
    await asyncio.gather(spacing, return_exceptions=True)
    await politeness.acquire(HOST)
    assert clock.now() > 0


async def test_place_given_to_a_waiter_that_is_cancelled_goes_to_the_next() -> None:
    politeness, _ = polite(concurrency=1)
    await politeness.acquire(HOST)
    first, second = (asyncio.create_task(politeness.acquire(HOST)) for _ in range(2))
    await asyncio.sleep(0)
    politeness.release(HOST)
    first.cancel()
    await asyncio.wait_for(second, 5)
    assert first.cancelled()
