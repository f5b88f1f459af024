"""Rows on disk until they are merged: any of them can be read again by its place."""

import pickle
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard

from webmine_assets.records import PageSnapshot


class PageShelf:
    """An unnamed file: it is gone with the process, however that ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # closed by __exit__
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, row: PageSnapshot) -> tuple[int, int]:
        """Put a row down; its place."""
        data = zstandard.compress(pickle.dumps(row, protocol=pickle.HIGHEST_PROTOCOL), 1)
        self._file.seek(self._end)
        self._file.write(data)
        place = (self._end, len(data))
        self._end += len(data)
        return place

    def read(self, place: tuple[int, int]) -> PageSnapshot:
        offset, length = place
        self._file.seek(offset)
        data = zstandard.decompress(self._file.read(length))
        row: PageSnapshot = pickle.loads(data)  # noqa: S301  # written by this process, just above
        return row
