import asyncio
from datetime import UTC, datetime

from webmine_assets.crawl.network.clock import FakeClock, SystemClock


async def test_fake_sleepers_wake_in_the_order_of_their_time() -> None:
    clock = FakeClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.now()))

    await asyncio.gather(sleeper("late", 30), sleeper("early", 10), sleeper("now", 0))
    assert woken == [("now", 0.0), ("early", 10.0), ("late", 30.0)]
    assert clock.sleeps == [30, 10, 0]


async def test_fake_clock_moves_wall_time_with_it() -> None:
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC))
    clock.advance(90)
    assert clock.utcnow() == datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC)


async def test_cancelled_sleeper_does_not_hold_back_the_others() -> None:
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(1))
    await asyncio.sleep(0)
    task.cancel()
    await clock.sleep(5)
    assert clock.now() == 5


async def test_system_clock_goes_on() -> None:
    clock = SystemClock()
    before = clock.now()
    await clock.sleep(0)
    assert clock.now() >= before
    assert clock.utcnow().tzinfo is UTC
