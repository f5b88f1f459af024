"""The headings of a page against what the page calls itself elsewhere: which may be its title."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from webmine_assets.extract.document import Document
from webmine_assets.extract.marks import Element, Marks
from webmine_assets.extract.metadata.wording import fold, squeeze, text_of

MAX_HEADINGS_PER_TAG = 20
MIN_PART_CHARS = 8
# Calibrated on the 415 annotated titles of the trafilatura set: 0.5 to 0.7 give the same.
_OUTVOTED_BELOW, _OUTVOTED_BY = 0.6, 0.8

STRONG_SEPARATOR = re.compile(r"\s*[|«»·•¦‹›]\s*|\s+(?:::|//|~|<|>)\s+")
"""Stands between a title and a site; a dash may belong to the title itself."""
DASH = re.compile(r"\s+[-–—]{1,2}\s+")
_ANY_SEPARATOR = re.compile(r"\s*[|«»·•¦‹›]\s*|\s+(?:::|//|~|<|>|-{1,2}|–|—|/|:)\s+|:\s+")
_LEADING_DATE = re.compile(r"^\d{1,2}[./]\d{1,2}[./]\d{4}[\s:,–-]{1,4}(?=\D{3})")
_KICKERS = frozenset(
    {"opinion", "analysis", "video", "watch", "live", "review", "podcast", "exclusive", "update"}
    | {"kommentar", "interview", "meinung", "kolumne", "opinión", "news", "blog", "editorial"}
)
_FRAME_HEADINGS = frozenset(
    {
        *("menu", "main menu", "navigation", "post navigation", "hauptmenü", "hauptnavigation"),
        *("beitrags navigation", "beitragsnavigation", "skip to content", "home", "page"),
        *("search", "search form", "suche", "suchen", "comments", "kommentare", "share"),
        *("table of contents", "inhalt", "cookies", "newsletter", "login"),
    }
)


@dataclass(frozen=True, slots=True)
class Heading:
    """One h1, h2 or h3."""

    element: Element
    text: str
    folded: str


class Headings:
    """All headings, and the titles that the page claims outside of them."""

    def __init__(
        self, document: Document, marks: Marks, *, claims: Iterable[str], site_names: frozenset[str]
    ) -> None:
        self._document, self._marks = document, marks
        self._claims = [claim for claim in claims if claim]
        self.is_home = _is_home(document.url)
        self.by_tag = {tag: list(_read(document, tag)) for tag in ("h1", "h2", "h3")}
        self.site_names = site_names | self._home_links()
        starts = frozenset(self._claim_starts())
        sections = frozenset(self._claim_ends(STRONG_SEPARATOR)) - starts
        self._ends = sections | (frozenset(self._claim_ends(DASH)) - starts)
        self._own_names = self.site_names | sections
        self._agreements: dict[str, float] = {}
        self._claim_words = [self._own_words(claim) for claim in self._claims]
        parts = (part for claim in self._claims for part in (claim, *_ANY_SEPARATOR.split(claim)))
        self._claimed = frozenset(fold(part) for part in parts) - {""}
        self._texts = frozenset(h.folded for h in self._all()) - {""}
        able = [h for h in self._all() if self._may_win(h)]
        self._title = self._agreed(able)
        self._best = max((self._agreement(h.folded) for h in able), default=0.0)

    def flaw_of(self, heading: Heading) -> str:
        """What speaks against a heading as the page's title; empty if nothing does."""
        if heading.folded in _FRAME_HEADINGS:
            return "a heading of the page's frame"
        if not self.is_home and self.names_site(heading.folded):
            return "the site's name"
        if self._is_outvoted(heading):
            return "another heading is what the page calls itself"
        if self._agreement(heading.folded) < _OUTVOTED_BELOW and self._marks.is_aside(
            heading.element
        ):
            return "in a menu, a comment or a side part"
        return ""

    @property
    def title_element(self) -> Element | None:
        """The heading that best agrees with the claimed titles."""
        return self._title.element if self._title else None

    def _agreed(self, able: Iterable[Heading]) -> Heading | None:
        agreeing = (h for h in able if self._agreement(h.folded) >= _OUTVOTED_BY)
        return max(agreeing, key=lambda h: len(h.folded), default=None)

    def names_site(self, folded: str) -> bool:
        """Whether this is the site's name, or the end of a claim that does not start with it."""
        return folded in self.site_names or folded in self._ends

    def _claim_ends(self, separator: re.Pattern[str]) -> Iterator[str]:
        """What stands behind the title in a claim; after a bar, sections of the site do too."""
        for claim in self._claims:
            parts = [fold(part) for part in separator.split(claim)]
            if len(parts) > 1 and parts[0] not in self.site_names and parts[0] not in _KICKERS:
                yield from parts[1:] if separator is STRONG_SEPARATOR else parts[-1:]

    def _claim_starts(self) -> Iterator[str]:
        """Whole claims and their first parts: what these say is no site's name."""
        for claim in self._claims:
            yield fold(claim)
            yield from (fold(p.split(claim)[0]) for p in (STRONG_SEPARATOR, DASH))

    def title_in(self, heading: Heading) -> str:
        """The part of a heading that is claimed as title, beside a kicker or a subtitle."""
        if not len(heading.element) or heading.folded in self._claimed:
            return heading.text
        parts = [text_of(part, limit=600) for part in heading.element.iter("*")][1:]
        for part in (*reversed(parts), squeeze(heading.element.text or "")):
            if len(part) >= MIN_PART_CHARS and fold(part) in self._claimed:
                return part
        return heading.text

    def part_of(self, title: str) -> str:
        """The longest part of a claimed title that stands as a heading on the page, or nothing."""
        breaks = list(_ANY_SEPARATOR.finditer(title))[:8]
        starts = [0, *(match.end() for match in breaks)]
        ends = [*(match.start() for match in breaks), len(title)]
        parts = {title[a:b].strip() for a in starts for b in ends if b - a >= MIN_PART_CHARS}
        for part in sorted(parts - {title}, key=len, reverse=True):
            folded = fold(part)
            if folded in self._texts and not self.names_site(folded):
                return part
        return ""

    def _own_words(self, claim: str) -> frozenset[str]:
        """The words of a claimed title without those parts that name the site."""
        pieces = STRONG_SEPARATOR.split(claim)
        pieces = pieces if len(pieces) > 1 else _ANY_SEPARATOR.split(claim)
        parts = [fold(piece) for piece in pieces]
        own = [part for part in parts if part not in self._own_names] or parts
        return frozenset(" ".join(own).split())

    def _all(self) -> Iterator[Heading]:
        for headings in self.by_tag.values():
            yield from headings

    def _home_links(self) -> frozenset[str]:
        """Headings that are one link to the start of the site: its name or logo."""
        if self.is_home:
            return frozenset()
        return frozenset(h.folded for h in self._all() if self._links_home(h.element))

    def _links_home(self, element: Element) -> bool:
        links = list(element.iter("a")) if len(element) else []
        parent = element.getparent()
        if not links and parent is not None and parent.tag == "a":
            links = [parent]
        target = self._document.resolve(links[0].get("href")) if len(links) == 1 else None
        return target is not None and _is_home(target)

    def _agreement(self, folded: str) -> float:
        """The share of a heading's words that a claimed title has too, for the best claim."""
        known = self._agreements.get(folded)
        if known is None:
            words = frozenset(folded.split())
            shared = (len(words & claim) / len(words) for claim in self._claim_words if words)
            known = self._agreements[folded] = max(shared, default=0.0)
        return known

    def _may_win(self, heading: Heading) -> bool:
        return len(heading.folded) >= MIN_PART_CHARS and not self.names_site(heading.folded)

    def _is_outvoted(self, heading: Heading) -> bool:
        return self._best >= _OUTVOTED_BY and self._agreement(heading.folded) < _OUTVOTED_BELOW


def _read(document: Document, tag: str) -> Iterator[Heading]:
    for element in document.by_tag.get(tag, [])[:MAX_HEADINGS_PER_TAG]:
        if text := text_of(element, limit=600):
            text = _LEADING_DATE.sub("", text) or text
            yield Heading(element, text, fold(text))


def _is_home(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.netloc) and parts.path in ("", "/") and not parts.query
