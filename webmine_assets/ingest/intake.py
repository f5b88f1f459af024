"""Taking inputs in: what was taken is skipped, an interrupted input goes on, a budget holds.

Nothing is queued here: items are read only as they are asked for, so that memory is that of one.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO, Generic, Protocol, TypeVar

from webmine_assets.errors import ArchiveError, ImportSourceError
from webmine_assets.ingest.inputs import Input
from webmine_assets.ingest.tracker import Taken

T = TypeVar("T")
Parse = Callable[[BinaryIO, Input], Iterator[T]]


class Memory(Protocol):
    """What remembers how far each input was taken: a tracker, or one that waits to write."""

    def find(self, kind: str, digest: str) -> Taken | None: ...

    def save(
        self, kind: str, digest: str, *, name: str, position: int, done: bool = False
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class WaterMarks:
    """When to take more: not before `low` items wait, and then until `high` do."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 0 <= self.low < self.high:
            raise ImportSourceError(f"water marks {self.low} and {self.high}: expected low < high")

    def room(self, waiting: int) -> int:
        """How many items may be taken when so many wait."""
        return self.high - waiting if waiting <= self.low else 0


@dataclass(slots=True)
class IntakeReport:
    """What became of the inputs; filled while the items are taken.

    `empty` are those of the taken ones that held nothing.
    """

    items: int = 0
    taken: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


class Intake(Generic[T]):
    """One import of one kind: iterate it for the items, then read `report`.

    An item counts as taken when the next one is asked for: whoever stops in between, or is killed,
    gets that item again. `budget` is the most items of one run; what is left waits for the next.
    """

    def __init__(
        self,
        inputs: Iterable[Input],
        parse: Parse[T],
        *,
        kind: str,
        tracker: Memory,
        budget: int | None = None,
    ) -> None:
        self.report = IntakeReport()
        self._inputs = inputs
        self._parse = parse
        self._kind = kind
        self._tracker = tracker
        self._budget = budget

    def __iter__(self) -> Iterator[T]:
        for entry in self._inputs:
            if self._is_spent():
                self.report.unfinished.append(entry.name)
                continue
            try:
                yield from self._take(entry)
            except (ImportSourceError, ArchiveError, OSError) as problem:
                self.report.failed.append((entry.name, str(problem)))

    def _is_spent(self) -> bool:
        return self._budget is not None and self.report.items >= self._budget

    def _take(self, entry: Input) -> Iterator[T]:
        digest = entry.digest()
        known = self._tracker.find(self._kind, digest)
        if known and known.done:
            self.report.skipped.append(entry.name)
            return
        position = known.position if known else 0
        with entry.open() as stream:
            items = islice(self._parse(stream, entry), position, None)
            while not self._is_spent():
                try:
                    item = next(items)
                except StopIteration:
                    self._save(entry, digest, position, done=True)
                    self.report.taken.append(entry.name)
                    if position == 0:
                        self.report.empty.append(entry.name)
                    return
                self.report.items += 1
                yield item
                position += 1
                self._save(entry, digest, position)
        self.report.unfinished.append(entry.name)

    def _save(self, entry: Input, digest: str, position: int, *, done: bool = False) -> None:
        self._tracker.save(self._kind, digest, name=entry.name, position=position, done=done)
