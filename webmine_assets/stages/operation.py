"""The enhancement operation: a batch of stored pages, by id or those that need it; no network.

Only the rows of these pages change; the rest of each partition is copied as it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from webmine_assets.extract.version import EXTRACTOR_VERSION
from webmine_assets.institutions import Institution
from webmine_assets.records import PageContent, PageMetadata, PageSnapshot, PageTopic
from webmine_assets.stages.page_rows import EnhancedPage, StoredPage, enhanced, stored_page
from webmine_assets.storage import warehouse
from webmine_assets.storage.finder import finding
from webmine_assets.storage.lake import Lake

DEFAULT_BATCH_SIZE = 10
MAX_BATCH_SIZE = 100

# The columns of page_metadata under the names that `fieldsAdded` has for them.
_FIELDS = {
    "title": "title",
    "description": "description",
    "image_url": "image_url",
    "authors": "author",
    "published_at": "published_at",
    "modified_at": "modified_at",
    "content_text": "content_text",
    "language": "language",
}


class EnhanceStatus(StrEnum):
    """What became of one page of a batch."""

    ENHANCED = "enhanced"
    UNCHANGED = "unchanged"
    UP_TO_DATE = "up_to_date"
    DEFERRED = "deferred"
    FAILED = "failed"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnhanceRequest:
    """Which pages: these, or with None those that need it; `force` takes pages that do not.

    `institution` leaves out the pages of all others.
    """

    content_ids: tuple[str, ...] | None = None
    institution: str | None = None
    batch_size: int = DEFAULT_BATCH_SIZE
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EnhanceResult:
    """One page of the answer; `fields_added` are the metadata fields that had no value before."""

    id: str
    url: str | None
    status: EnhanceStatus
    fields_added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnhanceAnswer:
    """What a batch did."""

    message: str
    processed: int
    enhanced: int
    results: tuple[EnhanceResult, ...]

    def to_json_dict(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "processed": self.processed,
            "enhanced": self.enhanced,
            "results": [
                {
                    "id": result.id,
                    "url": result.url,
                    "status": result.status.value,
                    "fieldsAdded": list(result.fields_added),
                }
                for result in self.results
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    institution: str
    page_id: str
    url: str
    needs_it: bool
    feed_title: str | None
    feed_date: str | None


def enhance_batch(
    request: EnhanceRequest,
    *,
    lake: Lake,
    institutions: Mapping[str, Institution],
    now: datetime | None = None,
) -> EnhanceAnswer:
    """Enhance at most `batch_size` pages and publish their rows; one bad page stops nothing."""
    candidates = _candidates(request, lake)
    chosen = [c for c in candidates if c.needs_it or request.force][: request.batch_size]
    done: dict[str, EnhanceResult] = {}
    for name in dict.fromkeys(candidate.institution for candidate in chosen):
        batch = [candidate for candidate in chosen if candidate.institution == name]
        pages = _stored(lake, batch, institutions.get(name), now or datetime.now(UTC))
        done |= _enhance(lake, name, enhanced(pages))
    return _answer(request, candidates, done)


def _candidates(request: EnhanceRequest, lake: Lake) -> list[_Candidate]:
    """The pages a request may mean, and whether their rows are missing, failed or out of date."""
    ids = list(request.content_ids) if request.content_ids is not None else None
    answer = warehouse.query(
        lake,
        """
        with pages as (
            select s.institution, s.page_id, s.url,
                   m.page_id is null or m.error is not null or c.page_id is null
                   or m.extractor_version <> $1 or m.metadata_scraped_at < s.changed_at
                   or c.checksum <> s.checksum as needs_it,
                   m.error is not null as has_failed,
                   d.title as feed_title, d.published_at as feed_date
            from page_snapshots s
            left join seeds d on d.institution = s.institution and d.url = s.requested_url
            left join page_metadata m
                on m.institution = s.institution and m.page_id = s.page_id
            left join page_content c
                on c.institution = s.institution and c.page_id = s.page_id
            where ($2 is null or list_contains($2, s.page_id))
                and ($5 is null or s.institution = $5))
        select * exclude (has_failed) from pages where needs_it or $3 or $2 is not null
        -- Pages that failed before come last: they must not keep others waiting for ever.
        order by coalesce(list_position($2, page_id), 0), has_failed, institution, url
        limit $4
        """,
        [
            EXTRACTOR_VERSION,
            ids,
            request.force,
            MAX_BATCH_SIZE if ids is None else max(len(ids), 1),
            request.institution,
        ],
    )
    return [_Candidate(**row) for row in answer.to_pylist()]


def _stored(
    lake: Lake, batch: list[_Candidate], institution: Institution | None, now: datetime
) -> Iterator[StoredPage]:
    with finding(lake, "page_snapshots", batch[0].institution) as snapshots:
        for candidate in batch:
            snapshot: PageSnapshot | None = snapshots.find(candidate.page_id)
            if snapshot is not None:
                yield replace(
                    stored_page(snapshot, institution, now=now),
                    feed_title=candidate.feed_title,
                    feed_date=candidate.feed_date,
                )


def _enhance(lake: Lake, name: str, pages: Iterable[EnhancedPage]) -> dict[str, EnhanceResult]:
    """Extract, compare with what was known, and publish the rows of one institution."""
    fresh = {page.content.page_id: page for page in pages}
    with finding(lake, "page_metadata", name) as known:
        results = {page_id: _result(page, known.find(page_id)) for page_id, page in fresh.items()}
    _merge(lake, "page_content", PageContent, name, {i: [p.content] for i, p in fresh.items()})
    _merge(lake, "page_topics", PageTopic, name, {i: p.topics for i, p in fresh.items()})
    # Metadata comes last: its rows are what tells that a page needs nothing more.
    _merge(lake, "page_metadata", PageMetadata, name, {i: [p.metadata] for i, p in fresh.items()})
    return results


def _merge(
    lake: Lake, table: str, record: type[Any], name: str, fresh: Mapping[str, Iterable[Any]]
) -> None:
    """Rewrite a partition with some pages' rows replaced, each where its page first stood."""
    waiting = dict(fresh)
    with lake.writer(table, name) as writer:
        for row in lake.read(record, table, name):
            page_id = row.page_id
            for replacement in waiting.pop(page_id, ()):
                writer.add(replacement)
            if page_id not in fresh:
                writer.add(row)
        for rows in waiting.values():
            for row in rows:
                writer.add(row)
        writer.publish()


def _result(page: EnhancedPage, before: PageMetadata | None) -> EnhanceResult:
    after = page.metadata
    if after.error:
        return EnhanceResult(id=after.page_id, url=after.url, status=EnhanceStatus.FAILED)
    added = tuple(
        name
        for column, name in _FIELDS.items()
        if getattr(after, column) and not (before and getattr(before, column))
    )
    same = before is not None and all(getattr(after, c) == getattr(before, c) for c in _FIELDS)
    status = EnhanceStatus.UNCHANGED if same else EnhanceStatus.ENHANCED
    return EnhanceResult(id=after.page_id, url=after.url, status=status, fields_added=added)


def _answer(
    request: EnhanceRequest, candidates: list[_Candidate], done: dict[str, EnhanceResult]
) -> EnhanceAnswer:
    results = list(done.values())
    if request.content_ids is not None:
        results += _untouched(request.content_ids, candidates, done, force=request.force)
    enhanced = sum(1 for result in results if result.status is EnhanceStatus.ENHANCED)
    return EnhanceAnswer(
        message="Metadata enhancement completed" if done else "No page needs enhancement",
        processed=len(done),
        enhanced=enhanced,
        results=tuple(results),
    )


def _untouched(
    ids: Iterable[str],
    candidates: list[_Candidate],
    done: dict[str, EnhanceResult],
    *,
    force: bool,
) -> Iterator[EnhanceResult]:
    """Pages that were named and not processed: up to date, beyond the batch, or unknown."""
    urls = {candidate.page_id: candidate for candidate in candidates}
    for page_id in dict.fromkeys(ids):
        if page_id in done:
            continue
        known = urls.get(page_id)
        if known is None:
            yield EnhanceResult(id=page_id, url=None, status=EnhanceStatus.NOT_FOUND)
        else:
            late = known.needs_it or force
            status = EnhanceStatus.DEFERRED if late else EnhanceStatus.UP_TO_DATE
            yield EnhanceResult(id=page_id, url=known.url, status=status)
