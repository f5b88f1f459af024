"""The elements that metadata asks for, found in one walk over the page.

Each word of a class is judged once, so an element costs about one dictionary look-up.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakKeyDictionary

from lxml import etree

from webmine_assets.extract.document import Document

Element = etree._Element
Elements = list[Element]
MAX_MARKED_PER_KIND = 400
MAX_ATTRIBUTE_CHARS = 400

_AUTHOR = re.compile(
    r"(?<![a-z])author|author-?name|autor(?:en|in)?(?![a-z])|auteur|verfasser|(?<![a-z-])fn(?![a-z-])"
    r"|writer(?![a-z])|creator(?![a-z])|journalist|reporter"
)
_BYLINE = re.compile(
    r"by-?line|(?<![a-z])(?:article|posted|post|written)-?by(?![a-z])|credit"
    r"|(?:entry|post|article)[-_]?meta"
)
_DATE = re.compile(r"date|datum|fecha|published|timestamp|(?<![a-z])time(?![a-z])|posted-?on")
_TAG = re.compile(r"(?:tags?|categor(?:y|ies))")
_ASIDE = re.compile(
    r"comment(?!ary)|side-?bar|(?<!elementor-)widget(?!-container)|related|recommend|teaser"
    r"|(?<!post)(?<!post-)(?<!article-)(?<!entry-)footer|(?<![a-z])nav(?![a-z])|navigation|navbar"
    r"|breadcrumb|menu|popular|latest|trending|read-?more|similar|respond|newsletter|promo|carousel"
    r"|more-?(?:news|posts)|prev-?next|pagination|archive-?list|advert|cookie"
)
_ABOUT_PAGE = re.compile(r"(?<![a-z])(?:meta|info|byline|date|credits?|author)(?![a-z])")
"""An aside or a footer of this kind speaks of the article it stands in."""
_ASIDE_TAGS = frozenset({"nav", "footer", "aside"})
_PAGE_TAGS = frozenset({"html", "body", "article", "main", "head"})
_ASKED_RELS = frozenset({"author", "tag", "image_src"})
_CONTENT_CLASSES = {
    "content": "class:content",
    "post-content": "class:content",
    "entry-content": "class:content",
    "article-body": "class:article",
    "article-content": "class:article",
    "post": "class:post",
    "entry": "class:post",
}


@dataclass(slots=True)
class Marks:
    """Elements by what their attributes announce, each list in document order."""

    by_class: dict[str, Elements] = field(default_factory=dict)
    by_property: dict[str, Elements] = field(default_factory=dict)
    by_rel: dict[str, Elements] = field(default_factory=dict)
    _kept: set[Element] = field(default_factory=set)
    _judged: dict[Element, bool] = field(default_factory=dict)

    def keep(self, element: Element | None) -> None:
        """What holds this element is no side part, whatever its class says."""
        self._judged.clear()
        while element is not None:
            self._kept.add(element)
            element = element.getparent()

    def is_aside(self, element: Element) -> bool:
        """Whether the element stands in a menu, a comment, a side bar or a list of other pages."""
        unknown: Elements = []
        node: Element | None = element
        while node is not None and node not in self._judged:
            unknown.append(node)
            node = node.getparent()
        aside = node is not None and self._judged[node]
        for inner in reversed(unknown):
            aside = aside or (inner not in self._kept and _is_side_part(inner))
            self._judged[inner] = aside
        return aside


def _is_side_part(element: Element) -> bool:
    named = element.get("class") or ""
    if element.tag in _ASIDE_TAGS and not _ABOUT_PAGE.search(named.lower()):
        return True
    if element.tag in _PAGE_TAGS:
        return False
    identity = (element.get("id") or "")[:MAX_ATTRIBUTE_CHARS].lower()
    return "aside" in _kinds(named) or _ASIDE.search(identity) is not None


_MARKS: WeakKeyDictionary[Document, Marks] = WeakKeyDictionary()


def marks_of(document: Document) -> Marks:
    """The marks of a document, made once."""
    marks = _MARKS.get(document)
    if marks is None:
        marks = _MARKS[document] = _mark(document)
    return marks


def _mark(document: Document) -> Marks:
    """Look at each element once: fetching it from memory costs more than asking it twice."""
    marks = Marks()
    names = tuple(_describing(document.html))
    related: dict[str, list[tuple[Element, tuple[str, ...]]]] = {"a": [], "link": []}
    for element, attributes in zip(document.elements, document.attributes, strict=True):
        if not attributes:
            continue
        if "class" in attributes and (kinds := _listed_kinds(attributes["class"])):
            for kind in kinds:
                _add(marks.by_class, kind, element)
        if "rel" in attributes and (rels := _rels(attributes["rel"])) and element.tag in related:
            related[element.tag].append((element, rels))
        for name in names:
            if value := attributes.get(name):
                _read_properties(marks, element, value)
                break
    for element, rels in related["a"] + related["link"]:
        for rel in rels:
            _add(marks.by_rel, rel, element)
    return marks


def _describing(html: str) -> Iterator[str]:
    """The attributes by which this page names properties: half of all pages have none of them."""
    if "itemprop" in html:
        yield "itemprop"
    # Before the body these are the properties of meta elements.
    if html.find("property=", max(html.find("<body"), 0)) >= 0:
        yield "property"


@lru_cache(maxsize=20_000)
def _rels(value: str) -> tuple[str, ...]:
    """The relations that anybody asks for; most links only say "nofollow noopener"."""
    words = value[:MAX_ATTRIBUTE_CHARS].lower().split()[:8]
    return tuple(word for word in words if word in _ASKED_RELS)


def _read_properties(marks: Marks, element: Element, value: str) -> None:
    # Properties of meta elements are in `Document.metas`, their itemprops may be of a part.
    if element.tag == "meta" and not element.get("itemprop"):
        return
    for word in value[:MAX_ATTRIBUTE_CHARS].split()[:8]:
        _add(marks.by_property, word.rpartition(":")[2].lower(), element)


@lru_cache(maxsize=50_000)
def _kinds(value: str) -> tuple[str, ...]:
    """Which kinds of element a class attribute announces."""
    kinds: dict[str, None] = {}
    for word in value[:MAX_ATTRIBUTE_CHARS].lower().split():
        for kind in _word_kinds(word):
            kinds[kind] = None
    return tuple(kinds)


@lru_cache(maxsize=50_000)
def _listed_kinds(value: str) -> tuple[str, ...]:
    """The kinds of which the elements are listed; side parts are only asked for one by one."""
    return tuple(kind for kind in _kinds(value) if kind != "aside")


@lru_cache(maxsize=50_000)
def _word_kinds(word: str) -> tuple[str, ...]:
    if not _ANY.search(word):
        return ()
    kinds = [kind for kind, pattern in _PATTERNS if pattern.search(word)]
    if _TAG.fullmatch(word):
        kinds.append("tag")
    if word in _CONTENT_CLASSES:
        kinds.append(_CONTENT_CLASSES[word])
    return tuple(kinds)


# One search rules out nine words of ten before the exact patterns are tried.
_ANY = re.compile(
    r"aut|fn|writ|creat|journ|report|by|credit|meta|dat|fecha|publish|time|post|tag|categor|comment"
    r"|side|widget|rela|reco|tease|foot|nav|crumb|menu|popul|latest|trend|read|simil|respond|newsl"
    r"|promo|carou|more|prev|pagin|archive|adver|cookie|content|entry|article"
)
_PATTERNS = (("author", _AUTHOR), ("byline", _BYLINE), ("date", _DATE), ("aside", _ASIDE))


def _add(index: dict[str, Elements], key: str, element: Element) -> None:
    elements = index.setdefault(key, [])
    if len(elements) < MAX_MARKED_PER_KIND:
        elements.append(element)
