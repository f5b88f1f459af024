"""Pages out of archive files: which of the records are pages that a corpus can use.

Reading the files is the work of `archive.reader`, which hands the pages in.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webmine_assets.reading.pdf import is_pdf
from webmine_assets.reading.stored import StoredPage
from webmine_assets.urls import resolve

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/pdf", "text/plain"})


@dataclass(frozen=True, slots=True)
class RejectedPage:
    """A record that is no page for the corpus, with a short fixed reason."""

    url: str
    reason: str
    detail: str


def usable_pages(pages: Iterable[StoredPage]) -> Iterator[StoredPage | RejectedPage]:
    """Every page, or why it is not taken: only whole documents that were served with 200."""
    for page in pages:
        reason, detail = _refusal(page)
        yield RejectedPage(page.url, reason, detail) if reason else page


def _refusal(page: StoredPage) -> tuple[str, str]:
    if page.status != 200:
        return "http_error", str(page.status)
    if resolve(page.url, page.url) is None:
        return "not_http", page.url[:200]
    if not page.body:
        return "empty", page.problem or ""
    if page.problem and "content-encoding" in page.problem and not _looks_like_text(page.body):
        return "undecodable", page.problem
    if _media_type(page) not in PAGE_TYPES:
        return "content_type", page.content_type
    return "", ""


def _media_type(page: StoredPage) -> str:
    """The declared type; for pages without one, what the bytes begin like."""
    if page.content_type:
        return page.content_type
    if is_pdf(page.body):
        return "application/pdf"
    return "text/html" if page.body.lstrip()[:1] == b"<" else "application/octet-stream"


def _looks_like_text(body: bytes) -> bool:
    return body.lstrip()[:1] == b"<" and b"\0" not in body[:1000]
