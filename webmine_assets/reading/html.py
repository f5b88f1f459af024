"""From characters to a tree: one robust parse for crawling and for extraction.

lxml, not lexbor: 0.17 ms against 0.08 ms per 40 kB, but bounded in depth, where lexbor took 8.6 s
over 100,000 nested elements; and extraction needs the same tree.
"""

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser

# A page this large is cut, not refused: the parser needs about ten times its size in memory.
MAX_CHARS = 10_000_000
# Elements that may be dropped without losing text or links when nesting is too deep to parse.
_WRAPPERS = re.compile(
    rb"</?(?:div|span|font|b|i|u|em|strong|center|section|small|big|blockquote|dl|dd|ul|ol|table|tbody|tr"
    rb"|td|tt|s|strike|nobr|article|main)\b[^<>]*>",
    re.IGNORECASE,
)
# libxml2 compares every attribute of an element with all others: 40,000 of them take a second, and
# so do 5 MB of elements that have 500 each.
_LONG_TAG = re.compile(rb"<[A-Za-z][^<>]{1024,}")
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_MAX_ATTRIBUTES = 100
# lxml.html asks a Python function for the class of each element: 0.3 µs that nobody here needs.
_ONE_CLASS = etree.ElementDefaultClassLookup(element=HtmlElement)
_HEAD_TAGS = frozenset(
    (
        *("base", "basefont", "bgsound", "link", "meta", "noframes"),
        *("noscript", "script", "style", "template", "title"),
    )
)
# What a browser shows of a template: the content that a server drew for a custom element.
_SHADOW_ROOT = "shadowrootmode"
# libxml2 2.14 stops at the end of the document; browsers read on, and pages do go on after it.
_CLOSERS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)


def parse(html_text: str, *, url: str) -> HtmlElement:
    """The html element of any text whatever; `url` becomes the base of the tree.

    Elements nested deeper than libxml2 allows (2,048) lose their wrappers, not their text.
    """
    # Bytes: given a str, lxml refuses one that starts with an XML declaration naming an encoding.
    body = html_text[:MAX_CHARS].encode("utf-8", "replace").replace(b"\0", b"")
    body = _CLOSERS.sub(b"", _LONG_TAG.sub(_without_many_attributes, body))
    tree, too_deep = _parse(body, url)
    if too_deep:
        tree, _ = _parse(_WRAPPERS.sub(b" ", body), url)
    if _SHADOW_ROOT.encode() in body:
        _show_shadow_roots(tree)
    _open_body(tree)
    return tree


def _show_shadow_roots(root: HtmlElement) -> None:
    """Make content of declarative shadow roots, which readers would pass over as templates."""
    for template in root.iter("template"):
        if template.attrib.pop(_SHADOW_ROOT, "").strip().lower() in ("open", "closed"):
            template.tag = "div"


def _open_body(root: HtmlElement) -> None:
    """Begin the body where a browser would: at the first element that no head can have.

    libxml2 knows no article, section or main, and leaves them in a head that nothing closed.
    """
    head = root.find("head")
    children = [] if head is None else list(head)
    first = next((n for n, child in enumerate(children) if child.tag not in _HEAD_TAGS), None)
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    children[-1].tail = (children[-1].tail or "") + (body.text or "")
    body.text = None
    # As one slice: to insert at a position, libxml2 counts up to it, 17 s for 40,000 elements.
    body[:0] = children[first:]


def _parse(body: bytes, url: str) -> tuple[HtmlElement, bool]:
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ONE_CLASS)
    tree = etree.fromstring(body or b" ", parser, base_url=_base(url))
    last_error = parser.error_log.last_error
    too_deep = last_error is not None and last_error.type_name == "ERR_RESOURCE_LIMIT"
    return (_as_html(tree), too_deep)


def _without_many_attributes(tag: re.Match[bytes]) -> bytes:
    """The tag as it is, or only its name if it has more attributes than any page needs."""
    words = _QUOTED.sub(b"", tag[0]).split()
    return tag[0] if len(words) <= _MAX_ATTRIBUTES else words[0][:60]


def _base(url: str) -> str:
    return url if url.isascii() and "\0" not in url else ""


def _as_html(tree: HtmlElement | None) -> HtmlElement:
    """The root, made into an html element where the text had none or nothing at all."""
    if tree is not None and tree.tag == "html":
        return tree
    html = etree.fromstring("<html><body></body></html>", HTMLParser())
    if tree is not None:
        html[0].append(tree)
    return html
