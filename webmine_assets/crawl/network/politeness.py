"""How gently each host is asked: spacing, connections at once, and backing off."""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from webmine_assets.crawl.network.clock import Clock
from webmine_assets.crawl.network.retry import BUSY

# The last five answers make up 83 % of the average (1 - 0.7 ** 5): one slow page changes little.
_LATENCY_WEIGHT = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class PolitenessLimits:
    """`delay_s` and `concurrency` are what a healthy host gets; the rest is how far that bends."""

    delay_s: float = 0.25
    concurrency: int = 4
    max_delay_s: float = 60.0
    first_backoff_s: float = 1.0
    max_hold_s: float = 60.0
    slow_latency_s: float = 2.0


@dataclass(slots=True)
class _Host:
    delay_s: float
    limit: int
    crawl_delay_s: float = 0.0
    backoff_s: float = 0.0
    latency_s: float = 0.0
    active: int = 0
    next_start: float = 0.0
    hold_until: float = 0.0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class Politeness:
    """`acquire` a host before each request to it and `release` it with what was seen.

    A host that answers 429 or 503 is left alone for its Retry-After, gets one connection, and
    a delay that doubles; good answers halve the delay and add a connection again. Where a delay is
    asked for it also follows the latency, so a slow host is asked more slowly.
    """

    def __init__(self, limits: PolitenessLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._hosts: dict[str, _Host] = {}

    def set_crawl_delay(self, host: str, seconds: float) -> None:
        self._host(host).crawl_delay_s = seconds

    def delay_s(self, host: str) -> float:
        """The least time between two requests to a host, as things stand."""
        state = self._host(host)
        return max(state.delay_s, state.crawl_delay_s, state.backoff_s)

    def connections(self, host: str) -> int:
        """How many requests to a host may run at once, as things stand."""
        return self._host(host).limit

    async def acquire(self, host: str) -> None:
        state = self._host(host)
        if state.active >= state.limit or state.waiting:
            await self._queue(state)
        else:
            state.active += 1
        try:
            await self._space(state, host)
        except BaseException:
            self._leave(state)
            raise

    def release(
        self,
        host: str,
        *,
        status: int | None = None,
        latency_s: float | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Give the place back with what was seen; no status means that no answer came."""
        state = self._host(host)
        if status in BUSY:
            self._back_off(state, retry_after_s)
        elif latency_s is not None:
            state.latency_s += (latency_s - state.latency_s) * _LATENCY_WEIGHT
            if status is not None:
                self._recover(state)
            self._follow_latency(state)
        self._leave(state)

    def _host(self, host: str) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            state = _Host(self._limits.delay_s, self._limits.concurrency)
            self._hosts[host] = state
        return state

    async def _queue(self, state: _Host) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        state.waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._leave(state)
            raise

    def _leave(self, state: _Host) -> None:
        state.active -= 1
        while state.waiting and state.active < state.limit:
            place = state.waiting.popleft()
            if not place.done():
                state.active += 1
                place.set_result(None)

    async def _space(self, state: _Host, host: str) -> None:
        now = self._clock.now()
        # Taken before the wait: whoever comes meanwhile counts from here.
        start = max(now, state.next_start)
        state.next_start = start + self.delay_s(host)
        # A hold may begin while this request waits for its turn.
        while (due := max(start, state.hold_until)) > now:
            await self._clock.sleep(due - now)
            now = self._clock.now()

    def _back_off(self, state: _Host, retry_after_s: float | None) -> None:
        limits = self._limits
        doubled = max(limits.first_backoff_s, state.delay_s, state.backoff_s * 2)
        state.backoff_s = min(doubled, limits.max_delay_s)
        state.limit = 1
        hold_s = state.backoff_s if retry_after_s is None else min(retry_after_s, limits.max_hold_s)
        state.hold_until = max(state.hold_until, self._clock.now() + hold_s)

    def _recover(self, state: _Host) -> None:
        if state.backoff_s:
            # Halving never ends, and only without a back-off do connections come back.
            halved = state.backoff_s / 2
            state.backoff_s = halved if halved >= self._limits.first_backoff_s / 8 else 0.0

    def _follow_latency(self, state: _Host) -> None:
        limits = self._limits
        if limits.delay_s:
            # At this spacing a host that needs latency_s for one page has about `concurrency`
            # of our requests open, never more.
            paced = state.latency_s / limits.concurrency
            state.delay_s = min(max(limits.delay_s, paced), limits.max_delay_s)
        if state.latency_s > limits.slow_latency_s:
            state.limit = max(1, state.limit - 1)
        elif state.limit < limits.concurrency and not state.backoff_s:
            state.limit += 1
