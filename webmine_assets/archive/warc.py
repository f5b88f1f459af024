"""Archive files: WARC 1.0 with a response and its metadata records for each story.

A file has its final name only when it is whole; until then it is `.NAME.part` beside it.
"""

import os
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from webmine_assets.archive.index import IndexLine, write_index
from webmine_assets.archive.story import Story
from webmine_assets.archive.story_records import StoryRecords, build_records, build_warcinfo
from webmine_assets.errors import ArchiveError

DEFAULT_PREFIX = "mc"
MAX_STORIES = 5000  # what Media Cloud's archives hold at most
MAX_FILE_BYTES = 1_000_000_000  # 10^9, the size that annex C of WARC 1.1 recommends
DEFAULT_LEVEL = 6
# Historical pages have a file for each year: two decades of them at a time, then the oldest closes.
_MOST_OPEN = 20
_WORKERS = min(4, os.cpu_count() or 1)
_PART = ".part"
# A writer appends all the time: a part nobody touched for a day belongs to a process that died.
_STALE_S = 86_400
_PREFIX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a story was written; `file` is the final name of its archive file."""

    file: str
    offset: int
    length: int
    metadata_offset: int
    metadata_length: int
    record_id: str
    payload_digest: str
    target_uri: str
    fetched_at: datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


class ArchiveWriter:
    """Writes stories into files of at most `max_stories`; `finished` are those under their name.

    A name begins with `prefix`, which has no hyphen at its end, and the story's flavour: each
    flavour has a file of its own. Leaving the context with an error discards the open files.
    """

    def __init__(
        self,
        folder: Path,
        *,
        prefix: str = DEFAULT_PREFIX,
        max_stories: int = MAX_STORIES,
        clock: Callable[[], datetime] = utc_now,
        host: str | None = None,
        level: int = DEFAULT_LEVEL,
    ) -> None:
        if not _PREFIX.fullmatch(prefix) or prefix.endswith("-"):
            raise ArchiveError(str(folder), f"prefix {prefix!r}: expected letters, digits, . _ -")
        self.finished: list[Path] = []
        self._folder = folder
        self._prefix = prefix
        self._max_stories = max_stories
        self._clock = clock
        self._host = re.sub(r"[^A-Za-z0-9.-]", "-", host or socket.gethostname()) or "localhost"
        self._level = level
        self._serial = 0
        self._open: dict[str, _OpenFile] = {}

    def __enter__(self) -> Self:
        with _as_archive_error(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        _remove_stale_parts(self._folder)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            for file in self._open.values():
                with suppress(OSError):  # the error that brought us here is the one to tell
                    file.discard()

    def write(self, story: Story) -> Location:
        """Append one story; the location holds once its file is in `finished`."""
        return self._append(self._build(story))

    def write_all(self, stories: Iterable[Story]) -> Iterator[Location]:
        """Append stories in order, preparing a few at a time on all cores: hashing and
        compressing run outside the interpreter's lock."""
        with ThreadPoolExecutor(_WORKERS, thread_name_prefix="archive") as pool:
            ahead: deque[Future[StoryRecords]] = deque()
            for story in stories:
                ahead.append(pool.submit(self._build, story))
                if len(ahead) > 2 * _WORKERS:
                    yield self._append(ahead.popleft().result())
            while ahead:
                yield self._append(ahead.popleft().result())

    def _build(self, story: Story) -> StoryRecords:
        if not story.target_uri:
            raise ArchiveError(str(self._folder), "a story without a URL cannot be archived")
        return build_records(story, self._clock(), self._level)

    def _append(self, records: StoryRecords) -> Location:
        flavour = records.flavour
        file = self._open.get(flavour)
        if file and file.is_full(self._max_stories):
            self._publish(flavour)
        elif file is None and len(self._open) >= _MOST_OPEN:
            self._publish(next(iter(self._open)))
        with _as_archive_error(self._folder):
            if flavour not in self._open:
                self._open[flavour] = self._start(f"{self._prefix}{flavour}")
            return self._open[flavour].append(records)

    def finish(self) -> None:
        """Give the open files their final names and indexes; the next story starts another."""
        for flavour in list(self._open):
            self._publish(flavour)

    def _publish(self, flavour: str) -> None:
        with _as_archive_error(self._folder):
            self.finished.append(self._open[flavour].publish())
        del self._open[flavour]

    def _start(self, prefix: str) -> "_OpenFile":
        now = self._clock()
        stamp = now.astimezone(UTC).strftime("%Y%m%d%H%M%S")
        while True:
            self._serial += 1
            name = f"{prefix}-{stamp}-{self._serial:05d}-{self._host}.warc.gz"
            if file := _reserve(self._folder / name):
                info = build_warcinfo(name, now=now, host=self._host, level=self._level)
                return _OpenFile(self._folder / name, file, info)


class _OpenFile:
    """One archive file while it is written."""

    def __init__(self, path: Path, file: BinaryIO, warcinfo: bytes) -> None:
        self._path = path
        self._file = file
        self._size = file.write(warcinfo)
        self._index: list[IndexLine] = []

    def is_full(self, max_stories: int) -> bool:
        return len(self._index) >= max_stories or self._size >= MAX_FILE_BYTES

    def append(self, records: StoryRecords) -> Location:
        offset, length = self._write(records.response)
        metadata_offset, metadata_length = self._write(records.metadata)
        self._write(records.extras)
        location = Location(
            file=self._path.name,
            offset=offset,
            length=length,
            metadata_offset=metadata_offset,
            metadata_length=metadata_length,
            record_id=records.record_id,
            payload_digest=records.payload_digest,
            target_uri=records.target_uri,
            fetched_at=records.fetched_at,
        )
        self._index.append(_index_line(records, location))
        return location

    def publish(self) -> Path:
        """Final name first, index second: an index can be made again, and `check` misses it."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        _part(self._path).replace(self._path)
        write_index(self._path, self._index)
        return self._path

    def discard(self) -> None:
        self._file.close()
        _part(self._path).unlink(missing_ok=True)

    def _write(self, member: bytes) -> tuple[int, int]:
        offset = self._size
        self._size += self._file.write(member)
        return offset, len(member)


def _index_line(records: StoryRecords, location: Location) -> IndexLine:
    return IndexLine(
        url=location.target_uri,
        fetched_at=location.fetched_at,
        mime=records.content_type,
        status=records.status,
        digest=location.payload_digest,
        offset=location.offset,
        length=location.length,
        filename=location.file,
    )


@contextmanager
def _as_archive_error(folder: Path) -> Iterator[None]:
    """A full or read-only disk, in our own words."""
    try:
        yield
    except OSError as problem:
        raise ArchiveError(str(folder), f"cannot be written: {problem.strerror}") from problem


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}{_PART}")


def _reserve(path: Path) -> BinaryIO | None:
    """The part file of a name nobody has; None if another writer was there first.

    The name is looked up after the part is made: whoever held it before has renamed it by then.
    """
    try:
        file = _part(path).open("xb")
    except FileExistsError:
        return None
    if not path.exists():
        return file
    file.close()
    _part(path).unlink(missing_ok=True)
    return None


def _remove_stale_parts(folder: Path) -> None:
    for part in folder.glob(f".*.warc.gz{_PART}"):
        with suppress(OSError):  # another writer may be tidying up at the same time
            if time.time() - part.stat().st_mtime > _STALE_S:
                part.unlink()
