"""What the studio asks of the lake: one module a view, SQL here and nowhere else in the studio."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

Row = dict[str, Any]
Ask = Callable[..., list[Row]]
"""Answers SQL with a list of parameters as a list of rows."""

About = Callable[[str], AbstractContextManager[Ask]]
"""Opens the whole tables of one institution, all columns, to be asked."""

LIGHT_COLUMNS: dict[str, tuple[str, ...]] = {
    "page_snapshots": (
        *("institution", "page_id", "url", "title", "lang", "changed_at", "fetched_at"),
    ),
    "page_content": (
        *("institution", "page_id", "word_count", "error", "extracted_at", "rules_applied"),
    ),
    "page_metadata": (
        *("institution", "page_id", "title", "description", "image_url", "authors"),
        *("published_at", "published_on", "word_count", "language"),
    ),
    "page_topics": ("institution", "page_id", "topic", "user_provided"),
    "url_ledger": (
        *("institution", "url", "decision", "reason", "detail", "depth", "discovered_from"),
        "decided_at",
    ),
    "crawl_reports": ("institution", "started_at", "stopped_by", "decisions", "counters"),
}
"""What is asked of all institutions, by table: 700 bytes of memory a page, 125 a URL."""
