"""Rows on disk until they are published: memory holds one block of them."""

import contextlib
import pickle
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import zstandard

from webmine_assets.errors import JournalError

Row = TypeVar("Row")

_SIZE = struct.Struct(">I")


class Spool(Generic[Row]):
    """An append-only file of rows, started empty by every run: a crash rebuilds it by replay."""

    def __init__(self, path: Path, *, block_rows: int = 1) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb")
        except OSError as problem:
            raise _unwritable(path, problem) from problem
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._block: list[Row] = []
        self._block_rows = block_rows
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, row: Row) -> None:
        self._block.append(row)
        self._count += 1
        if len(self._block) >= self._block_rows:
            self._write_block()

    def __iter__(self) -> Iterator[Row]:
        """Every row in the order of appending; may be iterated again."""
        self._write_block()
        try:
            self._file.flush()
        except OSError as problem:
            raise _unwritable(self._path, problem) from problem
        decompressor = zstandard.ZstdDecompressor()
        with self._path.open("rb") as file:
            while head := file.read(_SIZE.size):
                data = decompressor.decompress(file.read(_SIZE.unpack(head)[0]))
                yield from pickle.loads(data)  # noqa: S301  # written by this process, just below

    def remove(self) -> None:
        """Nothing of it is needed any more, so nothing that fails here hides an earlier error."""
        # Closing writes what is buffered, which a full disk refuses.
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._path.unlink()

    def _write_block(self) -> None:
        if not self._block:
            return
        data = pickle.dumps(self._block, protocol=pickle.HIGHEST_PROTOCOL)
        data = self._compressor.compress(data)
        try:
            self._file.write(_SIZE.pack(len(data)) + data)
        except OSError as problem:
            raise _unwritable(self._path, problem) from problem
        self._block = []


def _unwritable(path: Path, problem: OSError) -> JournalError:
    return JournalError(f"{path}: cannot write: {problem.strerror}")
