"""Rows of one partition by key: places are kept in memory, row groups read when asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from webmine_assets.errors import StorageError
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.schemas import from_row, record_of

T = TypeVar("T")
_LIGHT_ROWS = 1_000


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

    def light(self, columns: list[str]) -> Iterator[dict[str, Any]]:
        """All rows with these columns only, in the order of the table."""
        if self._file is None:
            return
        known = [name for name in columns if name in self._file.schema_arrow.names]
        for batch in self._file.iter_batches(batch_size=_LIGHT_ROWS, columns=known):
            yield from batch.to_pylist()

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
    with lake.open(table, institution) as file:
        yield RowFinder(file, record_of(table), key)


@contextmanager
def finding_in(path: Path, record: type[T], *, key: str) -> Iterator[RowFinder[T]]:
    """A finder over one Parquet file outside a lake."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as problem:
        message = f"{path} cannot be read: {problem}; move it away to start without it"
        raise StorageError(message) from problem
    with file:
        yield RowFinder(file, record, key)
