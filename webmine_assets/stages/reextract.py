"""Extraction over again, from the stored bytes: what would change, and its publication."""

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import PageSnapshot
from webmine_assets.stages.differences import Differences
from webmine_assets.stages.enhance import stored_pages
from webmine_assets.stages.page_rows import EnhancedPage, enhanced
from webmine_assets.storage import warehouse
from webmine_assets.storage.finder import RowFinder, finding
from webmine_assets.storage.lake import Lake
from webmine_assets.urls import forms_of, resolve

# Metadata comes last: its rows are what tells that a page needs nothing more.
_TABLES = ("page_content", "page_topics", "page_metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reextraction:
    """What extraction over again gave; `dropped` pages have rows but are stored no longer."""

    institution: str
    differences: Differences
    dropped: int
    applied: bool

    def to_json_dict(self) -> dict[str, Any]:
        found = self.differences
        return {
            "institution": self.institution,
            "applied": self.applied,
            "pages": found.pages,
            "changed_pages": len(found.changed),
            "dropped_pages": self.dropped,
            "fields": {
                name: {kind: change.counts[kind] for kind in ("added", "removed", "changed")}
                | {"examples": [asdict(example) for example in change.examples]}
                for name, change in sorted(found.fields.items())
            },
            "pages_changed": [asdict(page) for page in found.changed],
        }


def reextract(
    institution: Institution,
    *,
    lake: Lake,
    progress: Progress,
    apply: bool,
    now: datetime | None = None,
) -> Reextraction:
    """Extract every stored page into tables aside, compare row by row, publish on `apply`."""
    name = institution.institution_id
    total = lake.count("page_snapshots", name)
    differences = Differences()
    with ExitStack() as stack:
        writers = {table: stack.enter_context(lake.writer(table, name)) for table in _TABLES}
        known = _Known(*(stack.enter_context(finding(lake, table, name)) for table in _TABLES))
        task = stack.enter_context(progress.task(f"{name}: extract again", total))
        pages = stored_pages(institution, lake=lake, now=now or datetime.now(UTC))
        for done, page in enumerate(enhanced(pages), 1):
            differences.compare(known.find(page.content.page_id), page)
            writers["page_content"].add(page.content)
            writers["page_metadata"].add(page.metadata)
            for topic in page.topics:
                writers["page_topics"].add(topic)
            task.update(done, total, f"{len(differences.changed)} changed")
        dropped = lake.count("page_content", name) - known.found
        if apply:
            for writer in writers.values():
                writer.publish()
    return Reextraction(institution=name, differences=differences, dropped=dropped, applied=apply)


class _Known:
    """The rows that are published now, page by page."""

    def __init__(
        self, content: RowFinder[Any], topics: RowFinder[Any], metadata: RowFinder[Any]
    ) -> None:
        self._content, self._topics, self._metadata = content, topics, metadata
        self.found = 0

    def find(self, page_id: str) -> EnhancedPage | None:
        content, metadata = self._content.find(page_id), self._metadata.find(page_id)
        self.found += content is not None
        if content is None or metadata is None:
            return None
        topics = tuple(self._topics.find_all(page_id))
        return EnhancedPage(content=content, metadata=metadata, topics=topics)


_WHERE = """
select institution, url from page_snapshots
where url in (select unnest($1)) or requested_url in (select unnest($1))
   or list_has_any(meta.alias_urls, $1)
order by url in (select unnest($1)) desc, fetched_at desc limit 1
"""


def find_stored(lake: Lake, url: str) -> PageSnapshot | None:
    """The stored page of a URL, whichever of its addresses that is; the newest of several."""
    absolute = resolve(url, url, keep_fragment=True) or url
    rows = warehouse.query(lake, _WHERE, [forms_of(absolute)]).to_pylist()
    if not rows:
        return None
    with finding(lake, "page_snapshots", rows[0]["institution"], key="url") as pages:
        found: PageSnapshot | None = pages.find(rows[0]["url"])
        return found
