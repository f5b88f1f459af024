"""Whether a page out of a file belongs to an institution, and the row it becomes. Pure."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from webmine_assets.archive.container import parse_date
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.identity import is_credible_canonical
from webmine_assets.crawl.pages.page import PDF_TYPE, PageInput, ParsedPage
from webmine_assets.crawl.rules.judgement import Judge
from webmine_assets.crawl.rules.policy import decide_response
from webmine_assets.crawl.rules.scope import Scope
from webmine_assets.crawl.snapshot import EXCERPT_CHARS, key_of
from webmine_assets.ingest.warc import RejectedPage
from webmine_assets.institutions import Institution
from webmine_assets.reading.stored import StoredPage
from webmine_assets.records import Decision, PageSnapshot, RssEntry, SnapshotMeta, page_id
from webmine_assets.urls import resolve

_MAX_DEPTH = 1_000
_MAX_TEXT = 4_000  # longer than any URL or title that other tools keep


class Admission:
    """The rules of one institution; `any_host` takes pages of hosts that it does not name."""

    def __init__(self, institution: Institution, *, any_host: bool, now: datetime) -> None:
        self.institution = institution
        self._any_host = any_host
        self._now = now
        self._scope = Scope.of(institution)
        self._judge = Judge(institution)

    @property
    def max_body_bytes(self) -> int:
        """Larger bodies are never stored, so they need not be read."""
        return self._judge.max_fetch_bytes

    def refuse(self, page: StoredPage) -> Refusal | None:
        """Why a page is not taken, told without reading it."""
        url = key_of_stored(page.url)
        if url is None:
            return _policy("not_http", page.url[:200])
        return self._out_of_scope(url) or decide_response(
            page.status, _content_type(page), page.body, budgets=self.institution.budgets
        )

    def refuse_record(self, rejected: RejectedPage) -> Refusal:
        """Why a record that holds no page is not taken."""
        url = key_of_stored(rejected.url)
        refusal = self._out_of_scope(url) if url else None
        return refusal or _of_record(rejected)

    def admit(self, page: StoredPage, parsed: ParsedPage) -> PageSnapshot | Refusal:
        """The row of a page that was read, or why its content is not worth one."""
        refusal = self._judge.of_page(parsed)
        if refusal is not None:
            return refusal
        final = key_of(page.url)
        return _snapshot(
            page,
            parsed,
            institution=self.institution.institution_id,
            url=self._identity(page, parsed, final),
            now=self._now,
        )

    def _identity(self, page: StoredPage, parsed: ParsedPage, final: str) -> str:
        """As a crawl would settle it; pages of our own archives were settled when crawled."""
        canonical = parsed.canonical
        if canonical is None or _is_ours(page) or not is_credible_canonical(canonical, final):
            return final
        return final if self._scope.decide(canonical) else canonical

    def _out_of_scope(self, url: str) -> Refusal | None:
        refusal = self._scope.decide(url)
        if refusal and self._any_host and refusal.decision == Decision.OUT_OF_SCOPE:
            return None
        return refusal


def key_of_stored(url: str) -> str | None:
    """The key of a page's URL; None if it is not http(s)."""
    absolute = resolve(url, url, keep_fragment=True)
    return key_of(absolute) if absolute else None


def page_input(page: StoredPage) -> PageInput:
    """The page as the crawler's reader takes it."""
    headers = {**page.headers, "content-type": _content_type(page)}
    return PageInput(url=page.url, body=page.body, headers=headers)


def _content_type(page: StoredPage) -> str:
    """The type with the charset that is known to decode the body.

    A rendered page is stored as the browser's UTF-8, whatever the server's header said.
    """
    media_type = _text(page.extras.get("content_type")) or page.content_type
    has_charset = page.encoding and media_type != PDF_TYPE
    return f"{media_type}; charset={page.encoding}" if has_charset else media_type


def _of_record(rejected: RejectedPage) -> Refusal:
    if rejected.reason != "http_error":
        return _policy(rejected.reason, rejected.detail)
    if rejected.detail[:1] in ("4", "5"):
        # The status stands in the reason alone: what an archive met is no refusal of ours.
        return Refusal(
            decision=Decision.HTTP_ERROR, reason=f"http_{rejected.detail}", detail="as archived"
        )
    return _policy("status", f"status {rejected.detail}")


def _policy(reason: str, detail: str) -> Refusal:
    return Refusal(decision=Decision.CONTENT_POLICY, reason=reason, detail=detail)


def _snapshot(
    page: StoredPage, parsed: ParsedPage, *, institution: str, url: str, now: datetime
) -> PageSnapshot:
    extras, final = page.extras, key_of(page.url)
    fetched_at = _moment(extras.get("fetched_at"), now) or min(page.fetched_at or now, now)
    return PageSnapshot(
        institution=institution,
        page_id=page_id(institution, url),
        url=url,
        canonical_url=parsed.canonical or url,
        requested_url=_text(extras.get("requested_url")) or page.url,
        fetched_at=fetched_at,
        http_status=page.status,
        content_type=parsed.content_type,
        encoding=parsed.encoding,
        headers=page.headers,
        body=page.body,
        text=parsed.text,
        excerpt=parsed.text[:EXCERPT_CHARS],
        lang=parsed.lang,
        lang_confidence=parsed.lang_confidence,
        checksum=parsed.checksum,
        simhash=parsed.simhash,
        title=parsed.title,
        depth=_depth(extras.get("depth")),
        discovered_from=_text(extras.get("discovered_from")),
        etag=_text(extras.get("etag")) or page.headers.get("etag"),
        last_modified=_text(extras.get("last_modified")) or page.headers.get("last-modified"),
        first_seen_at=_moment(extras.get("first_seen_at"), fetched_at) or fetched_at,
        changed_at=_moment(extras.get("changed_at"), fetched_at) or fetched_at,
        meta=replace(
            _meta(page, alias=final if final != url else None), pdf_properties=parsed.properties
        ),
        rss_entry=_rss_entry(page),
    )


def _rss_entry(page: StoredPage) -> RssEntry:
    """What the file says of how its page was found; `via` is the file itself if it does not."""
    entry = replace(page.rss_entry, via=page.rss_entry.via or page.via)
    texts = {name: _text(v) for name, v in asdict(entry).items() if isinstance(v, str)}
    return replace(entry, **texts)  # type: ignore[arg-type]  # only fields that held text


def _meta(page: StoredPage, *, alias: str | None) -> SnapshotMeta:
    raw = page.extras.get("meta")
    values: dict[str, Any] = raw if isinstance(raw, dict) else {}
    aliases = dict(
        zip(_texts(values.get("alias_urls")), _texts(values.get("alias_reasons")), strict=False)
    )
    if alias:
        aliases[alias] = "canonical"
    return SnapshotMeta(
        rendered=values.get("rendered") is True,
        render_reason=_text(values.get("render_reason")),
        redirects=_texts(values.get("redirects")),
        alias_urls=tuple(aliases),
        alias_reasons=tuple(aliases.values()),
        source=page.source,
    )


def _is_ours(page: StoredPage) -> bool:
    return bool(page.extras.get("page_id"))


def _moment(value: object, latest: datetime) -> datetime | None:
    """A time of our own archives, no later than it can have been."""
    moment = parse_date(value) if isinstance(value, str) else None
    return min(moment, latest) if moment else None


def _text(value: object) -> str | None:
    return _whole(value) if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_whole(v) for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _whole(value: str) -> str:
    """Text that any table can hold: JSON of an archive may have half characters and be long."""
    return value[:_MAX_TEXT].encode("utf-8", "replace").decode()


def _depth(value: object) -> int:
    return min(value, _MAX_DEPTH) if isinstance(value, int) and value > 0 else 0
