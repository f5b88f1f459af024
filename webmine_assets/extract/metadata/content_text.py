"""The content-text cascade: a short plain text of the page from its own markup.

The careful main text is `extract.content`'s; this one follows the page's semantic containers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from lxml import etree

from webmine_assets.extract.marks import Element
from webmine_assets.extract.metadata.cascade import Offer, Outcome, Rejected, Source, run
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.metadata.wording import squeeze, text_of

MIN_CHARS, MAX_CHARS = 50, 2_000
MAX_READ_CHARS = 400_000
_REMOVED_TAGS = frozenset({"script", "style", "template", "nav", "footer", "aside"})
_ADVERT = re.compile(
    r"(?:^|[\s_-])(?:ads?|advert\w*|advertisement|banner|sponsor(?:ed)?|promo)(?:$|[\s_-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ContentText:
    """At most 2000 characters, and the words there were before the cut."""

    text: str
    word_count: int


def _read(elements: list[Element]) -> Iterator[Offer]:
    for element in elements[:3]:
        yield Offer(text_of(element, limit=MAX_READ_CHARS, leave_out=_is_removed))


def _is_removed(element: Element) -> bool:
    if element.tag in _REMOVED_TAGS:
        return True
    return _is_advert(element.get("class") or "") or _is_advert(element.get("id") or "")


@lru_cache(maxsize=20_000)
def _is_advert(named: str) -> bool:
    return _ADVERT.search(named[:300]) is not None


def _class(name: str) -> Source:
    return Source(name, lambda evidence: _read(evidence.marks.by_class.get(name, [])))


def _found(name: str, expression: str) -> Source:
    path = etree.XPath(expression)
    return Source(name, lambda e: _read(cast("list[Element]", path(e.document.root))))


def _tag(name: str) -> Source:
    return Source(name, lambda evidence: _read(evidence.tags(name)))


def _paragraphs(evidence: Evidence) -> Iterator[Offer]:
    texts = [text_of(p) for p in evidence.tags("p")[:500] if not evidence.marks.is_aside(p)]
    if text := " ".join(filter(None, texts)):
        yield Offer(text)


CONTENT_SOURCES = (
    _tag("article"),
    _found("role:main", "//*[@role='main']"),
    Source("itemprop:articleBody", lambda e: _read(e.marks.by_property.get("articlebody", []))),
    _tag("main"),
    _class("class:content"),
    _class("class:article"),
    _class("class:post"),
    _found("id:content", "//*[@id='content' or @id='main-content']"),
    Source("paragraphs", _paragraphs),
)


def extract_content_text(evidence: Evidence) -> Outcome[ContentText]:
    """The text of the first container that holds at least 50 characters."""
    last = tuple(Source(s.name, s.read, last_resort=True) for s in CONTENT_SOURCES)
    return run("content", last, evidence, _check)


def _check(raw: str, source: str, evidence: Evidence) -> ContentText | Rejected:
    text = squeeze(raw)
    if len(text) < MIN_CHARS:
        return Rejected(f"shorter than {MIN_CHARS} characters")
    return ContentText(text[:MAX_CHARS].rstrip(), text.count(" ") + 1)
