"""The lake: one Parquet file per table and institution, written in a stream, published in one step.

Works on a local folder and on any fsspec URL.
"""

import contextlib
import os
import posixpath
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import fsspec.core
import pyarrow as pa
import pyarrow.parquet as pq

from webmine_assets.errors import StorageError
from webmine_assets.records import TABLES
from webmine_assets.storage.explained import explained, unusable
from webmine_assets.storage.parquet_stream import ParquetStream, notes_of
from webmine_assets.storage.schemas import from_row, record_of, table_schema

T = TypeVar("T")

FILE = "part-0.parquet"
EMPTY = "__empty__"
"""A partition of no rows in every table: views over an empty lake have columns, not errors."""

_FOLDER = "institution="
# Longer than any partition takes to write: a file aside that is older was left by a killed process.
_ABANDONED_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Written:
    """What a publication put in place."""

    table: str
    institution: str
    path: str
    rows: int
    bytes: int


def write_parquet(
    path: Path, record: type, rows: Iterable[Any], *, note: Mapping[str, str] | None = None
) -> int:
    """Write records to one local file aside and rename it; the number of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with aside.open("wb") as sink, contextlib.closing(ParquetStream(sink, record)) as stream:
            for row in rows:
                stream.add(row)
            if note:
                stream.note(note)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return stream.count


def note_of(path: Path) -> dict[str, str]:
    """What was noted in a local file by `write_parquet`; nothing in a file that is none of ours."""
    with contextlib.suppress(OSError, pa.ArrowException), pq.ParquetFile(path) as file:
        return notes_of(file)
    return {}


class PartitionWriter:
    """One partition being written: nothing is seen by readers until `publish`.

    Leaving the context without publishing throws the new rows away.
    """

    def __init__(self, lake: "Lake", table: str, institution: str) -> None:
        self._lake = lake
        self.table = table
        self.institution = institution
        self.path = lake.path_of(table, institution)
        # Inside the root, as a rename does not lead to another disk; outside the tables, whose
        # folders are listed and globbed.
        self._aside = f"{lake.root}/.aside/{uuid.uuid4().hex}.parquet"

    def __enter__(self) -> Self:
        with self._lake.explained():
            self._lake.fs.makedirs(posixpath.dirname(self._aside), exist_ok=True)
            self._sink = self._lake.fs.open(self._aside, "wb")
            self._stream = ParquetStream(self._sink, record_of(self.table))
        return self

    def add(self, record: Any) -> None:
        try:
            self._stream.add(record)
        except OSError as problem:
            raise unusable(self._lake.url, problem) from problem

    def publish(self, note: Mapping[str, str] | None = None) -> Written:
        """Make the rows the partition, in one step; `note` is what `Lake.note` reads back."""
        with self._lake.explained():
            if note:
                self._stream.note(note)
            self._stream.close()
            self._sink.close()
            size = self._lake.fs.size(self._aside)
            self._lake.replace(self._aside, self.path)
        return Written(self.table, self.institution, self.path, self._stream.count, size)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._sink.closed:
            with contextlib.suppress(pa.ArrowException, OSError):
                self._stream.close()
            # A full disk refuses what is buffered; that must not hide the error that led here.
            with contextlib.suppress(OSError):
                self._sink.close()
        with contextlib.suppress(OSError):
            self._lake.fs.rm_file(self._aside)


class Lake:
    """All tables under one root."""

    def __init__(self, url: str) -> None:
        with explained(url):
            self.fs, root = fsspec.core.url_to_fs(url)
        self.url = url
        self.root: str = root.rstrip("/")
        self.is_local = "file" in (
            self.fs.protocol if isinstance(self.fs.protocol, tuple) else (self.fs.protocol,)
        )

    @property
    def is_there(self) -> bool:
        """Whether anything was ever kept here."""
        with self.explained():
            return bool(self.fs.exists(self.root))

    def explained(self, path: str = "") -> contextlib.AbstractContextManager[None]:
        return explained(self.url, path)

    def prepare(self) -> None:
        """Make the folders and the empty partition of each table, if they are not there yet.

        Takes away what killed processes left unpublished.
        """
        with self.explained():
            self._sweep()
            for table in TABLES:
                if not self._has_current_empty(table):
                    with self.writer(table, EMPTY) as writer:
                        writer.publish()

    def _sweep(self) -> None:
        # Others may sweep or publish at the same time, and not every file system tells times.
        with contextlib.suppress(OSError, NotImplementedError):
            for path in self.fs.ls(f"{self.root}/.aside", detail=False):
                with contextlib.suppress(OSError, NotImplementedError):
                    if _age(self.fs.modified(path)) > _ABANDONED_AFTER:
                        self.fs.rm_file(path)

    def _has_current_empty(self, table: str) -> bool:
        path = self.path_of(table, EMPTY)
        if not self.fs.exists(path):
            return False
        # A damaged one is written anew: there is nothing in it to lose.
        with contextlib.suppress(pa.ArrowInvalid), self.fs.open(path, "rb") as source:
            return bool(pq.read_schema(source).equals(table_schema(table)))
        return False

    def path_of(self, table: str, institution: str) -> str:
        record_of(table)
        return f"{self.root}/{table}/institution={institution}/{FILE}"

    def location_of(self, table: str, institution: str) -> str:
        """The path as a person or another tool would write it, protocol included."""
        path = self.path_of(table, institution)
        return path if self.is_local else str(self.fs.unstrip_protocol(path))

    def glob_of(self, table: str) -> str:
        return self.location_of(table, "*")

    def writer(self, table: str, institution: str) -> PartitionWriter:
        return PartitionWriter(self, table, institution)

    def write(
        self,
        table: str,
        institution: str,
        rows: Iterable[Any],
        *,
        note: Mapping[str, str] | None = None,
    ) -> Written:
        """Write and publish one partition from an iterable of records."""
        with self.writer(table, institution) as writer:
            for row in rows:
                writer.add(row)
            return writer.publish(note)

    def note(self, table: str, institution: str) -> dict[str, str]:
        """What was noted when the partition was published; nothing if there is none."""
        with self.open(table, institution) as file:
            return notes_of(file) if file else {}

    def published(self, table: str, institution: str) -> Written:
        """The partition that is in place, as its publication told it."""
        path = self.path_of(table, institution)
        with self.explained():
            size = self.fs.size(path)
        return Written(table, institution, path, self.count(table, institution), size)

    def has(self, table: str, institution: str) -> bool:
        with self.explained():
            return bool(self.fs.exists(self.path_of(table, institution)))

    def institutions(self, table: str) -> list[str]:
        """The institutions that have a partition of this table."""
        with self.explained():
            found = self.fs.glob(f"{self.root}/{table}/institution=*/{FILE}")
        names = (path.split("/")[-2].removeprefix("institution=") for path in found)
        return sorted(name for name in names if name != EMPTY)

    def version(self, table: str, institution: str) -> object:
        """What is another after each publication of a partition; None if there is none."""
        return self.versions(table).get(institution)

    def versions(self, table: str) -> dict[str, object]:
        """By institution, what is another after each publication of the partition."""
        with self.explained():
            if self.is_local:
                return dict(_local_versions(f"{self.root}/{table}"))
            # Listings are remembered by fsspec; others publish.
            self.fs.invalidate_cache()
            found = self.fs.glob(f"{self.root}/{table}/institution=*/{FILE}", detail=True)
        files = ((path.split("/")[-2], info) for path, info in found.items())
        return {
            folder.removeprefix(_FOLDER): tuple(
                str(info.get(name)) for name in ("ETag", "mtime", "LastModified", "created", "size")
            )
            for folder, info in files
            if folder != _FOLDER + EMPTY
        }

    def damaged(self) -> Iterator[StorageError]:
        """What is wrong with each file that has no readable footer, which is where a cut shows."""
        for table in TABLES:
            for institution in self.institutions(table):
                try:
                    with self.open(table, institution):
                        pass
                except StorageError as problem:
                    yield problem

    def remove(self, table: str, institution: str) -> None:
        """Take a partition away."""
        folder = posixpath.dirname(self.path_of(table, institution))
        with self.explained(), contextlib.suppress(FileNotFoundError):
            self.fs.rm(folder, recursive=True)

    @contextlib.contextmanager
    def open(self, table: str, institution: str) -> Iterator[pq.ParquetFile | None]:
        """One partition as a Parquet file for reading, None if there is none.

        It stays the same while it is open. To look first whether it is there would not help:
        others may take it away in between.
        """
        path = self.path_of(table, institution)
        with contextlib.ExitStack() as stack:
            file = None
            # Only opening is explained: what goes wrong in the caller's block is not the lake's.
            place = self.location_of(table, institution)
            with self.explained(place), contextlib.suppress(FileNotFoundError):
                file = pq.ParquetFile(stack.enter_context(self.fs.open(path, "rb")))
            yield file

    def batches(
        self,
        table: str,
        institution: str,
        *,
        columns: list[str] | None = None,
        size: int = 64,
    ) -> Iterator[pa.RecordBatch]:
        """A partition in batches of at most `size` rows; nothing if there is no partition."""
        with self.open(table, institution) as file:
            if file is None:
                return
            known = file.schema_arrow.names
            wanted = [name for name in columns if name in known] if columns else None
            with self.explained(self.location_of(table, institution)):
                yield from file.iter_batches(batch_size=size, columns=wanted)

    def read(self, record: type[T], table: str, institution: str, *, size: int = 64) -> Iterator[T]:
        """The rows of a partition as records, a batch of memory at a time."""
        for batch in self.batches(table, institution, size=size):
            for row in batch.to_pylist():
                yield from_row(record, row)

    def count(self, table: str, institution: str) -> int:
        with self.open(table, institution) as file:
            return int(file.metadata.num_rows) if file else 0

    def replace(self, source: str, target: str) -> None:
        """Put a finished file in place in one step: rename locally, one put elsewhere."""
        self.fs.makedirs(posixpath.dirname(target), exist_ok=True)
        if self.is_local:
            Path(source).replace(target)
        else:
            # An object store shows a copied object when it is whole; it has no rename.
            self.fs.cp_file(source, target)
            self.fs.rm_file(source)


def _local_versions(table: str) -> Iterator[tuple[str, object]]:
    """One `stat` a partition, 1.5 µs each; publishing one renames a new file into its place."""
    with contextlib.suppress(FileNotFoundError), os.scandir(table) as entries:
        for entry in entries:
            if not entry.name.startswith(_FOLDER) or entry.name == _FOLDER + EMPTY:
                continue
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                status = os.stat(f"{entry.path}/{FILE}")  # noqa: PTH116  # ten times a Path's speed
                version = (status.st_mtime_ns, status.st_size, status.st_ino)
                yield entry.name.removeprefix(_FOLDER), version


def _age(modified: datetime) -> timedelta:
    aware = modified if modified.tzinfo else modified.replace(tzinfo=UTC)
    return datetime.now(UTC) - aware
