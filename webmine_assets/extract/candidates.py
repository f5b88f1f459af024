"""Candidates for the main content: the containers that each of several rules takes for it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from webmine_assets.extract.hints import EXCLUDED, Hint
from webmine_assets.extract.outline import HEADINGS, Block, Node, Outline

JUNK = int(EXCLUDED | Hint.HIDDEN | Hint.BOX)
_PARDONABLE = JUNK | int(Hint.BYLINE | Hint.CAPTION | Hint.MEDIA | Hint.TITLE | Hint.LEAD)
_COMMENT = int(Hint.COMMENT)
_CARD, _ARTICLE, _NESTED = int(Hint.CARD), int(Hint.ARTICLE), int(Hint.NESTED)
_BOX, _PLACED = int(Hint.BOX), int(Hint.ARTICLE | Hint.MAIN | Hint.CONTENT)
PROSE_CHARS = 40
_PARDON_SHARE = 0.4
_SOFT = int(Hint.RELATED | Hint.TAGS | Hint.PROMO | Hint.SIDEBAR | Hint.BIO)
_LISTING_SHARE = 0.25
_HEADED_CHARS = 400


@dataclass(slots=True)
class Measured:
    """An outline with its prefix sums: text, text in links and prose before each block.

    `is_listing`: teasers are what the page is about.
    """

    outline: Outline
    chars: list[int]
    links: list[int]
    prose: list[int]
    is_listing: bool

    @property
    def total_prose(self) -> int:
        return self.prose[-1] or 1

    def prose_in(self, node: Node) -> int:
        return self.prose[node.end] - self.prose[node.start]

    def link_density(self, node: Node) -> float:
        chars = self.chars[node.end] - self.chars[node.start]
        return (self.links[node.end] - self.links[node.start]) / chars if chars else 0.0


def _sums(values: Iterable[int]) -> list[int]:
    return list(accumulate(values, initial=0))


def plain_chars(block: Block) -> int:
    """Characters outside links, if they are enough for a sentence."""
    plain = block.chars - block.link_chars
    return plain if plain >= PROSE_CHARS else 0


def measure(outline: Outline) -> Measured:
    """Prefix sums over the blocks; hints of containers that hold much of the page are dropped."""
    blocks = outline.blocks
    plain = [plain_chars(block) for block in blocks]
    _inherit(outline, _sums(plain))
    listing = _is_listing(outline)
    if listing:
        for node in outline.nodes:
            node.own &= ~_SOFT
        _inherit(outline, _sums(plain))
    clean = [0 if b.node.hints & JUNK else p for b, p in zip(blocks, plain, strict=True)]
    return Measured(
        outline,
        _sums(b.chars for b in blocks),
        _sums(b.link_chars for b in blocks),
        _sums(clean if any(clean) else plain),
        listing,
    )


def _is_listing(outline: Outline) -> bool:
    """Whether teasers are what the page is about: little is left when they are taken for junk."""
    clean = sum(b.chars for b in outline.blocks if not b.node.hints & JUNK)
    soft = sum(b.chars for b in outline.blocks if not b.node.hints & JUNK & ~_SOFT)
    return clean < _LISTING_SHARE * soft


def _inherit(outline: Outline, plain: list[int]) -> None:
    """Hand hints down; mark cards and nested articles.

    A form around the whole page or a body of class "has-sidebar" is no boilerplate.
    """
    enough = plain[-1] * _PARDON_SHARE
    alike = Counter((node.parent, node.tag, node.names) for node in outline.nodes)
    for node in outline.nodes:
        share = plain[node.end] - plain[node.start]
        if node.own & _PARDONABLE and (
            node.tag in ("html", "body", "main") or (share >= enough and not node.own & _COMMENT)
        ):
            node.own &= ~_PARDONABLE
        if (
            node.end - node.start > 1
            and share < enough
            and node.tag in ("div", "li", "article", "section")
            and alike[node.parent, node.tag, node.names] >= 3
        ):
            node.own |= _CARD
        above = node.parent
        if node.tag == "header" and _is_site_header(outline, node):
            node.own |= _BOX
        if above is not None and node.own & above.hints & _ARTICLE:
            node.own |= _NESTED
        node.hints = node.own | (above.hints if above else 0)


def _is_site_header(outline: Outline, node: Node) -> bool:
    """Whether a header is the site's: outside of the content, with no headline and no prose."""
    if node.parent is not None and node.parent.hints & _PLACED:
        return False
    inside = outline.blocks[node.start : node.end]
    return not any(block.node.tag == "h1" or plain_chars(block) for block in inside)


def readable_node(page: Measured) -> Node | None:
    """The container with most paragraph text after link density, as readability scores it."""
    scores: dict[Node, float] = {}
    for block in page.outline.blocks:
        if block.chars < 25 or block.node.hints & JUNK or block.node.tag in HEADINGS:
            continue
        score = 1 + block.text.count(",") + min(block.chars / 100, 3)
        node: Node | None = block.node if block.node.tag == "div" else block.node.parent
        for share in (1.0, 0.5, 0.25):
            if node is None:
                break
            scores[node] = scores.get(node, 0.0) + score * share
            node = node.parent
    best, best_score = None, 0.0
    for node, score in scores.items():
        score *= 1 - page.link_density(node)
        if score > best_score:
            best, best_score = node, score
    return best


def largest(page: Measured, hint: Hint) -> Node | None:
    """Of the containers that give a hint themselves, the one with most prose."""
    best, most, wanted = None, 0, int(hint)
    for node in page.outline.nodes:
        if node.own & wanted and not node.hints & JUNK and page.prose_in(node) > most:
            best, most = node, page.prose_in(node)
    return best


def dense_node(page: Measured, share: float) -> Node | None:
    """The smallest container that holds a share of all prose."""
    enough, found = page.prose[-1] * share, None
    if not enough:
        return None
    for node in page.outline.nodes:
        if page.prose_in(node) >= enough:
            found = node
    return found


def headed_node(page: Measured, headline: int) -> Node | None:
    """The smallest container of the headline with enough prose under it to be its text."""
    if headline < 0:
        return None
    enough = min(_HEADED_CHARS, page.prose[-1] // 2)
    node: Node | None = page.outline.blocks[headline].node
    while node is not None and page.prose[node.end] - page.prose[headline] < enough:
        node = node.parent
    return node if node is not None and node.tag not in ("html", "body") else None
