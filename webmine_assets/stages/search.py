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
    name = institution.institution_id
    total = lake.count("page_content", name)
    with progress.task(f"{name}: search index", total) as task:
        count = SearchIndex(settings.search_index).update(name, _documents(lake, name))
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
