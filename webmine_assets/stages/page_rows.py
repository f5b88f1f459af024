"""The rows of one page in the enhanced tables, and all they are made from."""

import hashlib
import json
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime

from webmine_assets.extract.flat_text import as_html
from webmine_assets.extract.page import ExtractedPage, extract_page
from webmine_assets.extract.version import EXTRACTOR_VERSION
from webmine_assets.institutions import ExtractionRule, Institution
from webmine_assets.records import PageContent, PageMetadata, PageSnapshot, PageTopic
from webmine_assets.workers import ordered_map

# 5 MB of anything take less than 2 s; an institution's own XPath may take any time.
_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """What extraction needs of one snapshot; goes to a worker process."""

    institution: str
    page_id: str
    url: str
    checksum: str
    content_type: str
    encoding: str | None
    body: bytes
    text: str
    title: str | None
    rules: tuple[ExtractionRule, ...]
    topics: tuple[str, ...]
    now: datetime
    feed_title: str | None = None
    feed_date: str | None = None
    sitemap_date: str | None = None
    pdf_properties: dict[str, str] = field(default_factory=dict)

    @property
    def inputs_digest(self) -> str:
        """Of everything that decides what the rows say; the same digest makes the same rows.

        The body is in it besides the checksum: metadata may change where the text does not.
        """
        small = (
            EXTRACTOR_VERSION,
            self.url,
            self.checksum,
            self.content_type,
            self.encoding,
            self.title,
            [(rule.type, rule.value) for rule in self.rules],
            self.topics,
            self.feed_title,
            self.feed_date,
            self.sitemap_date,
            sorted(self.pdf_properties.items()),
        )
        digest = hashlib.blake2b(json.dumps(small).encode(), digest_size=16)
        digest.update(self.body)
        return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnhancedPage:
    """The rows of one page in the three tables."""

    content: PageContent
    metadata: PageMetadata
    topics: tuple[PageTopic, ...]


def stored_page(
    snapshot: PageSnapshot, institution: Institution | None, *, now: datetime
) -> StoredPage:
    """A snapshot as extraction wants it; without an institution there are no rules."""
    return StoredPage(
        institution=snapshot.institution,
        page_id=snapshot.page_id,
        url=snapshot.url,
        checksum=snapshot.checksum,
        content_type=snapshot.content_type,
        encoding=snapshot.encoding,
        body=snapshot.body,
        text=snapshot.text,
        title=snapshot.title,
        rules=institution.extraction_rules if institution else (),
        topics=institution.topics if institution else (),
        now=now,
        sitemap_date=snapshot.meta.sitemap_lastmod,
        pdf_properties=snapshot.meta.pdf_properties,
    )


def enhanced(pages: Iterable[StoredPage]) -> Iterator[EnhancedPage]:
    """The rows of each page, in order, made by several processes where there are many pages."""
    return ordered_map(enhance_page, pages, give_up=_failed, limit_s=_LIMIT_S)


def enhance_page(page: StoredPage) -> EnhancedPage:
    """All three tables' rows for one page; a page that cannot be read gives rows that say why."""
    try:
        extracted = extract_stored(page)
    except Exception:  # noqa: BLE001  # one bad page must not stop a batch: its row has the trace
        return _failed(page, traceback.format_exc(limit=8))
    return EnhancedPage(
        content=_content_row(page, extracted),
        metadata=_metadata_row(page, extracted),
        topics=_topic_rows(page, extracted),
    )


def extract_stored(page: StoredPage) -> ExtractedPage:
    """Everything one stored page says, under its institution's rules."""
    return extract_page(
        _as_html(page),
        url=page.url,
        rules=page.rules,
        topics=page.topics,
        header_charset=page.encoding,
        today=page.now.date(),
        feed_title=page.feed_title,
        feed_date=page.feed_date,
        sitemap_date=page.sitemap_date,
    )


def _as_html(page: StoredPage) -> bytes | str:
    if "html" in page.content_type or "xml" in page.content_type:
        return page.body
    # Snapshots of an earlier version know of a PDF's properties its title only.
    title = {"Title": page.title} if page.title else {}
    return as_html(page.text, pdf_properties=title | page.pdf_properties)


def _content_row(page: StoredPage, extracted: ExtractedPage) -> PageContent:
    content = extracted.content
    return PageContent(
        institution=page.institution,
        page_id=page.page_id,
        url=page.url,
        checksum=page.checksum,
        title=extracted.metadata.title or page.title,
        text=content.text,
        raw_markdown=content.raw_markdown,
        fit_markdown=content.fit_markdown,
        full_content=content.full_content,
        selected=content.selected,
        selection_reason=content.selection_reason,
        text_source=content.text_source,
        word_count=content.word_count,
        rules_applied=content.rules_applied,
        rules_invalid=content.rules_invalid,
        extractor_version=EXTRACTOR_VERSION,
        extracted_at=page.now,
        inputs_digest=page.inputs_digest,
    )


def _metadata_row(page: StoredPage, extracted: ExtractedPage) -> PageMetadata:
    found = extracted.metadata
    return PageMetadata(
        institution=page.institution,
        page_id=page.page_id,
        url=page.url,
        title=found.title,
        description=found.description,
        image_url=found.image_url,
        authors=found.authors,
        published_at=found.published_at,
        published_on=_day(found.published_at),
        modified_at=found.modified_at,
        modified_on=_day(found.modified_at),
        content_text=found.content_text,
        word_count=found.word_count,
        language=found.language,
        language_confidence=found.language_confidence,
        declared_language=found.declared_language,
        provenance=found.provenance,
        extraction_log=found.log,
        extractor_version=EXTRACTOR_VERSION,
        metadata_scraped_at=page.now,
    )


def _topic_rows(page: StoredPage, extracted: ExtractedPage) -> tuple[PageTopic, ...]:
    return tuple(
        PageTopic(
            institution=page.institution,
            page_id=page.page_id,
            url=page.url,
            topic=topic.topic,
            rank=topic.rank,
            confidence=topic.confidence,
            sources=topic.sources,
            keywords=topic.keywords,
            parents=topic.parents,
            user_provided=topic.user_provided,
            extractor_version=EXTRACTOR_VERSION,
        )
        for topic in extracted.topics
    )


def _failed(page: StoredPage, error: str) -> EnhancedPage:
    content = PageContent(
        institution=page.institution,
        page_id=page.page_id,
        url=page.url,
        checksum=page.checksum,
        title=page.title,
        text="",
        raw_markdown="",
        fit_markdown="",
        full_content="",
        selected="raw",
        selection_reason="extraction failed",
        text_source="none",
        word_count=0,
        error=error,
        extractor_version=EXTRACTOR_VERSION,
        extracted_at=page.now,
        inputs_digest=page.inputs_digest,
    )
    metadata = PageMetadata(
        institution=page.institution,
        page_id=page.page_id,
        url=page.url,
        title=None,
        description=None,
        image_url=None,
        authors=(),
        published_at=None,
        published_on=None,
        modified_at=None,
        modified_on=None,
        content_text=None,
        word_count=0,
        language=None,
        language_confidence=None,
        declared_language=None,
        provenance=(),
        extraction_log=f"[{page.url}] Extraction failed",
        error=error,
        extractor_version=EXTRACTOR_VERSION,
        metadata_scraped_at=page.now,
    )
    return EnhancedPage(content=content, metadata=metadata, topics=())


def _day(iso: str | None) -> date | None:
    return date.fromisoformat(iso[:10]) if iso else None
