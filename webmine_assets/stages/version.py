"""The version of a partition's data: the same rows have the same one, whenever written."""

import hashlib
import json

from webmine_assets.storage.lake import Lake

# What makes a row the row it is. Times of writing are left out: a table that was made again from
# the same pages is the same, and nothing that was made from it is out of date.
_COLUMNS = {
    "seeds": ["url", "source"],
    "page_snapshots": ["page_id", "checksum"],
    "url_ledger": ["url", "decision", "reason"],
    "crawl_reports": ["started_at"],
    "page_content": ["page_id", "inputs_digest"],
    "page_metadata": ["page_id", "title", "description", "authors", "published_at", "modified_at"],
    "page_topics": ["page_id", "topic", "rank"],
    "page_archives": ["page_id", "record_id", "record_type"],
}


def data_version(lake: Lake, table: str, institution: str) -> str:
    """A digest over the rows of one partition in their order."""
    digest = hashlib.sha256()
    for batch in lake.batches(table, institution, columns=_COLUMNS[table], size=10_000):
        digest.update(json.dumps(batch.to_pylist(), default=str).encode())
    return digest.hexdigest()[:16]
