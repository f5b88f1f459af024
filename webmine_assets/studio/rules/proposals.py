"""Selectors proposed from words: what "the related articles" may be, by names and headings."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import apply_rules
from webmine_assets.institutions import ExtractionRule
from webmine_assets.studio.rules.effect import removed_share
from webmine_assets.studio.rules.selectors import best_selector

_MAX_PROPOSALS = 8
_MAX_ELEMENTS = 20_000
_SNIPPET = 140
_WORD = re.compile(r"[^\W\d_]{2,}")
_STOP = frozenset(
    "the and for with all any from that this these those its our your remove delete drop hide "  # noqa: SIM905  # words read better than a column of quotes
    "exclude ignore skip strip cut take away out please box boxes section sections block blocks "
    "element elements part parts area page pages site under above below near beside of in on at "
    "to an is are be want dont don not no more show shown which what get rid can you it".split()
)
# Names of the content itself: they mean it only where nothing else is named.
_VAGUE = frozenset(
    {"article", "articles", "stories", "story", "news", "content", "text", "link", "links"}
)
# What people call a thing, and what designers call it in class names.
_SYNONYMS = {
    "related": ("related", "recommend", "similar", "readmore", "more-news"),
    "recommended": ("recommend", "related", "similar"),
    "ads": ("advert", "sponsor", "promo", "banner", "ads"),
    "ad": ("advert", "sponsor", "promo", "banner"),
    "advertisements": ("advert", "sponsor", "promo", "ads"),
    "advertising": ("advert", "sponsor", "promo", "ads"),
    "share": ("share", "social"),
    "sharing": ("share", "social"),
    "social": ("social", "share"),
    "comments": ("comment", "disqus", "respond"),
    "comment": ("comment", "disqus", "respond"),
    "newsletter": ("newsletter", "subscribe", "signup"),
    "subscription": ("subscribe", "newsletter", "signup"),
    "cookie": ("cookie", "consent", "gdpr"),
    "cookies": ("cookie", "consent", "gdpr"),
    "menu": ("menu", "nav"),
    "navigation": ("nav", "menu", "breadcrumb"),
    "breadcrumbs": ("breadcrumb",),
    "author": ("author", "byline", "bio"),
    "biography": ("bio", "author"),
    "tags": ("tag", "keyword", "categor"),
    "sidebar": ("sidebar", "aside", "complementary"),
    "footer": ("footer",),
    "header": ("header", "masthead"),
    "popular": ("popular", "trending", "most-read"),
}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary", "strong", "caption")
_NAME_WEIGHT, _HEADING_WEIGHT, _LABEL_WEIGHT, _TAG_WEIGHT = 3.0, 3.0, 2.0, 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A selector that might be meant, with what it would remove from this page."""

    selector: str
    why: str
    elements: int
    text_share: float
    snippet: str


def wanted_words(description: str) -> list[str]:
    """The words of a description that name something, as stems that class names contain."""
    words = [word.lower() for word in _WORD.findall(description)]
    named = [word for word in dict.fromkeys(words) if word not in _STOP]
    telling = [word for word in named if word not in _VAGUE] or named
    return [stem for word in telling for stem in _SYNONYMS.get(word, (word.rstrip("s") or word,))]


def propose(document: Document, description: str) -> list[Proposal]:
    """The likeliest selectors for what a person describes, best first."""
    words = wanted_words(description)
    scored: dict[str, tuple[float, str]] = {}
    for element in document.elements[:_MAX_ELEMENTS] if words else ():
        score, why = _score(document, element, words)
        if score and element.tag not in ("html", "body", "head"):
            selector = best_selector(document, element)
            if score > scored.get(selector, (0.0, ""))[0]:
                scored[selector] = (score, why)
    ranked = sorted(scored.items(), key=lambda item: -item[1][0])[: 3 * _MAX_PROPOSALS]
    proposals = [describe(document, selector, why) for selector, (_, why) in ranked]
    return [proposal for proposal in proposals if proposal][:_MAX_PROPOSALS]


def describe(document: Document, selector: str, why: str) -> Proposal | None:
    """A selector with its effect on this page; None if it finds nothing to read."""
    matched = apply_rules(document.root, [ExtractionRule(value=selector)]).elements
    if not matched:
        return None
    first = next(element for element in document.elements if element in matched)
    return Proposal(
        selector=selector,
        why=why,
        elements=len(matched),
        text_share=removed_share(document, matched),
        snippet=document.text_of(first)[:_SNIPPET],
    )


def _score(document: Document, element: Any, words: Iterable[str]) -> tuple[float, str]:
    """How strongly an element's names, headings, label and tag speak for these words."""
    names = f"{element.get('id') or ''} {element.get('class') or ''}".lower()
    label = (element.get("aria-label") or element.get("role") or "").lower()
    heading = _heading_of(document, element)
    score, reasons = 0.0, list[str]()
    for word in words:
        if word in names:
            score, reasons = score + _NAME_WEIGHT, [*reasons, f"named “{names.strip()[:60]}”"]
        if word in heading:
            score, reasons = score + _HEADING_WEIGHT, [*reasons, f"headed “{heading[:60]}”"]
        if word in label:
            score, reasons = score + _LABEL_WEIGHT, [*reasons, f"labelled “{label[:60]}”"]
        if word == element.tag:
            score, reasons = score + _TAG_WEIGHT, [*reasons, f"a {word} element"]
    return score, ", ".join(dict.fromkeys(reasons))


def _heading_of(document: Document, element: Any) -> str:
    """The heading an element starts with: its first or second child, or its first child's."""
    for child in element[:2]:
        if child.tag in _HEADINGS:
            return document.text_of(child).lower()[:200]
        if len(child) and child[0].tag in _HEADINGS[:6]:
            return document.text_of(child[0]).lower()[:200]
    return ""
