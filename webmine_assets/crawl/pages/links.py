"""What a page links to and says about itself to crawlers: links, canonical, robots directives.

Scope, robots.txt and identity are decided by others.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml.html import HtmlElement

from webmine_assets.urls import canonicalise, resolve

MAX_LINKS = 20_000
# A longer base would be multiplied by every relative link of the page.
_MAX_BASE_CHARS = 2048

_REFRESH = re.compile(
    r"\s*(?P<delay>\d{0,9})(?:\.[\d.]*)?\s*(?:[;,]\s*|\s)(?:url\s*=\s*)?[\"']?(?P<url>[^\"']*)",
    re.IGNORECASE,
)
# Directives that carry a value after a colon; any other word before a colon names a user agent.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


@dataclass(frozen=True, slots=True)
class Link:
    """A URL as it is to be fetched, the key of the page it leads to, and how the link is meant."""

    url: str
    key: str
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class MetaRobots:
    """What the page asks of crawlers in its head or its headers."""

    noindex: bool = False
    nofollow: bool = False

    def __or__(self, other: "MetaRobots") -> "MetaRobots":
        return MetaRobots(self.noindex or other.noindex, self.nofollow or other.nofollow)


@dataclass(frozen=True, slots=True)
class MetaRefresh:
    """A page that asks to be left for another after some seconds."""

    url: str
    delay_s: int


@dataclass(frozen=True, slots=True)
class PageLinks:
    """All that a page says about addresses; `left_off` counts links beyond the limit."""

    links: tuple[Link, ...]
    canonical: str | None
    base: str
    robots: MetaRobots
    refresh: MetaRefresh | None = None
    left_off: int = 0


def read_page_links(
    document: HtmlElement, *, url: str, x_robots_tag: str = "", agent: str = "webmine"
) -> PageLinks:
    """Links in document order, each URL once; followable if any of its links is.

    `x_robots_tag` is the header's value; `agent` the product token that directives may name.
    """
    heads = list(document.iter("base", "link", "meta"))
    base = _base(heads, url)
    robots = parse_x_robots_tag(x_robots_tag, agent=agent) | _meta_robots(heads, agent)
    refresh = _refresh(heads, base)
    collector = _Collector(base, all_nofollow=robots.nofollow)
    if refresh is not None:
        collector.add(refresh.url, nofollow=False)
    for element in document.iter("a", "area", "link", "iframe", "frame"):
        collector.add_element(element)
    return PageLinks(
        links=tuple(collector.links.values()),
        canonical=_canonical(heads, base),
        base=base,
        robots=robots,
        refresh=refresh,
        left_off=collector.left_off,
    )


def parse_x_robots_tag(value: str, *, agent: str) -> MetaRobots:
    """The directives of an X-Robots-Tag header that are for everyone or for this agent.

    An empty element is where one header line ended, and with it the agent that the line names.
    """
    found: set[str] = set()
    for_us = True
    for part in value.lower().split(","):
        word, colon, rest = part.partition(":")
        name = word.strip()
        # No agent has a space in its name: `wed, 25 jun 2010 15:00` goes on after its comma.
        if colon and name not in _VALUED and " " not in name:
            for_us = name in (agent.lower(), "*")
            found.update({rest.strip()} if for_us else ())
        elif not part.strip():
            for_us = True
        elif not colon and for_us:
            found.add(name)
    return _directives(found)


class _Collector:
    """Gathers links in document order, each URL once."""

    def __init__(self, base: str, *, all_nofollow: bool) -> None:
        self.links: dict[str, Link] = {}
        self.left_off = 0
        self._base = base
        self._all_nofollow = all_nofollow

    def add_element(self, element: HtmlElement) -> None:
        tag = element.tag
        raw_url = element.get("src" if tag in ("iframe", "frame") else "href")
        if raw_url is None:
            return
        rel = element.get("rel")
        rels = rel.lower().split() if rel else ()
        if tag == "link" and "next" not in rels:
            return
        self.add(raw_url, nofollow="nofollow" in rels)

    def add(self, raw_url: str, *, nofollow: bool) -> None:
        url = resolve(raw_url, self._base)
        if url is None:
            return
        nofollow = nofollow or self._all_nofollow
        known = self.links.get(url)
        if known is None:
            if len(self.links) >= MAX_LINKS:
                self.left_off += 1
                return
            self.links[url] = Link(url, canonicalise(url), nofollow)
        elif known.nofollow and not nofollow:
            self.links[url] = Link(url, known.key, nofollow=False)


def _base(heads: Iterable[HtmlElement], url: str) -> str:
    for element in heads:
        raw_url = element.get("href") if element.tag == "base" else None
        if raw_url is not None:
            base = resolve(raw_url, url)
            return base if base and len(base) <= _MAX_BASE_CHARS else url
    return url


def _canonical(heads: Iterable[HtmlElement], base: str) -> str | None:
    for element in heads:
        if element.tag == "link" and "canonical" in (element.get("rel") or "").lower().split():
            href = (element.get("href") or "").strip()
            return resolve(href, base) if href else None
    return None


def _meta_robots(heads: Iterable[HtmlElement], agent: str) -> MetaRobots:
    found: set[str] = set()
    for element in heads:
        name = (element.get("name") or "").strip().lower() if element.tag == "meta" else ""
        if name in ("robots", agent.lower()) and name:
            found.update(word.strip() for word in (element.get("content") or "").lower().split(","))
    return _directives(found)


def _directives(words: set[str]) -> MetaRobots:
    return MetaRobots(
        noindex=not words.isdisjoint({"noindex", "none"}),
        nofollow=not words.isdisjoint({"nofollow", "none"}),
    )


def _refresh(heads: Iterable[HtmlElement], base: str) -> MetaRefresh | None:
    for element in heads:
        if (element.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(element.get("content") or "")
            raw_url = match["url"].strip() if match else ""
            if match and raw_url and (url := resolve(raw_url, base)):
                return MetaRefresh(url, int(match["delay"] or 0))
    return None
