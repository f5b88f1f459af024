"""Which URL comes next: breadth first, preferred ones ahead, then the order of discovery.

A pure data structure: it knows nothing of fetching, scope or decisions.
"""

from collections import deque
from dataclasses import dataclass
from enum import StrEnum


class ItemKind(StrEnum):
    """What a frontier item is fetched for."""

    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class Item:
    """One URL waiting for its turn: `url` is what to ask for, `key` what it is known by."""

    url: str
    key: str
    depth: int
    discovered_from: str | None
    source: str = "crawl"
    kind: ItemKind = ItemKind.PAGE

    @property
    def mark(self) -> str:
        """What tells it from every other item of a crawl: a sitemap may be linked as a page too."""
        return f"{self.kind} {self.key}"


class Frontier:
    """Two queues a depth (preferred, others): the order depends only on the calls made.

    Items are handed out once; who adds makes sure that a URL is added once.
    """

    def __init__(self) -> None:
        self._preferred: dict[int, deque[Item]] = {}
        self._others: dict[int, deque[Item]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, item: Item, *, preferred: bool = False) -> None:
        queues = self._preferred if preferred else self._others
        queue = queues.get(item.depth)
        if queue is None:
            queue = queues[item.depth] = deque()
        queue.append(item)
        self._size += 1

    def pop(self) -> Item | None:
        """The next item, or None when nothing waits."""
        if not self._size:
            return None
        depth = min(min(self._preferred, default=1 << 30), min(self._others, default=1 << 30))
        queues = self._preferred if depth in self._preferred else self._others
        queue = queues[depth]
        item = queue.popleft()
        if not queue:
            del queues[depth]
        self._size -= 1
        return item
