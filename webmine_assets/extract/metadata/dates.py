"""The cascades for the publication and the modification date.

Order as in the seed; JSON-LD and citation tags join schema.org's place, the address and the visible
text come last.
"""

import re
from collections.abc import Iterator
from datetime import date

from webmine_assets.extract.metadata import sightings
from webmine_assets.extract.metadata.cascade import (
    Offer,
    Outcome,
    Rejected,
    Source,
    meta,
    offers,
    run,
)
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.metadata.moment import Moment, flaw_of, parse_moment
from webmine_assets.extract.metadata.wording import text_of

MAX_HTML_CHARS = 3_000_000
_PUBLISHED_META = re.compile(
    r"publish(?!er)|publicat|pub[-_.]?date|issued|created|release|(?:^|[.:_-])date(?:$|[.:_-])"
)
_OTHER_META = re.compile(
    r"modif|update|expir|valid|event|start|end|birth|access|copyright|revis|review"
)
_QUOTED_DATE = re.compile(r"[\"']((?:19|20)\d{2}[-/]\d{2}[-/]\d{2}[^\"'<>]{0,30})")
_KEY = re.compile(
    r"([\w-]{0,24}(?:publish|pub_?date|created|date|posted)[a-z_]{0,16})[\"']?\s{0,3}[:=(]\s{0,3}$",
    re.IGNORECASE,
)
_KEY_REACH = 50


def _microdata(name: str, evidence: Evidence) -> Iterator[Offer]:
    for element in evidence.marks.by_property.get(name, ()):
        value = element.get("datetime") or element.get("content") or text_of(element, limit=200)
        if value:
            yield Offer(value, sightings.OUTSIDE if evidence.marks.is_aside(element) else "")


def _json_ld(name: str) -> Source:
    return Source(f"json-ld:{name}", lambda evidence: offers(evidence.json_ld_texts(name)))


def _other_metas(evidence: Evidence) -> Iterator[Offer]:
    """Any other meta tag whose name speaks of publication."""
    for name, values in evidence.metas.items():
        if _PUBLISHED_META.search(name) and not _OTHER_META.search(name):
            yield from offers(values[:2])


def _embedded(evidence: Evidence) -> Iterator[Offer]:
    """Dates in scripts that draw the page."""
    html = evidence.document.html
    for match in _QUOTED_DATE.finditer(html, 0, MAX_HTML_CHARS):
        key = _KEY.search(html[max(match.start() - _KEY_REACH, 0) : match.start()])
        if key and not _OTHER_META.search(key[1].lower()):
            yield Offer(match[1])


PUBLISHED_SOURCES = (
    meta("article:published_time"),
    Source("itemprop:datePublished", lambda evidence: _microdata("datepublished", evidence)),
    _json_ld("datePublished"),
    meta("citation_publication_date"),
    meta("dcterms.issued"),
    meta("dc.date.issued"),
    meta("date", source="meta:date"),
    meta("publish-date", source="meta:publish-date"),
    Source("time:datetime", lambda evidence: sightings.times(evidence, pubdate=False)),
    Source("time:pubdate", lambda evidence: sightings.times(evidence, pubdate=True)),
    Source("meta:other", _other_metas),
    Source("feed", lambda evidence: offers([evidence.feed_date or ""])),
    Source("url", sightings.url_days),
    Source("class:date", sightings.dated_classes),
    meta("pdf:creationdate"),
    Source("text", sightings.visible_days, last_resort=True),
    Source("script", _embedded, last_resort=True),
)
MODIFIED_SOURCES = (
    meta("article:modified_time"),
    Source("itemprop:dateModified", lambda evidence: _microdata("datemodified", evidence)),
    _json_ld("dateModified"),
    meta("og:updated_time"),
    meta("last-modified", source="meta:last-modified"),
    meta("dcterms.modified"),
    meta("dc.date.modified"),
    meta("revised", source="meta:revised"),
    meta("pdf:moddate"),
    Source("sitemap", lambda evidence: offers([evidence.sitemap_date or ""])),
)
_VAGUE = frozenset({"meta:other", "dcterms.issued", "dc.date.issued"})
_MACHINE = (
    frozenset(
        {"article:published_time", "itemprop:datePublished", "json-ld:datePublished", "meta:date"}
    )
    | _VAGUE
)


def extract_published(evidence: Evidence) -> Outcome[Moment]:
    """When the page was published: from 1990 to today, with the offset if there was one."""
    return run("date", PUBLISHED_SOURCES, evidence, _check_published)


def extract_modified(evidence: Evidence, *, published: Moment | None) -> Outcome[Moment]:
    """When the page was last changed; never before it was published."""

    def check(raw: str, source: str, evidence: Evidence) -> Moment | Rejected:
        moment = _check(raw, evidence)
        if isinstance(moment, Moment) and published and moment.day < published.day:
            return Rejected("before the publication")
        return moment

    return run("modified", MODIFIED_SOURCES, evidence, check)


def _check(raw: str, evidence: Evidence) -> Moment | Rejected:
    moment = parse_moment(raw, month_first=sightings.month_first(evidence))
    if moment is None:
        return Rejected("not a date")
    flaw = flaw_of(moment, today=evidence.today)
    return Rejected(flaw) if flaw else moment


def _check_published(raw: str, source: str, evidence: Evidence) -> Moment | Rejected:
    moment = _check(raw, evidence)
    if isinstance(moment, Rejected) or source not in _MACHINE:
        return moment
    if flaw := _contradiction(moment, source, evidence):
        return Rejected(flaw)
    return moment


def _contradiction(moment: Moment, source: str, evidence: Evidence) -> str:
    """What the page shows people against a date that only machines see."""
    if moment.is_utc_or_local and _addressed(evidence, moment.day):
        return "the address says the day in the site's own time zone"
    if source == "meta:date":
        written = sightings.written_days(evidence)
        return "later than the date the page shows" if _is_past(written, moment.day) else ""
    if not (moment.is_utc or source in _VAGUE):
        return ""
    shown = sightings.shown_days(evidence)
    if not shown or moment.day in shown:
        return ""
    if moment.is_utc and moment.other_day in shown:
        return "in UTC; the page shows the day in the site's own time zone"
    return "the page shows another date" if source in _VAGUE else ""


def _addressed(evidence: Evidence, day: date) -> bool:
    """Whether the address names the day before or after, and not this one."""
    found = (parse_moment(offer.raw) for offer in sightings.url_days(evidence))
    distances = {abs((moment.day - day).days) for moment in found if moment}
    return 1 in distances and 0 not in distances


def _is_past(written: frozenset[date], day: date) -> bool:
    return bool(written) and max(written) < day
