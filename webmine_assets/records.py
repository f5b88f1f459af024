"""The rows of every table: one frozen record per table, each column with its meaning.

`storage.schemas` derives the Parquet schema from these annotations, so a column is named once.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated


class Decision(StrEnum):
    """The one terminal decision about a discovered URL."""

    STORED = "stored"
    ALIAS = "alias"
    FRESH = "fresh"
    NOT_MODIFIED = "not_modified"
    KEPT = "kept"
    ROBOTS_BLOCKED = "robots_blocked"
    OUT_OF_SCOPE = "out_of_scope"
    DISALLOWED_PATH = "disallowed_path"
    OVER_DEPTH = "over_depth"
    OVER_PAGES = "over_pages"
    OVER_TIME = "over_time"
    OVER_BYTES = "over_bytes"
    TRAP = "trap"
    CONTENT_POLICY = "content_policy"
    HTTP_ERROR = "http_error"
    FETCH_ERROR = "fetch_error"
    RENDER_ERROR = "render_error"


PAGE_DECISIONS = (Decision.STORED, Decision.FRESH, Decision.NOT_MODIFIED, Decision.KEPT)
"""Decisions after which there is a page in the partition."""


class SeedSource(StrEnum):
    """How a seed URL came to be known."""

    CONFIG = "config"
    FEED = "feed"
    CSV = "csv"
    HISTORICAL = "historical"
    WARC = "warc"


def page_id(institution: str, url: str) -> str:
    """The stable id of a page in all tables: what `contentIds` names in the enhancement API."""
    # 64 bits: among a million pages two meet with a chance of 3 in 100 million.
    return hashlib.sha256(f"{institution}\n{url}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """One URL the crawl starts from. Key: (institution, url)."""

    institution: Annotated[str, "institution id"]
    url: Annotated[str, "absolute, normalised"]
    source: Annotated[SeedSource, "where the URL came from"]
    via: Annotated[str, "the file or feed it came from, for a person to read"]
    title: Annotated[str | None, "title the feed or list gave"] = None
    published_at: Annotated[str | None, "date the feed or list gave, ISO 8601"] = None
    listed_on: Annotated[date | None, "the day in the name of the list it came from"] = None
    added_at: Annotated[datetime, "when it was added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RssEntry:
    """How a story was found, in Media Cloud's field names; all of it may be unknown."""

    link: Annotated[str | None, "the URL to fetch; a downloads_id for historical pages"] = None
    title: Annotated[str | None, "title the feed gave"] = None
    domain: Annotated[str | None, "registered domain of the link"] = None
    pub_date: Annotated[str | None, "date the feed gave, RFC 2822"] = None
    fetch_date: Annotated[str | None, "the day it was found, YYYY-MM-DD"] = None
    source_url: Annotated[str | None, "the page or feed the link stood in"] = None
    source_feed_id: Annotated[int | None, "the feed's id in an older system"] = None
    source_source_id: Annotated[int | None, "the source's id in an older system"] = None
    via: Annotated[str | None, "how it was acquired, for a person to read"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotMeta:
    """How a snapshot came about."""

    rendered: Annotated[bool, "the body is the DOM after scripts ran"] = False
    render_reason: Annotated[str | None, "what asked for a browser, whatever that gave"] = None
    render_error: Annotated[str | None, "why it gave nothing: the page is as received"] = None
    render_ms: Annotated[int, "what the browser took, also where it added nothing"] = 0
    render_timed_out: Annotated[bool, "still changing at timeout_s: as it was then"] = False
    render_log: Annotated[tuple[str, ...], "requests that gave it nothing, each `url reason`"] = ()
    from_cache: Annotated[bool, "taken over from the last crawl without a new body"] = False
    robots_blocked: Annotated[bool, "always false for a stored page; see url_ledger"] = False
    redirects: Annotated[tuple[str, ...], "URLs passed on the way, first to last"] = ()
    alias_urls: Annotated[tuple[str, ...], "other URLs that lead to this page"] = ()
    alias_reasons: Annotated[tuple[str, ...], "why each alias is one, in the same order"] = ()
    source: Annotated[str, "crawl, sitemap, feed, csv, historical or warc"] = "crawl"
    sitemap_lastmod: Annotated[str | None, "when the site's sitemap says it last changed"] = None
    pdf_properties: Annotated[
        dict[str, str], "what a PDF says of itself: Title, Author, CreationDate …"
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSnapshot:
    """One page as last fetched. Key: (institution, url)."""

    institution: Annotated[str, "institution id"]
    page_id: Annotated[str, "stable id of the page in all tables"]
    url: Annotated[str, "identity of the page: canonical if in scope, else the final URL"]
    canonical_url: Annotated[str, "what the page calls its own URL, else url"]
    requested_url: Annotated[str, "the URL that was asked for"]
    fetched_at: Annotated[datetime, "when the body was received"]
    http_status: Annotated[int, "status of the final response"]
    content_type: Annotated[str, "media type without parameters"]
    encoding: Annotated[str | None, "charset used to decode the body"]
    headers: Annotated[dict[str, str], "response headers, lower-case names"]
    body: Annotated[bytes, "content-decoded bytes; the rendered DOM for a rendered page"]
    text: Annotated[str, "fast main text, list markers kept"]
    excerpt: Annotated[str, "the first characters of the text"]
    lang: Annotated[str | None, "detected language, ISO 639-1"]
    lang_confidence: Annotated[float | None, "0 to 1"]
    checksum: Annotated[str, "sha256:… over the normalised text"]
    simhash: Annotated[int, "64-bit SimHash of the text; near-duplicates differ in few bits"]
    title: Annotated[str | None, "the title element"]
    depth: Annotated[int, "links from a seed"]
    discovered_from: Annotated[str | None, "the page that linked here first"]
    etag: Annotated[str | None, "for the next conditional request"]
    last_modified: Annotated[str | None, "for the next conditional request"]
    first_seen_at: Annotated[datetime, "when this page was first stored"]
    changed_at: Annotated[datetime, "when its text last changed"]
    meta: Annotated[SnapshotMeta, "how the snapshot came about"]
    rss_entry: Annotated[
        RssEntry | None, "how an imported page was found, as its file tells; null if crawled"
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One discovered URL and the one decision about it. Key: (institution, url)."""

    institution: Annotated[str, "institution id"]
    url: Annotated[str, "absolute, normalised"]
    decision: Annotated[Decision, "what was decided"]
    reason: Annotated[str, "the rule or cause, a short fixed word"]
    detail: Annotated[str, "the evidence: the robots line, the status, the alias target"]
    depth: Annotated[int, "links from a seed"]
    discovered_from: Annotated[str | None, "the page that linked here first"]
    decided_at: Annotated[datetime, "when"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlCounters:
    """What a crawl counts; every number is shown in the UI and kept in crawl_reports."""

    urls_queued: Annotated[int, "URLs taken into the queue"] = 0
    urls_fetched: Annotated[int, "pages, sitemaps and robots.txt that were asked for"] = 0
    cache_hits: Annotated[int, "pages taken over within ttl_days"] = 0
    not_modified: Annotated[int, "pages that the server confirmed with a 304"] = 0
    pages_kept: Annotated[int, "pages of the last crawl that could not be asked for or shown"] = 0
    robots_blocked: Annotated[int, "URLs that robots.txt or nofollow keeps out"] = 0
    errors: Annotated[int, "URLs that ended in an HTTP, fetch or render error"] = 0
    content_policy: Annotated[int, "URLs whose content was not kept"] = 0
    rendered: Annotated[int, "stored pages whose body is the rendered DOM"] = 0
    lightweight: Annotated[int, "stored pages as the server sent them"] = 0
    heavyweight: Annotated[int, "pages that a browser opened, with whatever result"] = 0
    render_failed: Annotated[int, "of these, those that gave nothing"] = 0
    render_ms: Annotated[int, "milliseconds that browsers took in all"] = 0
    deduped: Annotated[int, "pages whose text was stored already"] = 0
    pdf_extracted: Annotated[int, "stored pages that were PDF"] = 0
    pages_used: Annotated[int, "pages in the partition after the crawl"] = 0
    pages_gone: Annotated[int, "pages of the last crawl that are no more"] = 0
    depth_max_seen: Annotated[int, "the most links from a seed to a URL that was queued"] = 0
    links_left_off: Annotated[int, "links beyond the limits of a page or a crawl"] = 0
    bytes_fetched: Annotated[int, "bytes received, as they came over the wire"] = 0
    replayed: Annotated[int, "answers taken from the journal of a crawl that was cut off"] = 0
    time_spent_s: Annotated[float, "seconds, also those before it was cut off"] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlReport:
    """One crawl of one institution; earlier crawls are kept. Key: (institution, started_at)."""

    institution: Annotated[str, "institution id"]
    started_at: Annotated[datetime, "when the crawl began"]
    finished_at: Annotated[datetime, "when it was published"]
    stopped_by: Annotated[str, "finished, or the budget that ended it"]
    counters: Annotated[CrawlCounters, "the counts"]
    decisions: Annotated[dict[str, int], "ledger rows by decision"]
    reasons: Annotated[dict[str, int], "ledger rows by decision:reason"]
    languages: Annotated[dict[str, int], "stored pages by language"]
    sample_urls: Annotated[tuple[str, ...], "a few stored pages for spot checks"]
    rendering: Annotated[str, "on, off, or why no browser was to be had"]
    config_json: Annotated[str, "the institution file that was used"]
    code_version: Annotated[str, "version of this package"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """The careful content of one page. Key: (institution, url)."""

    institution: Annotated[str, "institution id"]
    page_id: Annotated[str, "stable id of the page in all tables"]
    url: Annotated[str, "as in page_snapshots"]
    checksum: Annotated[str, "checksum of the snapshot this was made from"]
    title: Annotated[str | None, "title of the page"]
    text: Annotated[str, "main text"]
    raw_markdown: Annotated[str, "Markdown of the cleaned page"]
    fit_markdown: Annotated[str, "Markdown of the pruned page"]
    full_content: Annotated[str, "the Markdown that was selected"]
    selected: Annotated[str, "fit or raw"]
    selection_reason: Annotated[str, "why that one"]
    text_source: Annotated[str, "the candidate that gave the main text"]
    word_count: Annotated[int, "words of the main text"]
    rules_applied: Annotated[tuple[str, ...], "extraction rules that removed something"] = ()
    rules_invalid: Annotated[tuple[str, ...], "extraction rules that could not be read"] = ()
    error: Annotated[str | None, "why extraction gave nothing"] = None
    extractor_version: Annotated[str, "version of the extractor"]
    extracted_at: Annotated[datetime, "when"]
    inputs_digest: Annotated[str, "of all this was made from: the same again gives the same"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostCandidate:
    """A value that a source offered and that was not taken."""

    source: Annotated[str, "where it stood"]
    raw: Annotated[str, "the value as it stood in the page"]
    reason: Annotated[str, "why it was not taken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProvenance:
    """Where one field's value came from."""

    field: Annotated[str, "title, description, image, author, date, modified, content, topics"]
    source: Annotated[str, "the winning source, as in `title:h1`; empty if none won"]
    raw: Annotated[str, "the value as it stood in the page"]
    lost: Annotated[tuple[LostCandidate, ...], "the candidates that lost, with reasons"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """The metadata of one page, each value with its source. Key: (institution, url)."""

    institution: Annotated[str, "institution id"]
    page_id: Annotated[str, "stable id of the page in all tables"]
    url: Annotated[str, "as in page_snapshots"]
    title: Annotated[str | None, "3 to 200 characters"]
    description: Annotated[str | None, "20 to 500 characters"]
    image_url: Annotated[str | None, "absolute http(s) URL"]
    authors: Annotated[tuple[str, ...], "names"]
    published_at: Annotated[str | None, "ISO 8601, offset kept if there was one"]
    published_on: Annotated[date | None, "the day of published_at"]
    modified_at: Annotated[str | None, "ISO 8601, offset kept if there was one"]
    modified_on: Annotated[date | None, "the day of modified_at"]
    content_text: Annotated[str | None, "50 to 2000 characters of the main content"]
    word_count: Annotated[int, "words of content_text before the cut"]
    language: Annotated[str | None, "detected, ISO 639-1"]
    language_confidence: Annotated[float | None, "0 to 1"]
    declared_language: Annotated[str | None, "what the page says of itself"]
    provenance: Annotated[tuple[FieldProvenance, ...], "one entry a field"]
    extraction_log: Annotated[str, "one line: [url] Extracted from: title:h1, …"]
    error: Annotated[str | None, "why extraction gave nothing"] = None
    extractor_version: Annotated[str, "version of the extractor"]
    metadata_scraped_at: Annotated[datetime, "when"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTopic:
    """One topic of one page with its evidence. Key: (institution, url, topic)."""

    institution: Annotated[str, "institution id"]
    page_id: Annotated[str, "stable id of the page in all tables"]
    url: Annotated[str, "as in page_snapshots"]
    topic: Annotated[str, "lower case"]
    rank: Annotated[int, "1 is first; user-provided topics come first"]
    confidence: Annotated[float, "0 to 1, from the evidence"]
    sources: Annotated[tuple[str, ...], "meta:keywords, article:tag, url:path, content:analysis …"]
    keywords: Annotated[tuple[str, ...], "words of the text that speak for it"]
    parents: Annotated[tuple[str, ...], "broader topics, nearest first"]
    user_provided: Annotated[bool, "named in the institution file"]
    extractor_version: Annotated[str, "version of the extractor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageArchive:
    """Where the archived bytes of one page version are. Key: (institution, url, archived_at)."""

    institution: Annotated[str, "institution id"]
    page_id: Annotated[str, "stable id of the page in all tables"]
    url: Annotated[str, "as in page_snapshots"]
    target_uri: Annotated[str, "WARC-Target-URI of the response record"]
    record_type: Annotated[str, "response, or revisit for a later visit that found the same"]
    file: Annotated[str, "WARC file, relative to the archive folder"]
    offset: Annotated[int, "byte where the response record starts"]
    length: Annotated[int, "compressed bytes of the response record"]
    metadata_offset: Annotated[int, "byte where its metadata record starts"]
    metadata_length: Annotated[int, "compressed bytes of the metadata record"]
    record_id: Annotated[str, "WARC-Record-ID of the response"]
    payload_digest: Annotated[str, "sha1:… of the body"]
    checksum: Annotated[str, "checksum of the snapshot"]
    fetched_at: Annotated[datetime, "WARC-Date, to the second"]
    archived_at: Annotated[datetime, "when it was written"]


TABLES: dict[str, type] = {
    "seeds": Seed,
    "page_snapshots": PageSnapshot,
    "url_ledger": LedgerRow,
    "crawl_reports": CrawlReport,
    "page_content": PageContent,
    "page_metadata": PageMetadata,
    "page_topics": PageTopic,
    "page_archives": PageArchive,
}
"""Table name (= asset, folder and view name) to the record of its rows."""
