"""A stored page as inert HTML: nothing in it runs, loads, sends or leads away.

The policy the page is served under forbids the same things again; neither relies on the other.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import islice
from typing import Any

from webmine_assets.extract.document import Document

DROPPED = frozenset(
    "script noscript template iframe frame frameset noframes object embed applet param svg math "  # noqa: SIM905  # words read better than a column of quotes
    "base meta link title audio video source track canvas portal input textarea select option "
    "optgroup datalist dialog fencedframe keygen area map marquee bgsound".split()
)
RENAMED = {"form": "div", "button": "span", "label": "span", "fieldset": "div", "legend": "div",
           "html": "div", "body": "div", "head": "div", "plaintext": "pre", "xmp": "pre",
           "listing": "pre"}  # fmt: skip
VOID = frozenset(["br", "hr", "img", "wbr", "col"])
# Void in HTML, but libxml2 does not know it and puts all that follows inside.
_CONTAIN_WHAT_FOLLOWS = frozenset(
    ["wbr", "embed", "source", "track", "bgsound", "keygen", "input", "area", "param", "link"]
)
KEPT_ATTRIBUTES = frozenset(
    "class id title alt lang dir colspan rowspan width height align valign datetime start role "  # noqa: SIM905  # words read better than a column of quotes
    "headers scope abbr".split()
)
_NAME = re.compile(r"[a-z][a-z0-9-]{0,40}")
_DATA_IMAGE = re.compile(r"data:image/(png|gif|jpeg|webp);base64,[A-Za-z0-9+/=\s]{1,200000}")
_CSS_LOADS = re.compile(r"@import[^;]*;?|(?:url|image-set|image|src)\s*\([^)]*\)?", re.I)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.I | re.S)
_CSS_LIVE = re.compile(r"expression\s*\(|javascript:|-moz-binding|behavior\s*:", re.I)
# A style sheet may compare (`width < 600px`); one with tags in it is there to be misread.
_MARKUP = re.compile(r"<[a-z/!?]", re.I)
_MAX_PIECES = 200_000
_MAX_STYLE_CHARACTERS = 300_000


def sanitise(document: Document, *, numbered: bool = False) -> str:
    """The body of a page without anything active; `numbered` marks elements by their position."""
    numbers = {e: n for n, e in enumerate(document.elements)} if numbered else {}
    body = next(iter(document.by_tag.get("body", ())), document.root)
    return "".join(islice(_pieces(body, numbers), _MAX_PIECES))


def sanitise_styles(document: Document) -> str:
    """The style sheets inside a page, without what would load anything."""
    sheets = (element.text or "" for element in document.by_tag.get("style", ()))
    clean = "\n".join(clean_css(sheet) for sheet in sheets if not _MARKUP.search(sheet))
    return "" if _MARKUP.search(clean) else clean[:_MAX_STYLE_CHARACTERS]


def clean_css(css: str) -> str:
    """CSS without what loads or runs; all of it goes where an escape hides such a thing."""
    clean = _CSS_LIVE.sub("x-", _CSS_LOADS.sub("none", css))
    plain = _CSS_ESCAPE.sub(_unescaped, clean)
    return "" if _CSS_LOADS.search(plain) or _CSS_LIVE.search(plain) else clean


def _unescaped(match: re.Match[str]) -> str:
    number = int(match[1], 16) if match[1] else 0
    return chr(number) if 0 < number < 0x110000 else match[2] or ""


def _pieces(root: Any, numbers: dict[Any, int]) -> Iterator[str]:
    """Walks without recursion: there are pages that nest thousands of elements to break it."""
    waiting: list[Any] = [root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        tag, is_open = _tag_of(item), item.tag in _CONTAIN_WHAT_FOLLOWS
        if tag is not None:
            yield _opening(item, tag, numbers.get(item))
        closing = f"</{tag}>" if tag is not None and tag not in VOID else ""
        waiting.append(closing + (escape(item.tail or "") if item is not root else ""))
        if closing or is_open:
            yield escape(item.text or "")
            waiting.extend(reversed(item))


def _opening(element: Any, tag: str, number: int | None) -> str:
    mark = f' data-wm="{number}"' if number is not None else ""
    return f"<{tag}{mark}{''.join(_attributes(element))}>"


def _tag_of(element: Any) -> str | None:
    tag = str(element.tag).lower()
    if tag in DROPPED or tag == "style":
        return None
    return RENAMED.get(tag, tag) if _NAME.fullmatch(tag) else "span"


def _attributes(element: Any) -> Iterator[str]:
    for name, value in element.attrib.items():
        name = str(name).lower()
        if name in KEPT_ATTRIBUTES or name.startswith("aria-"):
            if _NAME.fullmatch(name):
                yield f' {name}="{escape(value)}"'
        elif name == "style":
            yield f' style="{escape(clean_css(value))}"'
        elif name == "src" and _DATA_IMAGE.fullmatch(value):
            yield f' src="{escape(value)}"'
