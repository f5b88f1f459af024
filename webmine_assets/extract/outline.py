"""The page as a flat list of text blocks in document order, made in one pass over the tree.

Every container covers a contiguous range of blocks, so sums over a container are differences of
prefix sums and a choice of content is a choice of blocks.
"""

import re
from collections.abc import Container
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from webmine_assets.extract.document import Document
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

Attributes = dict[str, str]
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
    def __init__(self, root: HtmlElement, attributes: Attributes) -> None:
        self.outline = Outline()
        self.node = self._node(root, root.tag, attributes, None)
        self.link: HtmlElement | None = None
        self.link_depth = 0
        self._reset()

    def _reset(self) -> None:
        # A link around several blocks is opened again in each of them.
        self.tokens: list[Token] = [] if self.link is None else [("a", self.link)]
        self.link_chars = self.links = self.images = 0
        self.has_text = False

    def _node(
        self, element: HtmlElement, tag: str, attributes: Attributes, parent: Node | None
    ) -> Node:
        own = _TAG_VALUES.get(tag, 0)
        names = ""
        if attributes:
            names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
            own |= (read_hint(names) if len(names) > 1 else 0) | _attribute_hints(attributes)
        if parent is not None:
            own |= parent.own & _CODE
        node = Node(element, tag, names, parent, own, own, len(self.outline.blocks))
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

    def open(self, element: HtmlElement, tag: str, attributes: Attributes) -> None:
        if tag in INLINE:
            self._open_inline(element, tag)
        else:
            if self.tokens:
                self.flush()
            self.node = self._node(element, tag, attributes, self.node)
        if tag not in MEDIA and (text := element.text):
            self.text(text)

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


def _attribute_hints(attributes: Attributes) -> int:
    hints = 0
    if role := attributes.get("role"):
        hints |= _ROLE_VALUES.get(role, 0)
    if attributes.get("itemprop") == "articleBody":
        hints |= _CONTENT
    if "style" in attributes and _is_undisplayed(attributes["style"]):
        hints |= _HIDDEN
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        hints |= _HIDDEN
    return hints


def build_outline(
    document: Document,
    removed: Container[HtmlElement] = frozenset(),
    skipped_tags: Container[str] = SKIPPED,
) -> Outline:
    """Flatten the tree; elements in `removed` and tags without readable text are left out."""
    everything = zip(document.elements, document.attributes, strict=True)
    root, attributes = next(everything)
    walker = _Walker(root, attributes)
    # An element that was opened stands with its tag, one that was not with none.
    stack: list[tuple[HtmlElement, str]] = [(root, root.tag)]
    skipped: set[HtmlElement] = set()
    for element, attributes in everything:
        parent = element.getparent()
        if parent in skipped:
            skipped.add(element)
            continue
        while stack[-1][0] is not parent:
            _leave(walker, *stack.pop())
        tag = element.tag
        if (
            tag in skipped_tags
            or element in removed
            or (tag == "span" and attributes and _is_concealed(attributes))
        ):
            skipped.add(element)
            stack.append((element, ""))
            continue
        walker.open(element, tag, attributes)
        if tag in MEDIA:
            skipped.add(element)
        stack.append((element, "" if tag in MEDIA else tag))
    while stack:
        _leave(walker, *stack.pop())
    return walker.outline


def _leave(walker: _Walker, element: HtmlElement, tag: str) -> None:
    if tag:
        walker.close(element, tag)
    if tail := element.tail:
        walker.text(tail)


def _is_concealed(attributes: Attributes) -> bool:
    return is_concealed(attributes.get("class", "")) or _is_undisplayed(attributes.get("style", ""))


def _is_undisplayed(style: str) -> bool:
    return "none" in style and "display:none" in style.replace(" ", "").lower()
