"""From a response and its reading to a row of page_snapshots, still without body and aliases."""

from dataclasses import replace

from webmine_assets.crawl.cache import Previous
from webmine_assets.crawl.exchange import FetchResponse, RenderedPage
from webmine_assets.crawl.frontier import Item
from webmine_assets.crawl.rendering.second_pass import Reading
from webmine_assets.institutions import Institution
from webmine_assets.records import PageSnapshot, SnapshotMeta, page_id
from webmine_assets.urls import canonicalise

EXCERPT_CHARS = 280


def key_of(url: str) -> str:
    """The key of a URL that was visited; a view that scripts make (`#/path`) has its own."""
    return canonicalise(url, keep_fragment=True)


def keys_passed(response: FetchResponse) -> tuple[str, ...]:
    """The keys of all URLs on the way to a response, the final one last."""
    return tuple(dict.fromkeys(key_of(url) for url in (*response.redirects, response.url)))


def build_row(
    item: Item,
    response: FetchResponse,
    reading: Reading,
    *,
    institution: Institution,
    previous: Previous | None,
) -> PageSnapshot:
    """The row as the page presents itself; the commit settles `url` and `page_id`."""
    parsed = reading.parsed
    url = key_of(response.url)
    is_same = previous is not None and previous.checksum == parsed.checksum
    return PageSnapshot(
        institution=institution.institution_id,
        page_id=page_id(institution.institution_id, url),
        url=url,
        canonical_url=parsed.canonical or url,
        requested_url=item.url,
        fetched_at=response.fetched_at,
        http_status=response.status,
        content_type=parsed.content_type,
        encoding=parsed.encoding,
        headers=response.headers,
        body=b"",
        text=parsed.text,
        excerpt=parsed.text[:EXCERPT_CHARS],
        lang=parsed.lang,
        lang_confidence=parsed.lang_confidence,
        checksum=parsed.checksum,
        simhash=parsed.simhash,
        title=parsed.title,
        depth=item.depth,
        discovered_from=item.discovered_from,
        etag=response.headers.get("etag"),
        last_modified=response.headers.get("last-modified"),
        first_seen_at=previous.first_seen_at if previous else response.fetched_at,
        changed_at=previous.changed_at if previous and is_same else response.fetched_at,
        meta=replace(
            render_meta(reading),
            redirects=response.redirects,
            source=item.source,
            pdf_properties=parsed.properties,
        ),
    )


def render_meta(reading: Reading) -> SnapshotMeta:
    """What a browser had to do with a page, also where what it showed was not taken."""
    answer, failure = reading.answer, reading.failure
    return SnapshotMeta(
        rendered=reading.rendered,
        render_reason=reading.reason,
        render_error=f"{failure.reason}: {failure.detail}" if failure else None,
        render_ms=reading.render_ms,
        render_timed_out=isinstance(answer, RenderedPage) and answer.timed_out,
        render_log=reading.log,
    )


def kept_row(stored: PageSnapshot, confirmed: FetchResponse | None) -> PageSnapshot:
    """A row of the last partition that goes on; a 304 renews its time and its validators."""
    row = replace(stored, body=b"", meta=replace(stored.meta, from_cache=True))
    if confirmed is None:
        return row
    return replace(
        row,
        fetched_at=confirmed.fetched_at,
        etag=confirmed.headers.get("etag", row.etag),
        last_modified=confirmed.headers.get("last-modified", row.last_modified),
    )
