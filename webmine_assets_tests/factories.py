"""Records for tests: valid by default, each field can be named."""

from datetime import UTC, datetime
from typing import Any

from webmine_assets.records import (
    CrawlCounters,
    CrawlReport,
    Decision,
    LedgerRow,
    PageSnapshot,
    SnapshotMeta,
    page_id,
)

NOON = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def snapshot(url: str = "https://u1.edu/", **fields: Any) -> PageSnapshot:
    values: dict[str, Any] = {
        "institution": "u1",
        "url": url,
        "canonical_url": url,
        "requested_url": url,
        "fetched_at": NOON,
        "http_status": 200,
        "content_type": "text/html",
        "encoding": "utf-8",
        "headers": {"content-type": "text/html; charset=utf-8"},
        "body": b"<html><title>T</title><body><p>Some text of a page.</p></body></html>",
        "text": "Some text of a page.",
        "excerpt": "Some text of a page.",
        "lang": "en",
        "lang_confidence": 0.98,
        "checksum": "sha256:00",
        "simhash": -5,
        "title": "T",
        "depth": 0,
        "discovered_from": None,
        "etag": '"e1"',
        "last_modified": None,
        "first_seen_at": NOON,
        "changed_at": NOON,
        "meta": SnapshotMeta(alias_urls=(url + "?ref=a",), alias_reasons=("query",)),
    } | fields
    values.setdefault("page_id", page_id(values["institution"], values["url"]))
    return PageSnapshot(**values)


def ledger_row(
    url: str = "https://u1.edu/", decision: Decision = Decision.STORED, **fields: Any
) -> LedgerRow:
    values: dict[str, Any] = {
        "institution": "u1",
        "url": url,
        "decision": decision,
        "reason": "ok",
        "detail": "",
        "depth": 0,
        "discovered_from": None,
        "decided_at": NOON,
    } | fields
    return LedgerRow(**values)


def crawl_report(**fields: Any) -> CrawlReport:
    values: dict[str, Any] = {
        "institution": "u1",
        "started_at": NOON,
        "finished_at": NOON,
        "stopped_by": "finished",
        "counters": CrawlCounters(pages_used=3),
        "decisions": {"stored": 3},
        "reasons": {"stored:new": 3},
        "languages": {"en": 3},
        "sample_urls": ("https://u1.edu/",),
        "rendering": "on",
        "config_json": "{}",
        "code_version": "0",
    } | fields
    return CrawlReport(**values)
