"""Seats between two visits. A page left in one lives on: its timers fetch, compute and hoard.

So a seat that nobody takes for a moment is emptied. Not at once: a busy crawl takes it again within
that time, and the blank page would cost a docsify site a fifth of its pages/s.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from playwright.async_api import Error as PlaywrightError

from webmine_assets.crawl.rendering.seat import Seat

_IDLE_S = 0.25
# Emptying takes milliseconds unless the page resists; opening another seat is cheaper than that.
_WORTH_WAITING_S = 0.5


class _Held:
    """A seat at rest, and the task that empties it after a while."""

    def __init__(self, origin: str, seat: Seat) -> None:
        self.origin = origin
        self.seat = seat
        self.is_being_emptied = False
        self.emptying: asyncio.Task[None] | None = None


class IdleSeats:
    """Lent by origin, oldest first; `close_seat` ends those that cannot be emptied."""

    def __init__(self, close_seat: Callable[[Seat], Awaitable[None]]) -> None:
        self._close_seat = close_seat
        self._held: list[_Held] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._held)

    def put(self, origin: str, seat: Seat) -> None:
        if self._is_closed:
            return
        held = _Held(origin, seat)
        held.emptying = asyncio.create_task(self._empty_later(held))
        self._tasks.add(held.emptying)
        held.emptying.add_done_callback(self._tasks.discard)
        self._held.append(held)

    async def take(self, origin: str) -> Seat | None:
        """A seat of this origin, whose last page may still be there."""
        if seat := self._take_free(origin):
            return seat
        being_emptied = [each.emptying for each in self._of(origin) if each.emptying]
        if being_emptied:
            await asyncio.wait(
                being_emptied, timeout=_WORTH_WAITING_S, return_when=asyncio.FIRST_COMPLETED
            )
        return self._take_free(origin)

    def take_oldest(self) -> Seat | None:
        """Any seat that is at rest."""
        return self._take(next((each for each in self._held if not each.is_being_emptied), None))

    async def close(self) -> None:
        """Forget all seats and what was to be done with them; their browser closes them."""
        self._is_closed = True
        tasks = list(self._tasks)
        self._held.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _of(self, origin: str) -> list[_Held]:
        return [e for e in self._held if e.origin == origin and not e.seat.died.done()]

    def _take_free(self, origin: str) -> Seat | None:
        free = (each for each in self._of(origin) if not each.is_being_emptied)
        return self._take(next(free, None))

    def _take(self, held: _Held | None) -> Seat | None:
        if held is None:
            return None
        self._held.remove(held)
        if held.emptying is not None:
            held.emptying.cancel()
        return held.seat

    async def _empty_later(self, held: _Held) -> None:
        await asyncio.sleep(_IDLE_S)
        held.is_being_emptied = True
        is_empty = False
        with contextlib.suppress(PlaywrightError):
            is_empty = await held.seat.empty(held.origin)
        if is_empty:
            held.is_being_emptied = False
        elif held in self._held:
            self._held.remove(held)
            await self._close_seat(held.seat)
