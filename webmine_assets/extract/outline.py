"""The page as a flat list of text blocks in document order, made in one pass over the tree.

Every container covers a contiguous range of blocks, so sums over a container are differences of
prefix sums and a choice of content is a choice of blocks.
"""

import re
from collections.abc import Container
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from webmine_assets.extract.hints import Hint, is_concealed, read_hint

SKIPPED = frozenset((
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed",
    "canvas", "map", "button", "select", "option", "textarea", "input", "head", "title", "meta",
    "link", "datalist", "progress", "dialog", "frameset", "noframes", "applet",
))  # fmt: skip
INLINE = frozenset((
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn",
    "em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s",
    "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
    "img", "br", "picture", "amp-img", "video", "audio", "source", "track",
))  # fmt: skip
MEDIA = frozenset(("img", "amp-img", "video", "audio"))
# A line break inside a block: white space to str.split, and in no page's text.
BREAK = "\u2028"
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))

_TAG_HINTS = {
    "nav": Hint.BOX | Hint.NAVIGATION, "footer": Hint.BOX | Hint.FOOTER,
    "aside": Hint.BOX | Hint.SIDEBAR, "form": Hint.BOX,
    "article": Hint.ARTICLE, "main": Hint.MAIN, "li": Hint.LIST, "dd": Hint.LIST, "dt": Hint.LIST,
    "table": Hint.TABLE, "figure": Hint.FIGURE, "figcaption": Hint.FIGURE | Hint.CAPTION,
    "blockquote": Hint.QUOTE, "pre": Hint.CODE, "address": Hint.BYLINE,
}  # fmt: skip
_ROLE_HINTS = {
    "navigation": Hint.BOX | Hint.NAVIGATION, "banner": Hint.BOX | Hint.NAVIGATION,
    "contentinfo": Hint.BOX | Hint.FOOTER, "complementary": Hint.BOX | Hint.SIDEBAR,
    "search": Hint.BOX, "dialog": Hint.BOX, "alertdialog": Hint.BOX, "main": Hint.MAIN,
    "article": Hint.ARTICLE,
}  # fmt: skip
_TAG_VALUES = {tag: int(hint) for tag, hint in _TAG_HINTS.items()}
_ROLE_VALUES = {role: int(hint) for role, hint in _ROLE_HINTS.items()}
_HIDDEN, _CONTENT, _CODE = int(Hint.HIDDEN), int(Hint.CONTENT), int(Hint.CODE)
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")

Token = str | tuple[str, HtmlElement]


@dataclass(slots=True, eq=False)
class Node:
    """A block-level element: blocks[start:end] lie inside it; `hints` include its ancestors'."""

    element: HtmlElement
    tag: str
    names: str
    parent: "Node | None"
    own: int
    hints: int
    start: int
    end: int = 0


@dataclass(slots=True, eq=False)
class Block:
    """A run of inline text under one container; tokens are text and (mark, element) pairs.

    `chars` counts a Chinese, Japanese or Korean character as two: it says as much.
    """

    node: Node
    tokens: list[Token]
    text: str
    chars: int
    link_chars: int
    links: int
    images: int


@dataclass(slots=True)
class Outline:
    nodes: list[Node] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


class _Walker:
    def __init__(self, root: HtmlElement) -> None:
        self.outline = Outline()
        self.node = self._node(root, None)
        self.link: HtmlElement | None = None
        self.link_depth = 0
        self._reset()

    def _reset(self) -> None:
        # A link around several blocks is opened again in each of them.
        self.tokens: list[Token] = [] if self.link is None else [("a", self.link)]
        self.link_chars = self.links = self.images = 0
        self.has_text = False

    def _node(self, element: HtmlElement, parent: Node | None) -> Node:
        own = _TAG_VALUES.get(element.tag, 0)
        names = ""
        if element.attrib:
            names = f"{element.get('class') or ''} {element.get('id') or ''}"
            own |= (read_hint(names) if len(names) > 1 else 0) | _attribute_hints(element)
        if parent is not None:
            own |= parent.own & _CODE
        node = Node(element, element.tag, names, parent, own, own, len(self.outline.blocks))
        self.outline.nodes.append(node)
        return node

    def flush(self) -> None:
        if self.has_text or self.images:
            text = "".join([token for token in self.tokens if isinstance(token, str)])
            if self.node.own & _CODE:
                text = text.replace(BREAK, "\n").strip("\r\n")
            else:
                text = " ".join(text.split())
            chars = len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))
            self.outline.blocks.append(
                Block(self.node, self.tokens, text, chars, min(self.link_chars, chars),
                      self.links, self.images)
            )  # fmt: skip
        self._reset()

    def text(self, text: str) -> None:
        if text.isspace():
            if self.tokens:
                self.tokens.append(text if self.node.own & _CODE else " ")
            return
        self.tokens.append(text)
        self.has_text = True
        if self.link_depth:
            self.link_chars += len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))

    def open(self, element: HtmlElement, tag: str) -> None:
        if tag in INLINE:
            self._open_inline(element, tag)
        else:
            if self.tokens:
                self.flush()
            self.node = self._node(element, self.node)
        if element.text and tag not in MEDIA:
            self.text(element.text)

    def _open_inline(self, element: HtmlElement, tag: str) -> None:
        if tag == "a":
            self.link_depth += 1
            self.link = element
            self.links += 1
        elif tag in MEDIA:
            self.images += 1
        elif tag == "br":
            self.tokens.append(BREAK)
            return
        self.tokens.append((tag, element))

    def close(self, element: HtmlElement, tag: str) -> None:
        if tag in INLINE:
            if tag == "a":
                self.link_depth -= 1
                self.link = None
            if tag != "br":
                self.tokens.append(("/" + tag, element))
        else:
            if self.tokens:
                self.flush()
            self.node.end = len(self.outline.blocks)
            if self.node.parent is not None:
                self.node = self.node.parent


def _attribute_hints(element: HtmlElement) -> int:
    hints = 0
    if role := element.get("role"):
        hints |= _ROLE_VALUES.get(role, 0)
    if element.get("itemprop") == "articleBody":
        hints |= _CONTENT
    style = element.get("style")
    if style and "none" in style and "display:none" in style.replace(" ", "").lower():
        hints |= _HIDDEN
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        hints |= _HIDDEN
    return hints


def build_outline(
    elements: list[HtmlElement],
    removed: Container[HtmlElement] = frozenset(),
    skipped_tags: Container[str] = SKIPPED,
) -> Outline:
    """Flatten the tree; elements in `removed` and tags without readable text are left out."""
    walker = _Walker(elements[0])
    stack = [elements[0]]
    skipped: set[HtmlElement] = set()
    for element in elements[1:]:
        parent = element.getparent()
        if parent in skipped:
            skipped.add(element)
            continue
        while stack[-1] is not parent:
            _leave(walker, stack.pop(), skipped)
        stack.append(element)
        tag = element.tag
        if tag in skipped_tags or element in removed or (tag == "span" and _is_concealed(element)):
            skipped.add(element)
        else:
            walker.open(element, tag)
            if tag in MEDIA:
                skipped.add(element)
    while stack:
        _leave(walker, stack.pop(), skipped)
    return walker.outline


def _leave(walker: _Walker, element: HtmlElement, skipped: set[HtmlElement]) -> None:
    if element not in skipped:
        walker.close(element, element.tag)
    if element.tail:
        walker.text(element.tail)


def _is_concealed(span: HtmlElement) -> bool:
    names = span.get("class")
    style = span.get("style")
    return bool(names and is_concealed(names)) or bool(
        style and "none" in style and "display:none" in style.replace(" ", "").lower()
    )
