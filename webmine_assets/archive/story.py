"""A page as a Media Cloud story: three sub-objects in its field names, and what else we know.

Pure; `archive.warc` writes stories and `archive.reader` gives them back.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints
from urllib.parse import urlsplit

from webmine_assets.records import (
    PageContent,
    PageMetadata,
    PageSnapshot,
    PageTopic,
    RssEntry,
    Seed,
    SeedSource,
)

METADATA_TYPE = "application/x.mediacloud-indexer+json"
EXTRAS_TYPE = "application/x.webmine-assets+json"

# Registries that sell names one level below these words (co.uk, edu.au …). Media Cloud asks the
# public suffix list; these cover the academic, government and news hosts this system is for.
_SECOND_LEVEL = frozenset(
    {"ac", "asso", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "gub"}
    | {"lg", "mil", "ne", "net", "nhs", "nom", "or", "org", "res", "sch"}
)
# The first second that datetime does not have.
_YEAR_10000 = 253_402_300_800
# Whoever stores an id has 64 bits for it; JSON has no limit.
_LARGEST_INT = 2**63 - 1
_IPV4 = re.compile(r"\d+\.\d+\.\d+\.\d+")
_YEAR = re.compile(r"[12][0-9]{3}-")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpMetadata:
    """How it was fetched; `encoding` must be present, if null, or Media Cloud's reader fails."""

    response_code: int | None = None
    fetch_timestamp: float | None = None
    final_url: str | None = None
    encoding: str | None = None

    @property
    def fetched_at(self) -> datetime | None:
        """The fetch time in UTC; None if it is unknown or no time that a calendar has."""
        stamp = self.fetch_timestamp
        is_time = stamp is not None and 0 < stamp < _YEAR_10000
        return datetime.fromtimestamp(stamp, UTC) if stamp and is_time else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentMetadata:
    """What was extracted from it."""

    url: str | None = None
    canonical_domain: str | None = None
    publication_date: str | None = None
    language: str | None = None
    article_title: str | None = None
    text_content: str | None = None
    parsed_date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One story: what is written as a response record and its metadata records.

    `headers` are the HTTP headers as received; `extras` is JSON that Media Cloud does not know.
    `flavour` goes behind the prefix of the file's name: nothing, `csv` or `histYYYY`.
    """

    rss_entry: RssEntry
    http_metadata: HttpMetadata
    content_metadata: ContentMetadata
    body: bytes
    content_type: str = "text/html"
    headers: dict[str, str] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)
    flavour: str = ""

    @property
    def target_uri(self) -> str:
        """The URL the archive knows the story by, in the order Media Cloud prefers."""
        http, content, rss = self.http_metadata, self.content_metadata, self.rss_entry
        return http.final_url or content.url or rss.link or ""

    def metadata_json(self) -> dict[str, dict[str, Any]]:
        """The three sub-objects with every field, null where unknown."""
        return {
            "rss_entry": asdict(self.rss_entry),
            "http_metadata": asdict(self.http_metadata),
            "content_metadata": asdict(self.content_metadata),
        }


def build_story(
    snapshot: PageSnapshot,
    content: PageContent | None,
    metadata: PageMetadata | None,
    topics: Iterable[PageTopic],
    *,
    seed: Seed | None,
) -> Story:
    """The story of a page as last seen; enhancement that has not run yet leaves its fields null."""
    return Story(
        rss_entry=_rss_entry(snapshot, seed),
        http_metadata=HttpMetadata(
            response_code=snapshot.http_status,
            fetch_timestamp=snapshot.fetched_at.timestamp(),
            final_url=snapshot.url,
            encoding=snapshot.encoding,
        ),
        content_metadata=build_content_metadata(snapshot, content, metadata),
        body=snapshot.body,
        content_type=snapshot.content_type or "text/html",
        headers=snapshot.headers,
        extras=_extras(snapshot, metadata, topics),
        flavour=_flavour(snapshot),
    )


def canonical_domain(url: str) -> str | None:
    """The registered domain of a URL, as far as it can be told without the public suffix list."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return None
    labels = host.split(".")
    if len(labels) < 3 or ":" in host or _IPV4.fullmatch(host):
        return host or None
    deep = len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3:] if deep else labels[-2:])


T = TypeVar("T", RssEntry, HttpMetadata, ContentMetadata)


def known_fields(kind: type[T], raw: object) -> T:
    """A sub-object from JSON of any origin: unknown keys and values of a wrong type are dropped."""
    values = raw if isinstance(raw, dict) else {}
    if kind is RssEntry and "via" not in values and "file_name" in values:
        values = {**values, "via": values["file_name"]}  # its name in files of early 2024
    kept: dict[str, Any] = {}
    for name, types in _TYPES[kind].items():
        value = values.get(name)
        if isinstance(value, types) and not _is_too_large(value):
            kept[name] = value
    return kind(**kept)


def _is_too_large(value: object) -> bool:
    return isinstance(value, int) and abs(value) > _LARGEST_INT


def _field_types(kind: type[Any]) -> dict[str, tuple[type, ...]]:
    """What the fields of a sub-object may hold; JSON writes a float without a fraction as int."""
    hints = get_type_hints(kind)
    types = {name: {*get_args(hint)} - {NoneType} for name, hint in hints.items()}
    return {name: (*kinds, int) if float in kinds else (*kinds,) for name, kinds in types.items()}


_TYPES = {kind: _field_types(kind) for kind in (RssEntry, HttpMetadata, ContentMetadata)}


def _rss_entry(snapshot: PageSnapshot, seed: Seed | None) -> RssEntry:
    """How the page was found; what an imported page's own file says goes before what we know."""
    link = seed.url if seed else snapshot.requested_url
    found_at = seed.added_at if seed else snapshot.first_seen_at
    day = (seed.listed_on if seed else None) or found_at.astimezone(UTC).date()
    found = RssEntry(
        link=link,
        title=seed.title if seed else None,
        domain=canonical_domain(link),
        pub_date=_rfc2822(seed.published_at) if seed else None,
        fetch_date=day.isoformat(),
        source_url=_source_url(snapshot, seed),
        via=_via(snapshot, seed),
    )
    told = asdict(snapshot.rss_entry) if snapshot.rss_entry else {}
    return replace(found, **{name: value for name, value in told.items() if value is not None})


def _source_url(snapshot: PageSnapshot, seed: Seed | None) -> str | None:
    """The page that held the link; a list of URLs is named in `via`, it is no page."""
    if seed is None:
        return snapshot.discovered_from
    return seed.via if seed.source is SeedSource.FEED else None


def _via(snapshot: PageSnapshot, seed: Seed | None) -> str:
    is_listed = seed is not None and seed.source is not SeedSource.CONFIG
    return seed.via if seed and is_listed else f"webmine:{snapshot.institution}"


def _flavour(snapshot: PageSnapshot) -> str:
    """Which kind of file the story goes to, as Media Cloud sorts them."""
    if snapshot.meta.source == SeedSource.HISTORICAL:
        day = snapshot.rss_entry.fetch_date if snapshot.rss_entry else None
        year = day[:4] if day and _YEAR.match(day) else f"{snapshot.fetched_at.year:04d}"
        return f"hist{year}"
    return "csv" if snapshot.meta.source == SeedSource.CSV else ""


def build_content_metadata(
    snapshot: PageSnapshot, content: PageContent | None, metadata: PageMetadata | None
) -> ContentMetadata:
    """What is known of a page's content, the careful extraction before the fast one."""
    language = (metadata.language if metadata else None) or snapshot.lang
    published = metadata.published_on if metadata else None
    parsed = content.extracted_at if content else None
    parsed = parsed or (metadata.metadata_scraped_at if metadata else None)
    title = (metadata.title if metadata else None) or (content.title if content else None)
    return ContentMetadata(
        url=snapshot.url,
        canonical_domain=canonical_domain(snapshot.url),
        publication_date=published.isoformat() if published else None,
        language=language.lower()[:2] if language else None,
        article_title=title or snapshot.title,
        text_content=(content.text if content else None) or snapshot.text,
        parsed_date=_parsed_date(parsed),
    )


def _parsed_date(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f") if moment else None


def _rfc2822(iso: str | None) -> str | None:
    try:
        moment = datetime.fromisoformat(iso) if iso else None
    except ValueError:
        return iso
    if moment is None:
        return None
    return format_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _extras(
    snapshot: PageSnapshot, metadata: PageMetadata | None, topics: Iterable[PageTopic]
) -> dict[str, Any]:
    return {
        "institution": snapshot.institution,
        "page_id": snapshot.page_id,
        "checksum": snapshot.checksum,
        "canonical_url": snapshot.canonical_url,
        "requested_url": snapshot.requested_url,
        "content_type": snapshot.content_type,
        "fetched_at": snapshot.fetched_at.isoformat(),
        "first_seen_at": snapshot.first_seen_at.isoformat(),
        "changed_at": snapshot.changed_at.isoformat(),
        "etag": snapshot.etag,
        "last_modified": snapshot.last_modified,
        "depth": snapshot.depth,
        "discovered_from": snapshot.discovered_from,
        "language_confidence": snapshot.lang_confidence,
        "meta": asdict(snapshot.meta),
        "metadata": _metadata_extras(metadata),
        "topics": [_topic_extras(topic) for topic in topics],
    }


def _metadata_extras(metadata: PageMetadata | None) -> dict[str, Any] | None:
    if metadata is None:
        return None
    return {
        "description": metadata.description,
        "image_url": metadata.image_url,
        "authors": metadata.authors,
        "published_at": metadata.published_at,
        "modified_at": metadata.modified_at,
        "provenance": [asdict(entry) for entry in metadata.provenance],
    }


def _topic_extras(topic: PageTopic) -> dict[str, Any]:
    names = ("topic", "rank", "confidence", "sources", "keywords", "parents", "user_provided")
    return {name: getattr(topic, name) for name in names}
