"""Rows of one partition by key: places are kept in memory, row groups read when asked for."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Generic, TypeVar

import pyarrow.parquet as pq

from webmine_assets.storage.lake import Lake
from webmine_assets.storage.schemas import from_row, record_of

T = TypeVar("T")


class RowFinder(Generic[T]):
    """Finds the rows of a key.

    Callers ask in nearly the order in which rows were stored, so the one row group that is kept
    answers most questions, and memory does not grow with the partition's bodies.
    """

    def __init__(self, file: pq.ParquetFile | None, record: type[T], key: str) -> None:
        self._file = file
        self._record = record
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._group: tuple[int, list[dict[str, Any]]] = (-1, [])
        for number in range(file.num_row_groups if file else 0):
            values = file.read_row_group(number, columns=[key]).column(0).to_pylist()  # type: ignore[union-attr]  # no file, no groups
            for position, value in enumerate(values):
                self._places.setdefault(value, []).append((number, position))

    def find(self, key: str) -> T | None:
        """The first row of a key."""
        return next(iter(self.find_all(key)), None)

    def find_all(self, key: str) -> list[T]:
        return [self._read(*place) for place in self._places.get(key, ())]

    def _read(self, number: int, position: int) -> T:
        if self._group[0] != number:
            assert self._file is not None  # noqa: S101  # a place was found, so there is a file
            self._group = (number, self._file.read_row_group(number).to_pylist())
        return from_row(self._record, self._group[1][position])


@contextmanager
def finding(
    lake: Lake, table: str, institution: str, *, key: str = "page_id"
) -> Iterator[RowFinder[Any]]:
    """A finder over one partition; over none it finds nothing."""
    with ExitStack() as stack:
        there = lake.has(table, institution)
        file = stack.enter_context(lake.open(table, institution)) if there else None
        yield RowFinder(file, record_of(table), key)
