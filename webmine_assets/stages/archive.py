"""Archives of stored pages: WARC files, and a table of where each page version is in them."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain

from webmine_assets.archive import pages as archiving
from webmine_assets.archive.adoption import adopt_files
from webmine_assets.archive.story import Story, build_story
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress, Task
from webmine_assets.records import (
    PageArchive,
    PageContent,
    PageMetadata,
    PageSnapshot,
    PageTopic,
    Seed,
)
from webmine_assets.settings import Settings
from webmine_assets.storage.finder import RowFinder, finding
from webmine_assets.storage.lake import Lake, Written

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """What an archiving run left: the table, the files it wrote and the stories in them."""

    table: Written
    files: tuple[str, ...]
    stories: int
    revisits: int


def archive_pages(
    institution: Institution, *, lake: Lake, settings: Settings, progress: Progress
) -> Archived:
    """Archive what is new or changed; later visits that found the same get a revisit row."""
    name = institution.institution_id
    total = lake.count("page_snapshots", name)
    folder = settings.archives / name
    previous = list(lake.read(PageArchive, "page_archives", name, size=1_000))
    previous += adopt_files(folder, previous, institution=name)
    with progress.task(f"{name}: archive", total) as task, ExitStack() as stack:
        new = list(
            archiving.archive_pages(
                _archivable(name, task, lake=lake, stack=stack),
                previous=previous,
                folder=folder,
                prefix=settings.archive_prefix,
            )
        )
    written = lake.write("page_archives", name, chain(previous, new))
    responses = [row for row in new if row.record_type == "response"]
    _log.info(
        "%s: %d stories archived, %d known already", name, len(responses), total - len(responses)
    )
    return Archived(
        table=written,
        files=tuple(sorted({row.file for row in responses})),
        stories=len(responses),
        revisits=len(new) - len(responses),
    )


def archive_imports(
    institution: Institution, *, lake: Lake, settings: Settings, progress: Progress
) -> None:
    """Archive the partition if an import brought a page that has no copy yet.

    A crawl calls it first: it drops what the site no longer has and replaces what changed, and
    nothing else would ever bring an imported page back.
    """
    if _has_unarchived_imports(lake, institution.institution_id):
        archive_pages(institution, lake=lake, settings=settings, progress=progress)


def _has_unarchived_imports(lake: Lake, institution: str) -> bool:
    imported: set[tuple[str, datetime]] = set()
    columns = ["url", "fetched_at", "rss_entry"]
    for batch in lake.batches("page_snapshots", institution, columns=columns, size=10_000):
        # Only imported pages carry how their file says that they were found.
        rows = batch.filter(batch.column("rss_entry").is_valid()).to_pylist()
        imported.update((row["url"], row["fetched_at"].replace(microsecond=0)) for row in rows)
    if not imported:
        return False
    columns = ["url", "fetched_at"]
    for batch in lake.batches("page_archives", institution, columns=columns, size=10_000):
        imported.difference_update((row["url"], row["fetched_at"]) for row in batch.to_pylist())
    return bool(imported)


def _archivable(
    institution: str, task: Task, *, lake: Lake, stack: ExitStack
) -> Iterator[archiving.ArchivablePage]:
    content, metadata, topics = (
        stack.enter_context(finding(lake, table, institution))
        for table in ("page_content", "page_metadata", "page_topics")
    )
    seeds = stack.enter_context(finding(lake, "seeds", institution, key="url"))
    snapshots = lake.read(PageSnapshot, "page_snapshots", institution, size=16)
    for number, snapshot in enumerate(snapshots, start=1):
        task.update(number)
        yield archiving.ArchivablePage(
            snapshot, partial(_story, snapshot, content, metadata, topics, seeds)
        )


def _story(
    snapshot: PageSnapshot,
    content: RowFinder[PageContent],
    metadata: RowFinder[PageMetadata],
    topics: RowFinder[PageTopic],
    seeds: RowFinder[Seed],
) -> Story:
    return build_story(
        snapshot,
        content.find(snapshot.page_id),
        metadata.find(snapshot.page_id),
        topics.find_all(snapshot.page_id),
        seed=seeds.find(snapshot.requested_url),
    )
