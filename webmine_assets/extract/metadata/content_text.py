"""The content-text cascade: a short plain text of the page from its own markup.

The careful main text is `extract.content`'s; this one follows the page's semantic containers.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from webmine_assets.extract.hints import Hint
from webmine_assets.extract.marks import Element
from webmine_assets.extract.metadata.cascade import Offer, Outcome, Rejected, Source, run
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.metadata.wording import squeeze, text_of
from webmine_assets.extract.outline import Node, Outline
from webmine_assets.extract.words import count_words

MIN_CHARS, MAX_CHARS = 50, 2_000
MAX_CONTAINERS, MAX_PARAGRAPHS = 3, 500
MAX_NAMES_CHARS = 300
# Scripts and styles are not in the outline.
_REMOVED_TAGS = frozenset({"nav", "footer", "aside"})
_MAIN = int(Hint.MAIN)
_ADVERT = re.compile(
    r"(?:^|[\s_-])(?:ads?|advert\w*|advertisement|banner|sponsor(?:ed)?|promo)(?:$|[\s_-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ContentText:
    """At most 2000 characters, and the words there were before the cut."""

    text: str
    word_count: int


def _read(elements: Iterable[Element], evidence: Evidence) -> Iterator[Offer]:
    """The texts of containers, from the outline that the content pass has made already."""
    for element in islice(elements, MAX_CONTAINERS):
        node = next((n for n in evidence.outline.nodes if n.element is element), None)
        yield Offer(_text_in(node, evidence.outline) if node else text_of(element))


def _text_in(container: Node, outline: Outline) -> str:
    """The blocks in a container, without those in navigation, footers, asides and adverts."""
    judged: dict[Node, bool] = {container: False}
    return " ".join(
        block.text
        for block in outline.blocks[container.start : container.end]
        if not _is_removed(block.node, judged)
    )


def _is_removed(node: Node, judged: dict[Node, bool]) -> bool:
    """Whether a node or one around it is left out; `judged` holds the container and answers."""
    unknown: list[Node] = []
    at: Node | None = node
    while at is not None and at not in judged:
        unknown.append(at)
        at = at.parent
    removed = at is not None and judged[at]
    for inner in reversed(unknown):
        removed = removed or inner.tag in _REMOVED_TAGS or _is_advert(inner.names)
        judged[inner] = removed
    return removed


@lru_cache(maxsize=20_000)
def _is_advert(names: str) -> bool:
    return _ADVERT.search(names[:MAX_NAMES_CHARS]) is not None


def _class(name: str) -> Source:
    return Source(name, lambda evidence: _read(evidence.marks.by_class.get(name, ()), evidence))


def _outlined(name: str, is_meant: Callable[[Node], bool]) -> Source:
    def read(evidence: Evidence) -> Iterator[Offer]:
        meant = (node for node in evidence.outline.nodes if is_meant(node))
        return (Offer(_text_in(n, evidence.outline)) for n in islice(meant, MAX_CONTAINERS))

    return Source(name, read)


def _has_main_role(node: Node) -> bool:
    return bool(node.own & _MAIN) and node.tag != "main"


def _has_content_id(node: Node) -> bool:
    return node.names.rpartition(" ")[2] in ("content", "main-content")


def _tag(name: str) -> Source:
    return Source(name, lambda evidence: _read(evidence.tags(name), evidence))


def _body(evidence: Evidence) -> Iterator[Offer]:
    return _read(evidence.marks.by_property.get("articlebody", ()), evidence)


def _paragraphs(evidence: Evidence) -> Iterator[Offer]:
    outline = evidence.outline
    paragraphs = islice((n for n in outline.nodes if n.tag == "p"), MAX_PARAGRAPHS)
    shown = (n for n in paragraphs if not evidence.marks.is_aside(n.element))
    if text := " ".join(b.text for n in shown for b in outline.blocks[n.start : n.end]):
        yield Offer(text)


CONTENT_SOURCES = (
    _tag("article"),
    _outlined("role:main", _has_main_role),
    Source("itemprop:articleBody", _body),
    _tag("main"),
    _class("class:content"),
    _class("class:article"),
    _class("class:post"),
    _outlined("id:content", _has_content_id),
    Source("paragraphs", _paragraphs),
)


# Whole texts of containers that cannot win any more would tell nobody anything.
_EACH_A_LAST_RESORT = tuple(replace(source, last_resort=True) for source in CONTENT_SOURCES)


def extract_content_text(evidence: Evidence) -> Outcome[ContentText]:
    """The text of the first container that holds at least 50 characters."""
    return run("content", _EACH_A_LAST_RESORT, evidence, _check)


def _check(raw: str, source: str, evidence: Evidence) -> ContentText | Rejected:
    text = squeeze(raw)
    if len(text) < MIN_CHARS:
        return Rejected(f"shorter than {MIN_CHARS} characters")
    return ContentText(text[:MAX_CHARS].rstrip(), count_words(text))
