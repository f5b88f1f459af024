"""Content, metadata and topics of stored pages: one parse a page, no network.

A page whose inputs are those its rows were made from keeps them.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import PageContent, PageMetadata, PageTopic
from webmine_assets.stages.page_rows import EnhancedPage, StoredPage, enhanced
from webmine_assets.storage.finder import RowFinder, finding
from webmine_assets.storage.lake import Lake, Written

__all__ = [
    "EnhancedPage",
    "Enhancement",
    "StoredPage",
    "enhance_pages",
    "stored_pages",
]

_log = logging.getLogger(__name__)
_TOLD_FAILURES = 20
_COLUMNS = [
    "page_id",
    "url",
    "requested_url",
    "checksum",
    "content_type",
    "encoding",
    "body",
    "text",
    "title",
    "meta",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Enhancement:
    """What an enhancement published; `kept` pages had their rows copied."""

    content: Written
    metadata: Written
    topics: Written
    failed: int
    rules_invalid: tuple[str, ...]
    kept: int = 0


def enhance_pages(
    institution: Institution,
    *,
    lake: Lake,
    progress: Progress,
    now: datetime | None = None,
    force: bool = False,
) -> Enhancement:
    """Publish the three tables; pages are extracted if they need it, or all with `force`."""
    name = institution.institution_id
    pages = stored_pages(institution, lake=lake, now=now or datetime.now(UTC))
    total = lake.count("page_snapshots", name)
    with (
        known_rows(lake, name, ignore=force) as known,
        progress.task(f"{name}: enhance", total) as task,
    ):
        outcome = publish_enhanced(
            name,
            known.complete(pages),
            lake=lake,
            on_page=lambda done: task.update(done, total, f"{known.kept} unchanged"),
        )
    return replace(outcome, kept=known.kept)


def stored_pages(institution: Institution, *, lake: Lake, now: datetime) -> Iterator[StoredPage]:
    """The snapshots of an institution as extraction wants them, a batch of memory at a time."""
    name = institution.institution_id
    announced = _announced(lake, name)
    for batch in lake.batches("page_snapshots", name, columns=_COLUMNS, size=16):
        for row in batch.to_pylist():
            title, published_at = announced.get(row.pop("requested_url"), (None, None))
            meta = row.pop("meta")
            yield StoredPage(
                institution=name,
                rules=institution.extraction_rules,
                topics=institution.topics,
                now=now,
                feed_title=title,
                feed_date=published_at,
                # A partition of an earlier version has no such columns.
                sitemap_date=meta.get("sitemap_lastmod"),
                pdf_properties=dict(meta.get("pdf_properties") or ()),
                **row,
            )


def _announced(lake: Lake, institution: str) -> dict[str, tuple[str | None, str | None]]:
    """What feeds and lists said of the pages they named; seeds are bounded in number."""
    columns = ["url", "title", "published_at"]
    return {
        row["url"]: (row["title"], row["published_at"])
        for batch in lake.batches("seeds", institution, columns=columns, size=1_000)
        for row in batch.to_pylist()
        if row["title"] or row["published_at"]
    }


class KnownRows:
    """The rows that an earlier enhancement made, and what each page's were made from."""

    def __init__(
        self,
        digests: dict[str, str],
        *,
        content: RowFinder[PageContent],
        metadata: RowFinder[PageMetadata],
        topics: RowFinder[PageTopic],
    ) -> None:
        self._digests = digests
        self._content, self._metadata, self._topics = content, metadata, topics
        self.kept = 0

    def complete(self, pages: Iterable[StoredPage]) -> Iterator[EnhancedPage]:
        """The rows of every page in order: known ones copied, others extracted."""
        order: deque[str] = deque()
        for fresh in enhanced(self._needing(pages, order)):
            while order[0] != fresh.content.page_id:
                yield self._copy(order.popleft())
            order.popleft()
            yield fresh
        while order:
            yield self._copy(order.popleft())

    def _needing(self, pages: Iterable[StoredPage], order: deque[str]) -> Iterator[StoredPage]:
        for page in pages:
            order.append(page.page_id)
            if self._digests.get(page.page_id) != page.inputs_digest:
                yield page

    def _copy(self, page_id: str) -> EnhancedPage:
        content, metadata = self._content.find(page_id), self._metadata.find(page_id)
        assert content is not None  # noqa: S101  # its digest was read from this row
        assert metadata is not None  # noqa: S101  # as above
        self.kept += 1
        topics = tuple(self._topics.find_all(page_id))
        return EnhancedPage(content=content, metadata=metadata, topics=topics)


@contextmanager
def known_rows(lake: Lake, institution: str, *, ignore: bool) -> Iterator[KnownRows]:
    """The rows of the last enhancement; with `ignore` none of them counts as known."""
    with ExitStack() as stack:
        content, metadata, topics = (
            stack.enter_context(finding(lake, table, institution))
            for table in ("page_content", "page_metadata", "page_topics")
        )
        digests = {} if ignore else _digests(lake, institution)
        yield KnownRows(digests, content=content, metadata=metadata, topics=topics)


def _digests(lake: Lake, institution: str) -> dict[str, str]:
    """What whole and sound rows were made from, by page.

    Metadata is published last and bears the time of its content: rows that a crash left half
    renewed do not agree and are made anew.
    """
    scraped = {
        row["page_id"]: row["metadata_scraped_at"]
        for row in _light(lake, "page_metadata", institution, ["page_id", "metadata_scraped_at"])
    }
    columns = ["page_id", "inputs_digest", "error", "extracted_at"]
    return {
        row["page_id"]: row["inputs_digest"]
        for row in _light(lake, "page_content", institution, columns)
        if row.get("inputs_digest")
        and row["error"] is None
        and scraped.get(row["page_id"]) == row["extracted_at"]
    }


def _light(
    lake: Lake, table: str, institution: str, columns: list[str]
) -> Iterator[dict[str, Any]]:
    for batch in lake.batches(table, institution, columns=columns, size=5_000):
        yield from batch.to_pylist()


def publish_enhanced(
    institution: str,
    pages: Iterable[EnhancedPage],
    *,
    lake: Lake,
    on_page: Callable[[int], None] = lambda done: None,
) -> Enhancement:
    """Write the three tables side by side and publish them when all pages are through."""
    failed, invalid = 0, set[str]()
    with ExitStack() as stack:
        content, topics, metadata = (
            stack.enter_context(lake.writer(table, institution))
            for table in ("page_content", "page_topics", "page_metadata")
        )
        for done, page in enumerate(pages, 1):
            content.add(page.content)
            metadata.add(page.metadata)
            for topic in page.topics:
                topics.add(topic)
            failed += page.content.error is not None
            invalid.update(page.content.rules_invalid)
            _tell(page, failed)
            on_page(done)
        outcome = Enhancement(
            content=content.publish(),
            topics=topics.publish(),
            metadata=metadata.publish(),
            failed=failed,
            rules_invalid=tuple(sorted(invalid)),
        )
    _log.info(
        "%s: content and metadata of %d pages, %d topics, %d pages failed",
        institution,
        outcome.content.rows,
        outcome.topics.rows,
        failed,
    )
    return outcome


def _tell(page: EnhancedPage, failed: int) -> None:
    """One line a page for who asks for them; a page that failed is told to everybody."""
    if page.content.error and failed <= _TOLD_FAILURES:
        _log.warning("%s: %s", page.content.url, page.content.error.strip().rpartition("\n")[2])
    else:
        _log.debug("%s", page.metadata.extraction_log)
