"""Text of elements on one line, and text folded for comparison."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import cast

from lxml import etree

# Soft hyphens, zero-width characters and controls; white space is left to `squeeze`.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\x00-\x08\x0e-\x1b\x7f]")
_TEXT_NODES = etree.XPath(
    "descendant::text()[not(parent::script or parent::style or parent::template"
    " or parent::noscript)]",
    smart_strings=False,
)
_WORD = re.compile(r"\w+")
# The same of ASCII, in half the time.
_ASCII_WORDS = {code: " " for code in range(128) if not _WORD.match(chr(code))}


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(text.split())


_BLOCKS = word_set(
    """address article br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li ol p
    section small table td th time tr ul"""
)
# Pieces without tails count for nothing against a limit, and one element can hold 5 MB of them.
_MAX_PIECES = 2_000
_UNREAD = frozenset({"script", "style", "template", "svg"})


def _is_unread(element: etree._Element) -> bool:
    return element.tag in _UNREAD


def squeeze(text: str) -> str:
    """One line without invisible characters."""
    line = " ".join(text.split())
    # Nine texts of ten have none: what is printable is neither a control nor of no width.
    return line if line.isprintable() else " ".join(_UNSEEN.sub("", text).split())


def flat_text_of(element: etree._Element) -> str:
    """The text of an element with a space between any two pieces: five times faster."""
    return squeeze(" ".join(cast("list[str]", _TEXT_NODES(element))))


def fold(text: str) -> str:
    """For comparison: letters and digits only, no case, no accents of compatibility."""
    if text.isascii():
        return " ".join(text.lower().translate(_ASCII_WORDS).split())
    text = unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(text.casefold()))


def text_of(
    element: etree._Element,
    *,
    limit: int = 3_000,
    leave_out: Callable[[etree._Element], bool] = _is_unread,
) -> str:
    """The text of an element, with a space where a line or a block ends."""
    if not len(element):
        return squeeze((element.text or "")[: 2 * limit])[:limit]
    return squeeze("".join(_pieces(element, 2 * limit, leave_out)))[:limit]


def _pieces(
    top: etree._Element, limit: int, leave_out: Callable[[etree._Element], bool]
) -> list[str]:
    """Text nodes in order, without recursion: pages nest as deeply as they like."""
    most = limit
    parts = [(top.text or "")[:most]] if top.tag != "noscript" else []
    opened: list[tuple[etree._Element, Iterator[etree._Element]]] = [(top, iter(top))]
    while True:
        element, children = opened[-1]
        child = next(children, None)
        if child is not None:
            read = not leave_out(child)
            # A parser may put the whole page into a noscript that was never closed.
            if read and (text := child.text) and child.tag != "noscript":
                parts.append(f" {text[:most]}" if child.tag in _BLOCKS else text[:most])
            if read and len(child):
                opened.append((child, iter(child)))
                continue
            element = child
        elif len(opened) == 1:
            return parts
        else:
            opened.pop()
        tail = element.tail
        if not tail or element.tag in _BLOCKS:
            parts.append(" ")
        if tail:
            parts.append(tail[:most])
            limit -= len(tail)
        if limit < 0 or len(parts) > _MAX_PIECES:
            return parts
