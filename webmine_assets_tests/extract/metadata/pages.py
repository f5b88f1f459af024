"""Small pages for the cascade tests: a head, a body, and what is extracted from them."""

from dataclasses import dataclass
from datetime import date

from lxml import etree

from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata import Metadata, extract_metadata
from webmine_assets.extract.outline import Outline
from webmine_assets.records import FieldProvenance

URL = "https://www.example.org/reports/annual"
TODAY = date(2025, 10, 4)


@dataclass(frozen=True)
class PlainContent:
    """Main content that a test chooses."""

    text: str = ""
    main: etree._Element | None = None
    outline: Outline | None = None


def page(head: str = "", body: str = "", *, lang: str = "en") -> str:
    return f'<!doctype html><html lang="{lang}"><head>{head}</head><body>{body}</body></html>'


def metadata_of(html: str | bytes, *, url: str = URL, text: str = "", **evidence: str) -> Metadata:
    document = Document.parse(html, url=url)
    return extract_metadata(document, PlainContent(text), url=url, today=TODAY, **evidence)


def provenance_of(metadata: Metadata, field: str) -> FieldProvenance:
    return next(entry for entry in metadata.provenance if entry.field == field)


def source_of(metadata: Metadata, field: str) -> str:
    return provenance_of(metadata, field).source


def meta(name: str, content: str, *, key: str = "name") -> str:
    return f'<meta {key}="{name}" content="{content}">'


def json_ld(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'
