from typing import Any

import pytest

from webmine_assets.ingest.warc import RejectedPage, usable_pages
from webmine_assets.reading.stored import StoredPage


def page(**fields: Any) -> StoredPage:
    values: dict[str, Any] = {
        "url": "https://u1.edu/",
        "body": b"<p>x",
        "status": 200,
        "headers": {},
        "content_type": "text/html",
        "encoding": None,
        "fetched_at": None,
        "source": "warc",
        "via": "x.warc.gz",
    }
    return StoredPage(**values | fields)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"content_type": "application/pdf", "body": b"%PDF-1.4"},
        {"content_type": "", "body": b"%PDF-1.4"},
        {"content_type": ""},
        {"problem": "content-encoding gzip: not gzip"},
    ],
)
def test_documents_are_taken(fields: dict[str, Any]) -> None:
    assert list(usable_pages([page(**fields)])) == [page(**fields)]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"status": 404}, "http_error"),
        ({"status": 301}, "http_error"),
        ({"url": "dns:u1.edu"}, "not_http"),
        ({"body": b""}, "empty"),
        ({"content_type": "image/png"}, "content_type"),
        ({"content_type": "", "body": b"\x89PNG"}, "content_type"),
        ({"body": b"\x1f\x8b\0", "problem": "content-encoding br: broken"}, "undecodable"),
    ],
)
def test_other_records_say_why_not(fields: dict[str, Any], reason: str) -> None:
    [found] = usable_pages([page(**fields)])
    assert isinstance(found, RejectedPage)
    assert found.reason == reason
