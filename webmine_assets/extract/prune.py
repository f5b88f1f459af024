"""Pruning of a cleaned page: containers with little text, many links or telling names go.

Text density, link density, weight of the tag, names and length make a score; the threshold moves
with tag and links. Pictures, media, captions, code and tables are never pruned.
"""

import math

from webmine_assets.extract.candidates import JUNK, Measured
from webmine_assets.extract.hints import Hint
from webmine_assets.extract.outline import Block, Node

THRESHOLD = 0.3
_WEIGHTS = {"density": 0.4, "links": 0.2, "tag": 0.2, "names": 0.1, "length": 0.1}
_TAG_WEIGHTS = {
    "article": 1.5, "main": 1.4, "section": 1.3, "p": 1.2, "h1": 1.4, "h2": 1.3, "h3": 1.2,
    "figure": 1.5, "figcaption": 1.3, "picture": 1.3, "blockquote": 1.2, "pre": 1.5, "table": 1.3,
    "ul": 1.0, "ol": 1.0, "li": 1.0, "dl": 1.0, "div": 0.7, "td": 1.0, "aside": 0.5,
}  # fmt: skip
_KEPT = int(Hint.FIGURE | Hint.CODE | Hint.TABLE)
# Markup that a block brings with it, in characters: the mean over the development pages.
_MARKUP_CHARS = 60


def pruned(page: Measured) -> set[Node]:
    """The containers whose score is below the threshold, and all in them."""
    found: set[Node] = set()
    for node in page.outline.nodes:
        if node.parent in found or _score(page, node) < _threshold(page, node):
            found.add(node)
    return found


def survives(block: Block, removed: set[Node]) -> bool:
    """Whether neither a block's container nor one around it was pruned."""
    return bool(block.images) or bool(block.node.hints & _KEPT) or block.node not in removed


def _score(page: Measured, node: Node) -> float:
    chars = page.chars[node.end] - page.chars[node.start]
    blocks = node.end - node.start
    if not blocks:
        return 1.0
    return (
        _WEIGHTS["density"] * chars / (chars + _MARKUP_CHARS * blocks)
        + _WEIGHTS["links"] * (1 - page.link_density(node))
        + _WEIGHTS["tag"] * _TAG_WEIGHTS.get(node.tag, 0.5) / 1.5
        - _WEIGHTS["names"] * bool(node.own & JUNK)
        + _WEIGHTS["length"] * min(math.log1p(chars) / 8, 1)
    )


def _threshold(page: Measured, node: Node) -> float:
    threshold = THRESHOLD
    if _TAG_WEIGHTS.get(node.tag, 0.5) > 1:
        threshold *= 0.8
    if page.link_density(node) > 0.6:
        threshold *= 1.2
    return threshold
