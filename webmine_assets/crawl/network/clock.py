"""Time as something that is handed in, so that no test of politeness or retries waits for real."""

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_TURNS = 10


class Clock(Protocol):
    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def utcnow(self) -> datetime: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def utcnow(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class FakeClock:
    """Virtual time: a sleep ends once all other tasks had their turn and no sleep is due earlier.

    `sleeps` records each wait that was asked for. Tasks that wait for real I/O do not hold it back.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.sleeps: list[float] = []
        self._start = start
        self._now = 0.0
        self._order = 0
        self._sleepers: list[tuple[float, int]] = []

    def now(self) -> float:
        return self._now

    def utcnow(self) -> datetime:
        return self._start + timedelta(seconds=self._now)

    def advance(self, seconds: float) -> None:
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self._order += 1
        entry = (self._now + max(seconds, 0.0), self._order)
        heapq.heappush(self._sleepers, entry)
        try:
            await self._wait_for_turn(entry)
        finally:
            self._sleepers.remove(entry)
            heapq.heapify(self._sleepers)
        self._now = max(self._now, entry[0])

    async def _wait_for_turn(self, entry: tuple[float, int]) -> None:
        while True:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            if self._sleepers[0] == entry:
                return
