"""The full-text index of an institution's pages."""

from collections.abc import Iterator
from datetime import datetime

from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import PageContent
from webmine_assets.settings import Settings
from webmine_assets.storage.finder import finding
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchDocument, SearchIndex, build_document


def index_pages(
    institution: Institution, *, lake: Lake, settings: Settings, progress: Progress
) -> int:
    """Replace the institution's documents in the index; how many there are now."""
    index = SearchIndex(settings.search_index)
    return _index(index, institution.institution_id, lake=lake, progress=progress)


def index_missing(*, lake: Lake, settings: Settings, progress: Progress) -> list[str]:
    """Index the pages of institutions that the index has not heard of; which these are.

    A folder that was removed, or is of an older version, starts empty, and the others would be
    found again only when something of theirs is crawled anew.
    """
    index = SearchIndex(settings.search_index)
    known = index.counts()
    missing = [
        name
        for name in lake.institutions("page_content")
        if name not in known and lake.count("page_content", name)
    ]
    for name in missing:
        _index(index, name, lake=lake, progress=progress)
    return missing


def _index(index: SearchIndex, name: str, *, lake: Lake, progress: Progress) -> int:
    total = lake.count("page_content", name)
    with progress.task(f"{name}: search index", total) as task:
        count = index.update(name, _documents(lake, name))
        task.update(count, total)
    return count


def _documents(lake: Lake, institution: str) -> Iterator[SearchDocument]:
    changed = _changed(lake, institution)
    with (
        finding(lake, "page_metadata", institution) as metadata,
        finding(lake, "page_topics", institution) as topics,
    ):
        for content in lake.read(PageContent, "page_content", institution):
            yield build_document(
                content,
                metadata.find(content.page_id),
                topics.find_all(content.page_id),
                changed_at=changed.get(content.page_id, content.extracted_at),
            )


def _changed(lake: Lake, institution: str) -> dict[str, datetime]:
    batches = lake.batches(
        "page_snapshots", institution, columns=["page_id", "changed_at"], size=10_000
    )
    return {row["page_id"]: row["changed_at"] for batch in batches for row in batch.to_pylist()}
