"""One page to content, metadata and topics in one pass over one parse."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from webmine_assets.extract.content import Content, extract_content
from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata import Metadata, extract_metadata
from webmine_assets.extract.topics import Topic, extract_topics
from webmine_assets.institutions import ExtractionRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """Everything known about one page."""

    url: str
    content: Content
    metadata: Metadata
    topics: tuple[Topic, ...]

    def to_json_dict(self) -> dict[str, Any]:
        """The answer of `webmine extract`: plain values, with the source of each."""
        metadata = self.metadata
        return {
            "title": metadata.title,
            "author": ", ".join(metadata.authors) or None,
            "authors": list(metadata.authors),
            "published_at": metadata.published_at,
            "modified_at": metadata.modified_at,
            "description": metadata.description,
            "image_url": metadata.image_url,
            "language": metadata.language,
            "topics": [topic.topic for topic in self.topics],
            "text": self.content.text,
            "markdown": self.content.full_content,
            "sources": {p.field: p.source for p in metadata.provenance if p.source},
        }


def extract_page(
    html: bytes | str,
    *,
    url: str = "",
    rules: Sequence[ExtractionRule] = (),
    topics: Sequence[str] = (),
    header_charset: str | None = None,
    today: date | None = None,
    feed_title: str | None = None,
    feed_date: str | None = None,
    sitemap_date: str | None = None,
) -> ExtractedPage:
    """Extract one page; never raises on what the page holds.

    `feed_title`, `feed_date` and `sitemap_date` are what the site's feed and sitemap say of the
    page: evidence beside its own.
    """
    document = Document.parse(html, url=url, header_charset=header_charset)
    content = extract_content(document, rules=rules)
    metadata = extract_metadata(
        document,
        content,
        url=url,
        today=today or datetime.now(UTC).date(),
        feed_title=feed_title,
        feed_date=feed_date,
        sitemap_date=sitemap_date,
    )
    found = extract_topics(document, content.text, url=url, user_topics=topics)
    return ExtractedPage(
        url=url,
        content=content,
        metadata=metadata.with_topics(found, url=url),
        topics=found,
    )
