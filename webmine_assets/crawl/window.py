"""The sliding window: visits run side by side and are handed back strictly in the order taken."""

import asyncio
from collections import deque
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from webmine_assets.crawl.frontier import Item, ItemKind
from webmine_assets.crawl.outcome import Outcome
from webmine_assets.crawl.rendering.planner import PagePlan

WINDOW = 64
"""Fixed, whatever the number of connections. 64 keeps 16 connections busy while one page takes
its time; what is in it after reading is text and links, not bodies."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A visit that was started."""

    item: Item
    plan: PagePlan | None
    task: asyncio.Task[Outcome]


@dataclass(slots=True)
class Window:
    """Use as `async with`: visits still under way at the end are cancelled."""

    size: int = WINDOW
    _visits: deque[UnderWay] = field(default_factory=deque)
    _pages: int = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.cancel()

    def __iter__(self) -> Iterator[UnderWay]:
        return iter(self._visits)

    def __len__(self) -> int:
        return len(self._visits)

    @property
    def pages(self) -> int:
        """How many of the visits under way may end as a page."""
        return self._pages

    def start(self, item: Item, plan: PagePlan | None, visit: Coroutine[Any, Any, Outcome]) -> None:
        self._visits.append(UnderWay(item, plan, asyncio.create_task(visit)))
        self._pages += item.kind is ItemKind.PAGE

    async def finish_first(self, timeout_s: float | None) -> tuple[UnderWay, Outcome] | None:
        """The earliest visit with its outcome; None if the time was up before it ended."""
        first = self._visits[0]
        done, _ = await asyncio.wait({first.task}, timeout=timeout_s)
        if not done:
            return None
        self._visits.popleft()
        self._pages -= first.item.kind is ItemKind.PAGE
        return first, first.task.result()

    @property
    def unended(self) -> list[Item]:
        """The items whose visits have not ended yet, in order."""
        return [visit.item for visit in self._visits if not visit.task.done()]

    @property
    def first(self) -> UnderWay:
        return self._visits[0]

    async def drop_first(self) -> Item:
        """End the earliest visit without its outcome."""
        first = self._visits.popleft()
        self._pages -= first.item.kind is ItemKind.PAGE
        first.task.cancel()
        await asyncio.gather(first.task, return_exceptions=True)
        return first.item

    async def cancel(self) -> list[Item]:
        """End what is under way; its items, in order."""
        items = [visit.item for visit in self._visits]
        tasks = [visit.task for visit in self._visits]
        self._visits.clear()
        self._pages = 0
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return items
