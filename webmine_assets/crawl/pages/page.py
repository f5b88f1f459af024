"""Reading one page: from bytes to text, links, language and fingerprints; never raises.

Runs in the parser processes, so input and result are small and picklable.
"""

import re
import traceback
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from webmine_assets.crawl.exchange import USER_AGENT_TOKEN, Refusal
from webmine_assets.crawl.pages.fingerprint import checksum, simhash
from webmine_assets.crawl.pages.links import parse_x_robots_tag, read_page_links
from webmine_assets.crawl.pages.page_signals import (
    PageSignals,
    is_hash_route,
    is_hash_routed,
    read_signals,
)
from webmine_assets.crawl.pages.text import PageText, extract_page_text
from webmine_assets.crawl.rules.policy import Kind, decide_page, kind_of, parse_content_type
from webmine_assets.reading import html
from webmine_assets.reading.charset import decode
from webmine_assets.reading.language import detect
from webmine_assets.reading.pdf import PdfRefusal, read_pdf
from webmine_assets.records import Decision
from webmine_assets.urls import canonicalise, resolve

LinkTuple = tuple[str, str, bool]
"""(url, key, nofollow): tuples, because a page may have thousands and they cross a pipe."""

# docsify names a heading as `#/page?id=heading`: each would be rendered for the text of its page.
_DOCSIFY = "$docsify"
_DOCSIFY_HEADING = re.compile(r"\?id=[^&]*$")

PDF_TYPE = "application/pdf"
# Less than a page may take in any pool (30 s): else its reader is killed before it can say why.
PDF_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInput:
    """One body to read; `links_only` for a page whose text is known already."""

    url: str
    body: bytes
    headers: dict[str, str]
    status: int = 200
    links_only: bool = False
    wants_signals: bool = False
    keeps_routes: bool = False
    """Whether `#/path` links are pages of their own: only where a browser can tell them apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """What a page says; `refusal` is why it is not one to store, told from the page itself."""

    content_type: str = ""
    encoding: str | None = None
    title: str | None = None
    text: str = ""
    lang: str | None = None
    lang_confidence: float | None = None
    checksum: str = ""
    simhash: int = 0
    links: tuple[LinkTuple, ...] = ()
    links_left_off: int = 0
    canonical: str | None = None
    signals: PageSignals | None = None
    properties: dict[str, str] = field(default_factory=dict)
    """What a PDF says of itself."""
    refusal: Refusal | None = None


def unreadable(reason: str, detail: str) -> ParsedPage:
    refusal = Refusal(decision=Decision.CONTENT_POLICY, reason=reason, detail=detail)
    return ParsedPage(refusal=refusal)


def read_page(page: PageInput) -> ParsedPage:
    """What one body says; a page that breaks the reader is unreadable, not an error."""
    try:
        return _read(page)
    except Exception:  # noqa: BLE001 - one bad page must not end a crawl
        return unreadable("unreadable", traceback.format_exc(limit=-3)[-1000:])


def _read(page: PageInput) -> ParsedPage:
    header = page.headers.get("content-type")
    kind = kind_of(header, page.body)
    if kind is Kind.PDF:
        return ParsedPage(content_type=PDF_TYPE) if page.links_only else _read_pdf(page)
    media_type = parse_content_type(header).media_type or "text/html"
    return _read_plain(page, media_type) if kind is Kind.TEXT else _read_html(page, media_type)


def _read_html(page: PageInput, kind: str) -> ParsedPage:
    decoded = decode(page.body, _charset(page.headers))
    document = html.parse(decoded.text, url=page.url)
    tag = page.headers.get("x-robots-tag", "")
    found = read_page_links(document, url=page.url, x_robots_tag=tag, agent=USER_AGENT_TOKEN)
    links = tuple((link.url, link.key, link.nofollow) for link in found.links)
    if page.keeps_routes and is_hash_routed(decoded.text):
        links += _routes(document, found.base, is_docsify=_DOCSIFY in decoded.text)
    canonical = canonicalise(found.canonical) if found.canonical else None
    if page.links_only:
        return ParsedPage(
            content_type=kind, links=links, links_left_off=found.left_off, canonical=canonical
        )
    content = extract_page_text(document)
    signals = (
        read_signals(decoded.text, len(content.text), status=page.status)
        if page.wants_signals
        else None
    )
    language = detect(content.text)
    return ParsedPage(
        content_type=kind,
        encoding=decoded.encoding,
        title=content.title,
        text=content.text,
        lang=language.code if language else None,
        lang_confidence=language.confidence if language else None,
        checksum=checksum(content.text),
        simhash=simhash(content.text),
        links=links,
        links_left_off=found.left_off,
        canonical=canonical,
        refusal=decide_page(content, found.robots),
        signals=signals,
    )


def _routes(document: HtmlElement, base: str, *, is_docsify: bool) -> tuple[LinkTuple, ...]:
    raw_urls = (a.get("href", "") for a in document.iter("a"))
    if is_docsify:
        raw_urls = (_DOCSIFY_HEADING.sub("", raw_url) for raw_url in raw_urls)
    urls = (resolve(raw_url, base, keep_fragment=True) for raw_url in raw_urls)
    routes = dict.fromkeys(url for url in urls if url and is_hash_route(url))
    return tuple((url, canonicalise(url, keep_fragment=True), False) for url in routes)


def _read_plain(page: PageInput, kind: str) -> ParsedPage:
    decoded = decode(page.body, _charset(page.headers))
    return _of_text(page, kind, decoded.text.strip(), encoding=decoded.encoding)


def _read_pdf(page: PageInput) -> ParsedPage:
    answer = read_pdf(page.body, timeout_s=PDF_TIMEOUT_S)
    if isinstance(answer, PdfRefusal):
        return unreadable(f"pdf_{answer.reason}", answer.detail)
    return _of_text(page, PDF_TYPE, answer.text, properties=answer.properties)


def _of_text(
    page: PageInput,
    kind: str,
    text: str,
    *,
    encoding: str | None = None,
    properties: dict[str, str] | None = None,
) -> ParsedPage:
    title = (properties or {}).get("Title")
    language = detect(text)
    robots = parse_x_robots_tag(page.headers.get("x-robots-tag", ""), agent=USER_AGENT_TOKEN)
    return ParsedPage(
        content_type=kind,
        encoding=encoding,
        title=title,
        text=text,
        lang=language.code if language else None,
        lang_confidence=language.confidence if language else None,
        checksum=checksum(text),
        simhash=simhash(text),
        properties=properties or {},
        refusal=decide_page(PageText(title, None, text), robots),
    )


def _charset(headers: dict[str, str]) -> str | None:
    return parse_content_type(headers.get("content-type")).charset
