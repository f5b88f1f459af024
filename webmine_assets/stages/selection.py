"""The enhancement of some pages of one institution: those named, or a batch that needs it."""

from collections.abc import Collection

from webmine_assets.institutions import Institution
from webmine_assets.stages.operation import (
    DEFAULT_BATCH_SIZE,
    EnhanceAnswer,
    EnhanceRequest,
    enhance_batch,
)
from webmine_assets.storage.lake import Lake, Written


def enhance_some(
    institution: Institution,
    *,
    lake: Lake,
    content_ids: Collection[str] = (),
    batch_size: int | None = None,
    force: bool = False,
) -> EnhanceAnswer:
    """Enhance the named pages that are this institution's, or without names any of its pages."""
    name = institution.institution_id
    request = EnhanceRequest(
        content_ids=_stored_among(content_ids, lake, name) if content_ids else None,
        institution=name,
        batch_size=batch_size or DEFAULT_BATCH_SIZE,
        force=force,
    )
    return enhance_batch(request, lake=lake, institutions={name: institution})


def _stored_among(ids: Collection[str], lake: Lake, institution: str) -> tuple[str, ...]:
    """Those that are pages of the institution, in the order of the crawl."""
    batches = lake.batches("page_snapshots", institution, columns=["page_id"], size=10_000)
    known = (row["page_id"] for batch in batches for row in batch.to_pylist())
    return tuple(page_id for page_id in known if page_id in ids)


def as_written(lake: Lake, table: str, institution: str) -> Written:
    """What is published of a partition now."""
    path = lake.path_of(table, institution)
    size = lake.fs.size(path) if lake.has(table, institution) else 0
    return Written(table, institution, path, lake.count(table, institution), size)
