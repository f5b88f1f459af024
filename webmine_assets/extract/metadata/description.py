"""The description cascade: in the seed's order; a cut one loses to the same one in full.

Of two cuts of one text the shorter wins: it was made to be a summary, the other runs on to a limit
(of 17 annotated pages with two such cuts it is the right one on all).
"""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from webmine_assets.extract.marks import Element
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
from webmine_assets.extract.metadata.wording import fold, squeeze, text_of

MIN_CHARS, MAX_CHARS = 20, 500
MIN_PROSE_CHARS = 60
MAX_PARAGRAPHS = 60
COMPARED_CHARS = 40
_CLAIMS = ("og:description", "twitter:description", "description")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_CUT = re.compile(r"(?:…|\.\.\.)\W{0,4}$")
_TIME_STAMP = re.compile(r"^\d{1,2}\.\d{1,2}\.\d{4},?\s(?:\d{1,2}[.:]\d{2}\s)?(?:Uhr\s?)?[:–-]\s")
_QUOTED = re.compile(r"[\"“„«‚'][^\"“”„«»]{1,300}[\"”“»’']")


def _microdata(evidence: Evidence) -> Iterable[Offer]:
    found = evidence.marks.by_property.get("description", ())
    return offers(e.get("content") or text_of(e) for e in found)


def _first_paragraph(evidence: Evidence) -> Iterator[Offer]:
    """The first paragraph of prose: in the article, else in the main content, else anywhere."""
    tops = [*evidence.tags("article")[:2], *([evidence.main] if evidence.main is not None else [])]
    paragraphs = chain((p for top in tops for p in top.iter("p")), evidence.tags("p"))
    short: list[Offer] = []
    for paragraph in islice(paragraphs, MAX_PARAGRAPHS):
        if offer := _paragraph(paragraph, evidence):
            if len(offer.raw) >= MIN_PROSE_CHARS:
                yield offer
                return
            short.append(offer)
    yield from short[:1]


def _paragraph(element: Element, evidence: Evidence) -> Offer | None:
    if evidence.marks.is_aside(element):
        return None
    text = text_of(element)
    return Offer(text) if len(text) >= MIN_CHARS else None


DESCRIPTION_SOURCES = (
    meta("og:description"),
    meta("twitter:description"),
    meta("description", source="meta:description"),
    Source("itemprop:description", _microdata),
    Source("json-ld:description", lambda e: offers(e.json_ld_texts("description"))),
    meta("dc.description"),
    meta("dcterms.description"),
    meta("citation_abstract"),
    meta("pdf:subject"),
    Source("first-p", _first_paragraph, last_resort=True),
)


def extract_description(evidence: Evidence) -> Outcome[str]:
    """The description of the page, 20 to 500 characters."""
    return run("description", DESCRIPTION_SOURCES, evidence, _check)


def _check(raw: str, source: str, evidence: Evidence) -> str | Rejected:
    text = _clean(raw)
    if len(text) < MIN_CHARS:
        return Rejected(f"shorter than {MIN_CHARS} characters")
    if len(text) > MAX_CHARS:
        return Rejected(f"longer than {MAX_CHARS} characters")
    if source in ("og:description", "twitter:description") and _is_fragment(text, evidence):
        return Rejected("cut short or a mere quotation; another tag has it better")
    return text


def _clean(raw: str) -> str:
    text = _MARKUP.sub(" ", html.unescape(raw[: 4 * MAX_CHARS + 1_000]))
    return _TIME_STAMP.sub("", squeeze(text))


def _is_fragment(text: str, evidence: Evidence) -> bool:
    """Cut off where another tag has it whole or cut on purpose, or a mere quotation beside one."""
    others = [_clean(value) for name in _CLAIMS for value in evidence.metas.get(name, ())[:2]]
    fitting = [other for other in others if MIN_CHARS <= len(other) <= MAX_CHARS]
    if _CUT.search(text):
        start = fold(_CUT.sub("", text))[:COMPARED_CHARS]
        same = [other for other in fitting if fold(other).startswith(start)]
        return any(not _CUT.search(other) or len(other) < len(text) for other in same)
    whole = (other for other in fitting if not _CUT.search(other))
    return _QUOTED.fullmatch(text) is not None and any(len(other) > len(text) for other in whole)
