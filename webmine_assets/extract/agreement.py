"""The choice of main text: every block is weighed by all evidence, then the edges are trimmed."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from webmine_assets.extract.candidates import Measured
from webmine_assets.extract.cleaning import is_clean
from webmine_assets.extract.outline import HEADINGS, Block, Node
from webmine_assets.extract.phrases import is_cookie_notice
from webmine_assets.extract.votes import NAMES, Votes
from webmine_assets.extract.weights import WEIGHTS

# A new column counts for nothing until it is fitted; a test tells that it has not been.
_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in NAMES)
# Long enough to be no chorus and no label: of shorter repeats, half are wanted (aeb).
_REPEATED_CHARS = 100
_HOPELESS = -100.0
# Cross-validated by site: a little more than 0 gives 0.002 F1 on articles, takes nothing elsewhere.
_ENOUGH = 0.15
# What neighbours may still pull in. Lines are held to more than headings: 0.5 less lets labels and
# captions in (0.001 F1 on snippets), while 0.5 more loses subheadings.
_DOUBTFUL_LINE = -0.85
_DOUBTFUL_HEADING = -1.5
_LINES = frozenset(("p", "li", "td", "th", "dd", "dt"))
_ITEMS = frozenset(("li", "dd", "dt"))
# A page of links (a course list, a directory) has little that reads like an article; when the
# weighed text is less than this share of what cleaning left, the cleaned page is the text.
_LISTING_SHARE = 0.15
_LISTING_CHARS = 600
_TEASERS_SHARE = 0.65
_TEASERS_BONUS = 1.5
# Weighing takes 25 µs a block, several times that where all words look like furniture; the largest
# of 1,077 real pages has 1,066.
_MAX_WEIGHED = 8_000


@dataclass(frozen=True, slots=True)
class Choice:
    """The blocks of the main text, the name of the candidate nearest to it, and its container."""

    blocks: list[Block]
    source: str
    node: Node | None
    headline: Block | None


def choose(page: Measured, titles: Sequence[str], weights: Sequence[float] = _WEIGHTS) -> Choice:
    """Weigh every block and keep those that more speaks for than against."""
    clean = [b for b in page.outline.blocks if b.chars and is_clean(b)]
    if len(page.outline.blocks) > _MAX_WEIGHED:
        return Choice(clean, "page", None, None)
    votes = Votes(page, titles)
    kept = _weighed(votes, weights)
    headline = votes.blocks[votes.headline] if votes.headline >= 0 else None
    if _chars(kept) < _least(page, _chars(clean)):
        return Choice(clean, "page", None, headline)
    source, node = _nearest(votes, kept)
    return Choice(kept, source, node, headline)


def _least(page: Measured, clean_chars: int) -> float:
    """How much text must be weighed in for the page to be more than a list."""
    if page.is_listing:
        return _TEASERS_SHARE * clean_chars
    return min(_LISTING_SHARE * clean_chars, _LISTING_CHARS)


def _chars(blocks: Sequence[Block]) -> int:
    return sum(block.chars for block in blocks)


def _weighed(votes: Votes, weights: Sequence[float]) -> list[Block]:
    bonus = _TEASERS_BONUS if votes.page.is_listing else 0.0
    scores = [
        _HOPELESS if row is None else sum(map(mul, row, weights)) + bonus for row in votes.rows()
    ]
    kept: list[Block] = []
    seen: set[str] = set()
    for index, block in enumerate(votes.blocks):
        follows = bool(kept) and kept[-1] is votes.blocks[index - 1]
        if not _is_wanted(votes, scores, index, follows=follows) or block.text in seen:
            continue
        if block.chars > _REPEATED_CHARS:
            seen.add(block.text)
        kept.append(block)
    while kept and kept[-1].node.tag in HEADINGS:
        kept.pop()
    return kept


def _is_wanted(votes: Votes, scores: list[float], index: int, *, follows: bool) -> bool:
    if scores[index] <= _ENOUGH and not _is_joined(votes, scores, index, follows=follows):
        return False
    if index == votes.headline or is_cookie_notice(votes.blocks[index].text):
        return False
    return not votes.is_foreign(index)


def _is_joined(votes: Votes, scores: list[float], index: int, *, follows: bool) -> bool:
    """Whether a doubtful block belongs to its neighbours: a heading to the text under it, a short
    line to the lines around it, an item to the item before it."""
    block = votes.blocks[index]
    if not is_clean(block):
        return False
    followed = index + 1 < len(scores) and scores[index + 1] > _ENOUGH
    if block.node.tag in HEADINGS:
        return followed and scores[index] > _DOUBTFUL_HEADING and _is_subheading(votes, index)
    if scores[index] <= _DOUBTFUL_LINE or index == 0:
        return False
    if follows and block.node.tag in _ITEMS and _are_siblings(block, votes.blocks[index - 1]):
        return True
    return followed and scores[index - 1] > _ENOUGH and block.node.tag in _LINES


def _are_siblings(one: Block, other: Block) -> bool:
    return one.node.parent is other.node.parent


def _is_subheading(votes: Votes, index: int) -> bool:
    """Whether there is text between the headline and a heading, and clean text under it."""
    prose = votes.page.prose
    return prose[index] > prose[max(votes.headline, 0)] and is_clean(votes.blocks[index + 1])


def _nearest(votes: Votes, kept: Sequence[Block]) -> tuple[str, Node | None]:
    """The voter whose container agrees most with what was kept."""
    positions = {block: index for index, block in enumerate(votes.blocks)}
    total = _chars(kept)
    best: tuple[str, Node | None] = ("page", None)
    best_score = 0.0
    for name, node in votes.nodes.items():
        if node is None:
            continue
        inside = sum(b.chars for b in kept if node.start <= positions[b] < node.end)
        size = votes.page.chars[node.end] - votes.page.chars[node.start]
        score = inside / (total + size - inside) if total + size > inside else 0.0
        if score > best_score:
            best, best_score = (name, node), score
    return best
