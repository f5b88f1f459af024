"""Stories, archive files and records of foreign tools for the archive tests."""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webmine_assets.archive.pages import ArchivablePage
from webmine_assets.archive.story import Story, build_story
from webmine_assets.archive.warc import ArchiveWriter
from webmine_assets.records import PageSnapshot
from webmine_assets_tests.factories import snapshot

WRITTEN_AT = datetime(2026, 3, 5, 6, 7, 8, tzinfo=UTC)


def clock() -> datetime:
    return WRITTEN_AT


def story(url: str = "https://u1.edu/", **fields: Any) -> Story:
    return build_story(snapshot(url, **fields), None, None, [], seed=None)


def page(number: int, **fields: Any) -> PageSnapshot:
    """One of many small pages that differ in URL, text and bytes."""
    text = fields.pop("text", f"Text of page {number}.")
    body = f"<html><title>{number}</title><p>{text}</p></html>".encode()
    values = {"text": text, "body": body, "checksum": f"sha256:{text}"} | fields
    return snapshot(f"https://u1.edu/{number}", **values)


def archivable(snap: PageSnapshot) -> ArchivablePage:
    return ArchivablePage(snap, lambda: build_story(snap, None, None, [], seed=None))


def write_file(folder: Path, *stories: Story, **options: Any) -> Path:
    """One archive file with these stories."""
    with ArchiveWriter(folder, clock=clock, host="h", **options) as writer:
        for each in stories:
            writer.write(each)
    return writer.finished[0]


def warc_record(kind: str, block: bytes, *headers: str, version: str = "1.0") -> bytes:
    """A record as another tool might write it: no digests, lines as given."""
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", *headers, f"Content-Length: {len(block)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def response(
    url: str, body: bytes, *http: str, record_id: str = "<urn:x:1>", version: str = "1.0"
) -> bytes:
    head = "\r\n".join(("HTTP/1.1 200 OK", "Content-Type: text/html; charset=latin-1", *http))
    headers = (
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2020-02-03T04:05:06Z",
        f"WARC-Record-ID: {record_id}",
        "Content-Type: application/http;msgtype=response",
    )
    block = head.encode() + b"\r\n\r\n" + body
    return warc_record("response", block, *headers, version=version)


def members(*records: bytes) -> bytes:
    """One gzip member per record."""
    return b"".join(gzip.compress(record) for record in records)
