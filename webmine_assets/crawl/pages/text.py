"""The fast main text of a page at crawl time: what identity, language and policy are decided on.

The careful text is made later, by extraction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement

_MAX_TITLE_CHARS = 500
# Less than this may mean that a class name or a main element misled: the page is read without them.
_MIN_MAIN_CHARS = 200

_SILENT = frozenset({
    "script", "style", "noscript", "template", "svg", "math", "head", "iframe", "object", "embed",
    "canvas", "audio", "video", "map", "select", "option", "button", "textarea", "datalist",
    "dialog",
})  # fmt: skip
_FURNITURE = frozenset({"nav", "footer", "aside", "menu"})
_FURNITURE_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "complementary", "dialog"}
)
# Whole class names and ids only: `has-sidebar` on a page's outermost element is no sidebar.
_FURNITURE_NAMES = frozenset({
    "nav", "navbar", "navigation", "main-nav", "main-navigation", "site-nav", "menu", "main-menu",
    "mainmenu", "topnav", "topbar", "breadcrumb", "breadcrumbs", "footer", "site-footer",
    "page-footer", "site-header", "sidebar", "side-bar", "pagination", "cookie-banner",
    "cookie-notice", "cookie-consent", "cookiebar", "skip-link", "skip-links", "skiplink",
    "share-buttons", "social-share",
})  # fmt: skip
_MARKED = frozenset({"div", "ul", "ol", "section", "p", "table", "a", "span"})
# Stands for a line break until whitespace is tidied, as markup's own line breaks are only spaces.
_BREAK = "\x1e"
_CELLS = frozenset({"td", "th"})
_BLOCKS = (
    "address", "article", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "legend", "main", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "tfoot", "thead", "tr", "ul", "br", "nav", "footer", "aside",
)  # fmt: skip
_BREAKS = {
    **dict.fromkeys(_BLOCKS, _BREAK),
    **dict.fromkeys(_CELLS, " "),
    "li": f"{_BREAK}- ",
}


@dataclass(frozen=True, slots=True)
class PageText:
    """Title, first heading and fast main text of a page."""

    title: str | None
    heading: str | None
    text: str


def extract_page_text(document: HtmlElement) -> PageText:
    """The text of the page without navigation and furniture; list items start with `- `."""
    body = document.find("body")
    root = body if body is not None else document
    text = _text_of(_main_element(root), is_furniture=_is_marked_furniture)
    if len(text) < _MIN_MAIN_CHARS:
        text = _text_of(root, is_furniture=_is_furniture)
    return PageText(_title(document), _line_of(next(root.iter("h1"), None)), text)


def _title(document: HtmlElement) -> str | None:
    # A title outside the head (of an SVG image) is not the page's, unless there is no other.
    head = document.find("head/title")
    return _line_of(head if head is not None else next(document.iter("title"), None))


def _line_of(element: HtmlElement | None) -> str | None:
    if element is None:
        return None
    return " ".join("".join(element.itertext()).split())[:_MAX_TITLE_CHARS] or None


def _main_element(root: HtmlElement) -> HtmlElement:
    """The one main element of a page that has one, else the whole body."""
    mains = list(root.iter("main")) or root.xpath(".//*[@role='main']")
    return mains[0] if len(mains) == 1 else root


def _text_of(root: HtmlElement, *, is_furniture: Callable[[HtmlElement], bool]) -> str:
    pieces: list[str] = []
    add = pieces.append
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if event == "start":
            if tag in _SILENT or (element is not root and is_furniture(element)):
                walk.skip_subtree()
                continue
            if tag in _BREAKS:
                add(_BREAKS[tag])
            if element.text:
                add(element.text)
        else:
            if tag in _BREAKS:
                add(" " if tag in _CELLS else _BREAK)
            if element.tail and element is not root:
                add(element.tail)
    return "\n".join(_lines("".join(pieces)))


def _is_furniture(element: HtmlElement) -> bool:
    """Whether an element is navigation, footer or page header by its name."""
    if element.tag == "header":
        # The header of an article or of the main part holds the headline.
        return next(element.iterancestors("article", "main"), None) is None
    return element.tag in _FURNITURE


def _is_marked_furniture(element: HtmlElement) -> bool:
    """Whether an element is furniture by its name, or by its role, class or id."""
    if _is_furniture(element):
        return True
    attributes = element.attrib
    if not attributes or element.tag not in _MARKED:
        return False
    if attributes.get("role") in _FURNITURE_ROLES or "hidden" in attributes:
        return True
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}".lower().split()
    return not _FURNITURE_NAMES.isdisjoint(names)


def _lines(text: str) -> Iterator[str]:
    """Lines with single spaces; a list marker goes with the first line of its item."""
    marker = ""
    for part in text.split(_BREAK):
        words = part.split()
        if words == ["-"]:
            marker = "- "
        elif words:
            yield " ".join(words) if words[0] == "-" else marker + " ".join(words)
            marker = ""
