"""Which pages of a partition need a copy, and the rows that say where each page's copy is."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path

from webmine_assets.archive.container import sha1_digest
from webmine_assets.archive.story import Story
from webmine_assets.archive.warc import (
    DEFAULT_PREFIX,
    MAX_STORIES,
    ArchiveWriter,
    Location,
    utc_now,
)
from webmine_assets.records import PageArchive, PageSnapshot


@dataclass(frozen=True, slots=True)
class ArchivablePage:
    """A page and how to make its story: only a page that needs a copy has it made."""

    snapshot: PageSnapshot
    build: Callable[[], Story]


def archive_pages(
    pages: Iterable[ArchivablePage],
    *,
    previous: Iterable[PageArchive],
    folder: Path,
    prefix: str = DEFAULT_PREFIX,
    max_stories: int = MAX_STORIES,
    clock: Callable[[], datetime] = utc_now,
    host: str | None = None,
) -> Iterator[PageArchive]:
    """The new rows of a partition, to be added to `previous`; new and changed pages are written.

    A page whose text or bytes are in an earlier copy gets a `revisit` row that points to the first
    such copy, unless a row tells of that visit already: runs are more frequent than visits, and
    with hourly feeds a page that is fetched once in 14 days would get 336 rows that differ in
    nothing but the hour. A row comes only when the file it names has its final name.
    """
    copies = _Copies(previous, folder)
    written: deque[PageSnapshot] = deque()
    revisits: list[PageArchive] = []

    def stories() -> Iterator[Story]:
        for page in pages:
            if copy := copies.find(page.snapshot):
                revisit = _revisit(copy, page.snapshot, clock())
                if not copies.tell_of(revisit):
                    revisits.append(revisit)
            else:
                written.append(page.snapshot)
                yield page.build()

    waiting: dict[str, list[PageArchive]] = {}
    published = 0
    with ArchiveWriter(
        folder, prefix=prefix, max_stories=max_stories, clock=clock, host=host
    ) as writer:
        for location in writer.write_all(stories()):
            row = _response(written.popleft(), location, clock())
            waiting.setdefault(row.file, []).append(row)
            for path in writer.finished[published:]:
                yield from waiting.pop(path.name, ())
            published = len(writer.finished)
            yield from _drained(revisits)
    yield from chain(*waiting.values(), revisits)


def _visit(row: PageArchive) -> tuple[str, str, datetime]:
    return row.url, row.record_id, row.fetched_at


def _drained(rows: list[PageArchive]) -> Iterator[PageArchive]:
    yield from rows
    rows.clear()


class _Copies:
    """The earlier copies of every page, by what was in them; those whose file is gone are not.

    And the visits that a row tells of. Runs are more frequent than visits: with hourly feeds a page
    that is fetched once in 14 days would get 336 rows that differ in nothing but the hour.
    """

    def __init__(self, previous: Iterable[PageArchive], folder: Path) -> None:
        self._copies: dict[tuple[str, str, str], PageArchive] = {}
        self._visits: set[tuple[str, str, datetime]] = set()
        there: dict[str, bool] = {}
        for row in sorted(previous, key=lambda row: row.archived_at):
            self._visits.add(_visit(row))
            if row.record_type != "response":
                continue
            if row.file not in there:
                there[row.file] = (folder / row.file).is_file()
            if there[row.file]:
                for mark in (row.checksum, row.payload_digest):
                    self._copies.setdefault((row.institution, row.url, mark), row)

    def tell_of(self, row: PageArchive) -> bool:
        """Whether an earlier row is of the same visit and leads to the same copy."""
        return _visit(row) in self._visits

    def find(self, snapshot: PageSnapshot) -> PageArchive | None:
        """The first copy with the same text; pages without text are compared by their bytes."""
        page = (snapshot.institution, snapshot.url)
        if snapshot.text.strip() and (copy := self._copies.get((*page, snapshot.checksum))):
            return copy
        return self._copies.get((*page, sha1_digest(snapshot.body)))


def _response(snapshot: PageSnapshot, location: Location, now: datetime) -> PageArchive:
    return PageArchive(
        institution=snapshot.institution,
        page_id=snapshot.page_id,
        url=snapshot.url,
        target_uri=location.target_uri,
        record_type="response",
        file=location.file,
        offset=location.offset,
        length=location.length,
        metadata_offset=location.metadata_offset,
        metadata_length=location.metadata_length,
        record_id=location.record_id,
        payload_digest=location.payload_digest,
        checksum=snapshot.checksum,
        fetched_at=location.fetched_at,
        archived_at=now,
    )


def _revisit(copy: PageArchive, snapshot: PageSnapshot, now: datetime) -> PageArchive:
    return replace(
        copy,
        record_type="revisit",
        checksum=snapshot.checksum,
        fetched_at=snapshot.fetched_at.replace(microsecond=0),
        archived_at=now,
    )
