"""The evidence on each block as numbers: what candidates, hints, words and neighbours say.

`NAMES` says what each column of a row is; `weights.py` holds what each is worth.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from webmine_assets.extract import phrases
from webmine_assets.extract.candidates import (
    JUNK,
    Measured,
    dense_node,
    headed_node,
    largest,
    plain_chars,
    readable_node,
)
from webmine_assets.extract.hints import Hint
from webmine_assets.extract.outline import HEADINGS, Block, Node

_TAGS = {
    "p": "p", "li": "li", "td": "cell", "th": "cell", "div": "div", "section": "div",
    "article": "div", "main": "div", "body": "div", "blockquote": "quote", "pre": "pre",
    "figcaption": "figure", "figure": "figure", "dd": "definition", "dt": "definition",
    "h1": "h1", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading",
}  # fmt: skip
_TAG_NAMES = (*dict.fromkeys(_TAGS.values()), "other")
_TAG_ROWS = {name: [float(name == other) for other in _TAG_NAMES] for name in _TAG_NAMES}
_UNWEIGHED = (Hint.CARD, Hint.NESTED)
_HINTS = tuple((hint.name or "").lower() for hint in Hint if hint not in _UNWEIGHED)
_HINT_VALUES = tuple(int(hint) for hint in Hint if hint not in _UNWEIGHED)
_NESTED, _CARD, _BOXED = int(Hint.NESTED), int(Hint.CARD), int(Hint.BOX | Hint.NAVIGATION)
_NAMED = ("content", "article", "main")
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", '"', "”", "»", ")", "。", "！", "？")
_WORD = re.compile(r"\w+")
# A container that a voter chose is only held against blocks outside if it has a text of its own.
_HOLDS_CHARS, _HOLDS_SHARE = 600, 0.4
# Furniture speaks in short blocks; a paragraph of this length may mention Twitter and be prose.
_PHRASE_CHARS = 400
_MARK_CHARS = 80
_MARK_POSITION = 0.3
_TITLE_CHARS = 300
_CARD_REACH = 12

NAMES = (
    *(f"tag_{name}" for name in _TAG_NAMES),
    *(f"hint_{name}" for name in _HINTS),
    "parent_links", "above_links", "shape", "siblings",
    "bias", "length", "short", "long", "links", "half_links", "all_links", "sentence", "commas",
    "repeated",
    *(f"says_{name}" for name, _ in phrases.FURNITURE), "title", "title_heading",
    "agreed", "agreed_none", "agreed_all",
    "outside_content", "outside_article", "outside_readable", "outside_headed", "outside_named",
    "under_headline", "subheading", "before_headline", "position", "after_prose",
    "before_prose", "early_heading", "after_mark",
    *(f"{side}_{name}" for side in ("previous", "next")
      for name in ("prose", "junk", "links", "heading", "linked_heading")),
)  # fmt: skip


def words_of(text: str) -> str:
    """Text reduced to its words, for comparing a block with a title."""
    return " ".join(_WORD.findall(text.lower()))


class Votes:
    """All evidence on the blocks of one page."""

    def __init__(self, page: Measured, titles: Sequence[str]) -> None:
        self.page = page
        self.blocks = page.outline.blocks
        self.titles = [words for words in map(words_of, titles) if words]
        self._plain_titles = {title.lower() for title in titles}
        self.headline = self._find_headline()
        self.nodes = self._ask(page)
        self._ranges = {
            name: (node.start, node.end) if node else (0, 0) for name, node in self.nodes.items()
        }
        self.asked = sum(node is not None for node in self.nodes.values())
        enough = min(_HOLDS_CHARS, _HOLDS_SHARE * page.total_prose)
        self.holds = {
            name: node is not None and page.prose_in(node) > enough
            for name, node in self.nodes.items()
        }
        self._is_named = any(self.holds[name] for name in _NAMED)
        self._shapes, self._siblings = self._count_shapes()
        self._node_rows: dict[Node, list[float]] = {}
        self._seen: set[str] = set()
        self._first_mark = len(self.blocks)

    def _ask(self, page: Measured) -> dict[str, Node | None]:
        return {
            "content": largest(page, Hint.CONTENT),
            "article": largest(page, Hint.ARTICLE),
            "main": largest(page, Hint.MAIN),
            "readable": readable_node(page),
            "dense50": dense_node(page, 0.5),
            "dense70": dense_node(page, 0.7),
            "dense90": dense_node(page, 0.9),
            "headed": headed_node(page, self.headline),
        }

    def _find_headline(self) -> int:
        """Where the headline is: a heading that repeats the title, else the first h1, else -1."""
        first_h1 = -1
        for index, block in enumerate(self.blocks):
            if block.node.tag in HEADINGS:
                if self._is_title(block):
                    return index
                if first_h1 < 0 and block.node.tag == "h1":
                    first_h1 = index
        return first_h1

    def _is_title(self, block: Block) -> bool:
        if block.chars > _TITLE_CHARS:
            return False
        words = words_of(block.text)
        if len(words) <= 15:
            return bool(words) and words in self.titles
        return any(words in title or (len(title) > 15 and title in words) for title in self.titles)

    def _count_shapes(self) -> tuple[Counter[object], Counter[object]]:
        shapes: Counter[object] = Counter()
        siblings: Counter[object] = Counter()
        for block in self.blocks:
            plain = plain_chars(block)
            if plain and not block.node.hints & JUNK:
                shapes[_shape(block.node)] += plain
                siblings[block.node.parent] += plain
        return shapes, siblings

    def within(self, name: str, index: int) -> bool:
        """Whether a voter's container has a block."""
        start, end = self._ranges[name]
        return start <= index < end

    def rows(self) -> list[list[float] | None]:
        """One row per block; None for a block that cannot be main text whatever else speaks."""
        return [
            None if is_hopeless(block) else self._row(index, block)
            for index, block in enumerate(self.blocks)
        ]

    def _row(self, index: int, block: Block) -> list[float]:
        row = self._node_rows.get(block.node)
        if row is None:
            row = self._node_rows[block.node] = self._node_row(block.node)
        return [
            *row,
            *self._block_row(block),
            *self._phrase_row(index, block),
            *self._voter_row(index),
            *self._place_row(index),
            *self._neighbour_row(index - 1),
            *self._neighbour_row(index + 1),
        ]

    def _node_row(self, node: Node) -> list[float]:
        parent = node.parent or node
        above = parent.parent or parent
        page, total, hints = self.page, self.page.total_prose, node.hints
        return [
            *_TAG_ROWS[_TAGS.get(node.tag, "other")],
            *[1.0 if hints & value else 0.0 for value in _HINT_VALUES],
            page.link_density(parent),
            page.link_density(above),
            self._shapes[_shape(node)] / total,
            self._siblings[node.parent] / total,
        ]

    def _block_row(self, block: Block) -> list[float]:
        chars = block.chars
        density = block.link_chars / chars
        repeated = chars > 20 and block.text in self._seen
        self._seen.add(block.text)
        return [
            1.0,
            math.log1p(chars) / 6,
            float(chars < 25),
            float(chars >= 120),
            density,
            float(density > 0.5),
            float(density > 0.9),
            float(block.text.endswith(_SENTENCE_ENDS)),
            min(block.text.count(","), 3) / 3,
            float(repeated),
        ]

    def _phrase_row(self, index: int, block: Block) -> list[float]:
        if block.chars > _PHRASE_CHARS:
            return _SILENT
        text = block.text.lower()
        found = [1.0 if match(text) else 0.0 for _, match in phrases.FURNITURE]
        if (
            block.chars < _MARK_CHARS
            and index < self._first_mark
            and self.page.prose[index] > _MARK_POSITION * self.page.total_prose
            and phrases.is_end_mark(text)
        ):
            self._first_mark = index
        heading = block.node.tag in HEADINGS
        title = self._is_title(block) if heading else text in self._plain_titles
        return [*found, float(title), float(title and heading)]

    def _voter_row(self, index: int) -> list[float]:
        inside = [start <= index < end for start, end in self._ranges.values()]
        agreed = sum(inside) / self.asked if self.asked else 0.5
        content, article, main, readable, *_, headed = inside
        holds = self.holds
        return [
            agreed,
            float(agreed == 0),
            float(agreed == 1),
            float(holds["content"] and not content),
            float(holds["article"] and not article),
            float(holds["readable"] and not readable),
            float(holds["headed"] and not headed),
            float(self._is_named and not (content or article or main)),
        ]

    def _place_row(self, index: int) -> list[float]:
        before, total = self.page.prose[index], self.page.total_prose
        heading = self.blocks[index].node.tag in HEADINGS
        under = 0 <= self.headline < index and before == self.page.prose[self.headline]
        return [
            float(under),
            float(under and heading),
            float(index < self.headline),
            before / total,
            float(before >= total),
            float(before == 0),
            float(before == 0 and heading),
            float(index > self._first_mark),
        ]

    def _neighbour_row(self, index: int) -> list[float]:
        if not 0 <= index < len(self.blocks):
            return _NOBODY
        block = self.blocks[index]
        density = block.link_chars / (block.chars or 1)
        heading = 1.0 if block.node.tag in HEADINGS else 0.0
        return [
            float(plain_chars(block) > 0),
            float(bool(block.node.hints & JUNK)),
            density,
            heading,
            heading * density,
        ]

    def is_foreign(self, index: int) -> bool:
        """Whether a block lies outside the container of the headline and looks like a teaser.

        Too rare to be weighed: three of 89 article pages, each with more teaser text than article.
        """
        if not self.holds["headed"] or self.within("headed", index):
            return False
        node = self.blocks[index].node
        in_named = any(self.within(name, index) for name in _NAMED)
        return (
            index < self.headline
            or (self._is_named and not in_named)
            or bool(node.hints & _NESTED)
            or (bool(node.hints & _CARD) and self.page.link_density(_card(node)) > 0.1)
        )


_SILENT = [0.0] * (len(phrases.FURNITURE) + 2)
_NOBODY = [0.0, 1.0, 1.0, 0.0, 0.0]


def is_hopeless(block: Block) -> bool:
    """Whether a block is a picture, or a link in a menu."""
    return not block.chars or bool(
        block.node.hints & _BOXED and block.link_chars > 0.5 * block.chars
    )


def _card(node: Node) -> Node:
    """The nearest container around, within reach, that is one of several alike."""
    found: Node | None = node
    for _ in range(_CARD_REACH):
        if found is None or found.own & _CARD:
            break
        found = found.parent
    return found or node


def _shape(node: Node) -> tuple[str, str, str]:
    return (node.tag, node.names, node.parent.names if node.parent else "")
