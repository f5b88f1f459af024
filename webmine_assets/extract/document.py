"""One parsed page, shared by content, metadata and topics: the tree and what one pass finds in it.

Nobody mutates the tree; removal is done with marks.
"""

import re
from functools import cached_property
from itertools import islice
from typing import Any, cast
from urllib.parse import urljoin

from lxml import etree
from lxml.html import HtmlElement

from webmine_assets.reading.charset import decode
from webmine_assets.reading.html import parse

_VISIBLE_TEXT = etree.XPath(
    "descendant-or-self::text()[not(parent::script or parent::style or parent::noscript"
    " or parent::template)]",
    smart_strings=False,
)
# Addresses that urljoin gives back as they are, or behind the site: most, and it takes four times
# as long as to see that. Dots may be steps and a last sign may be dropped; those it joins.
_PATH = r"/(?:[^\x00-\x20\x7f?#;/.]+[/.])*[^\x00-\x20\x7f?#;/.]*"
_QUERY = r"(?:\?[^\x00-\x20\x7f#]+)?(?:#[^\x00-\x20\x7f]+)?"
_WHOLE = re.compile(rf"https?://[a-zA-Z0-9.:-]+{_PATH}{_QUERY}")
_ROOTED = re.compile(rf"{_PATH}{_QUERY}")
# The largest of 1,077 real pages has 4,410. With this many, 5 MB of short paragraphs take about a
# second on a busy machine.
MAX_ELEMENTS = 25_000
_NO_ATTRIBUTES: dict[str, str] = {}
_META_KEYS = ("name", "property", "itemprop", "http-equiv")


class Document:
    """The tree of one page with lazy views on it."""

    def __init__(self, root: HtmlElement, *, url: str, html: str, encoding: str | None) -> None:
        self.root = root
        self.url = url
        self.html = html
        self.encoding = encoding

    @classmethod
    def parse(cls, html: bytes | str, *, url: str, header_charset: str | None = None) -> "Document":
        """Parse any bytes or text; what is not HTML gives an empty tree, never an error."""
        if isinstance(html, str):
            return cls(parse(html, url=url), url=url, html=html, encoding=None)
        decoded = decode(html, header_charset)
        return cls(
            parse(decoded.text, url=url), url=url, html=decoded.text, encoding=decoded.encoding
        )

    @cached_property
    def elements(self) -> list[HtmlElement]:
        """The elements in document order; holding them makes later visits cheap."""
        return list(islice(self.root.iter("*"), MAX_ELEMENTS))

    @cached_property
    def attributes(self) -> list[dict[str, str]]:
        """The attributes of each of `elements`: all of them take less than three asked by name."""
        return [
            dict(items) if (items := element.items()) else _NO_ATTRIBUTES
            for element in self.elements
        ]

    @cached_property
    def by_tag(self) -> dict[str, list[HtmlElement]]:
        found: dict[str, list[HtmlElement]] = {}
        for element in self.elements:
            found.setdefault(element.tag, []).append(element)
        return found

    @cached_property
    def metas(self) -> dict[str, list[str]]:
        """Contents of meta elements by lower-cased name, property, itemprop or http-equiv."""
        found: dict[str, list[str]] = {}
        for meta in self.by_tag.get("meta", ()):
            content = (meta.get("content") or "").strip()
            if content:
                for key in {(meta.get(name) or "").strip().lower() for name in _META_KEYS} - {""}:
                    found.setdefault(key, []).append(content)
        return found

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        from webmine_assets.extract.structured import parse_json_ld

        return parse_json_ld(self.by_tag.get("script", ()))

    @cached_property
    def base_url(self) -> str:
        """What relative addresses are relative to: the base element if it is usable."""
        for base in self.by_tag.get("base", ()):
            if href := (base.get("href") or "").strip():
                return _join(self.url, href) or self.url
        return self.url

    @cached_property
    def _site_url(self) -> str:
        """What an address that begins with a slash stands behind."""
        return (_join(self.base_url, "/") or "/")[:-1]

    def resolve(self, href: str | None) -> str | None:
        """The absolute http(s) address of a reference, or None if it is not one."""
        joined = self._joined((href or "").strip())
        return joined if joined and joined.startswith(("http://", "https://")) else None

    def _joined(self, href: str) -> str | None:
        if _WHOLE.fullmatch(href):
            return href
        if _ROOTED.fullmatch(href):
            return self._site_url + href
        return _join(self.base_url, href)

    def text_of(self, element: HtmlElement) -> str:
        """The readable text of an element on one line, without scripts and styles."""
        pieces = cast("list[str]", _VISIBLE_TEXT(element))
        return " ".join("".join(pieces).split())


def _join(base: str, href: str) -> str | None:
    try:
        return urljoin(base, href)
    except ValueError:
        return None
