"""The topics of one page: what it is tagged with, what its address says, what its text is about.

Each topic carries its evidence: sources, matched keywords, confidence and broader topics.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from webmine_assets.extract.document import Document
from webmine_assets.extract.marks import Element, marks_of
from webmine_assets.extract.structured import page_nodes, texts
from webmine_assets.extract.vocabulary import categories_in, is_known, normalise, parents_of

MAX_TOPICS = 10
MAX_TEXT_CHARS = 200_000
MAX_NAMED_PER_SOURCE = 60
# More links than this are a tag cloud: the tags of the site, not of the page.
MAX_TAG_LINKS = 30
MAX_SLUG_WORDS = 2
USER = "user"
CONTENT = "content:analysis"
_SEPARATOR = re.compile(r"[,;|\n•·]")
# Values for machines: "channel:other", "type=news".
_MACHINE_TAG = re.compile(r"\s*[\w-]{1,40}[:=]\S.*")
_SLUG_BREAK = re.compile(r"[-_+\s]+")
_FILE_ENDING = re.compile(r"\.(?:html?|php|aspx?|jsp|xml|cfm|pdf)$", re.IGNORECASE)

WEIGHTS = {
    "meta:keywords": 0.5,
    "article:tag": 0.6,
    "itemprop:keywords": 0.6,
    "html:tags": 0.5,
    "pdf:keywords": 0.5,
    "url:path": 0.4,
}
"""How far one source alone is believed; sources are taken as independent."""
KEYWORD_WEIGHT = 0.3
"""The same for each distinct keyword in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One topic with its evidence; rank 1 is first."""

    topic: str
    rank: int
    confidence: float
    sources: tuple[str, ...]
    keywords: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    user_provided: bool = False


@dataclass(slots=True)
class _Evidence:
    order: int
    sources: list[str] = field(default_factory=list)
    keywords: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        doubt = (1 - KEYWORD_WEIGHT) ** len(self.keywords)
        for source in self.sources:
            doubt *= 1 - WEIGHTS.get(source, 0.0)
        return round(min(1 - doubt, 0.99), 3)


def extract_topics(
    document: Document, content_text: str | None, *, url: str, user_topics: Sequence[str] = ()
) -> tuple[Topic, ...]:
    """User-provided topics first and all of them, then the best others up to ten in all."""
    found = _collect(document, (content_text or "")[:MAX_TEXT_CHARS], url)
    given = [" ".join(topic.lower().split()) for topic in user_topics]
    users = {normalise(topic) or topic: topic for topic in reversed(given) if topic}
    topics = [_user_topic(users[key], found.pop(key, None)) for key in reversed(users)]
    free = max(MAX_TOPICS - len(topics), 0)
    best = sorted(found.items(), key=lambda item: (-item[1].confidence, item[1].order))[:free]
    best.sort(key=lambda item: item[1].order)
    topics += [_extracted_topic(name, evidence) for name, evidence in best]
    return tuple(replace(topic, rank=rank) for rank, topic in enumerate(topics, start=1))


def _user_topic(name: str, evidence: _Evidence | None) -> Topic:
    sources = (USER, *evidence.sources) if evidence else (USER,)
    return Topic(
        topic=name,
        rank=0,
        confidence=1.0,
        sources=sources,
        keywords=evidence.keywords if evidence else (),
        parents=parents_of(normalise(name) or name),
        user_provided=True,
    )


def _extracted_topic(name: str, evidence: _Evidence) -> Topic:
    return Topic(
        topic=name,
        rank=0,
        confidence=evidence.confidence,
        sources=tuple(evidence.sources),
        keywords=evidence.keywords,
        parents=parents_of(name),
    )


def _collect(document: Document, text: str, url: str) -> dict[str, _Evidence]:
    """Every topic any source names, in the order of the sources."""
    found: dict[str, _Evidence] = {}
    for source, read in TOPIC_SOURCES:
        for raw in _first(read(document)):
            if not _MACHINE_TAG.fullmatch(raw):
                _note(found, normalise(html.unescape(raw)), source)
    for topic in _url_topics(url, found):
        _note(found, topic, "url:path")
    for category, keywords in categories_in(text).items():
        _note(found, category, CONTENT)
        found[category].keywords = keywords
    return found


def _first(values: Iterable[str]) -> Iterator[str]:
    for number, value in enumerate(values):
        if number >= MAX_NAMED_PER_SOURCE:
            return
        yield value


def _note(found: dict[str, _Evidence], topic: str | None, source: str) -> None:
    if topic:
        evidence = found.setdefault(topic, _Evidence(order=len(found)))
        if source not in evidence.sources:
            evidence.sources.append(source)


def _meta_keywords(document: Document) -> Iterator[str]:
    for name in ("keywords", "news_keywords"):
        for value in document.metas.get(name, ())[:3]:
            yield from _SEPARATOR.split(value[:5_000])


def _pdf_keywords(document: Document) -> Iterator[str]:
    for value in document.metas.get("pdf:keywords", ()):
        yield from _SEPARATOR.split(value)


def _article_tags(document: Document) -> Iterator[str]:
    for value in document.metas.get("article:tag", ())[:MAX_NAMED_PER_SOURCE]:
        yield from _SEPARATOR.split(value[:1_000])


def _structured_keywords(document: Document) -> Iterator[str]:
    for element in marks_of(document).by_property.get("keywords", ()):
        yield from _SEPARATOR.split(element.get("content") or document.text_of(element)[:1_000])
    for node in page_nodes(document.json_ld):
        for value in texts(node.get("keywords")):
            yield from _SEPARATOR.split(value[:5_000])


def _html_tags(document: Document) -> Iterator[str]:
    marks = marks_of(document)
    elements = [*marks.by_class.get("tag", ()), *marks.by_rel.get("tag", ())]
    named = [e for e in elements[: 2 * MAX_TAG_LINKS] if not marks.is_aside(e)]
    for element in named[:MAX_TAG_LINKS]:
        yield from _tag_names(document, element)


def _tag_names(document: Document, element: Element) -> Iterator[str]:
    links = [element] if element.tag == "a" else list(element.iter("a"))
    if not links:
        yield from _SEPARATOR.split(document.text_of(element)[:500])
    elif len(links) <= MAX_TAG_LINKS:
        yield from (document.text_of(link) for link in links)


TOPIC_SOURCES: tuple[tuple[str, Callable[[Document], Iterable[str]]], ...] = (
    ("meta:keywords", _meta_keywords),
    ("article:tag", _article_tags),
    ("itemprop:keywords", _structured_keywords),
    ("html:tags", _html_tags),
    ("pdf:keywords", _pdf_keywords),
)
"""Then the address and the text, which need more than the document."""


def _url_topics(url: str, found: dict[str, _Evidence]) -> list[str]:
    """Topics the address names: short segments, and words of long ones that are topics anyway.

    The address of a home page has no path; there the site's own name stands for it.
    """
    segments = _segments(url)
    topics: list[str] = []
    for words in segments:
        if len(words) <= MAX_SLUG_WORDS:
            topics += filter(None, [normalise(" ".join(words))])
        else:
            topics += [word for word in words if word in found or is_known(word)]
    return topics


def _segments(url: str) -> list[list[str]]:
    try:
        parts = urlsplit(url[:2_000])
        host = parts.hostname or ""
    except ValueError:
        return []
    paths = [unquote(part) for part in parts.path.split("/") if part][:12]
    if not paths:
        paths = host.removeprefix("www.").split(".")[-2:-1]
    split = (_SLUG_BREAK.split(_FILE_ENDING.sub("", path.lower())) for path in paths)
    return [words for raw in split if (words := [w for w in raw if _says_something(w)])]


def _says_something(word: str) -> bool:
    return bool(normalise(word)) and not any(character.isdigit() for character in word)
