"""The author cascade: in the seed's order; JSON-LD and citation tags join schema.org's place."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from webmine_assets.extract.marks import Element
from webmine_assets.extract.metadata import names
from webmine_assets.extract.metadata.byline import MARKED_BY, split_names
from webmine_assets.extract.metadata.cascade import (
    Offer,
    Outcome,
    Rejected,
    Source,
    meta,
    run,
)
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.metadata.wording import fold, squeeze, text_of
from webmine_assets.extract.outline import Block
from webmine_assets.extract.structured import people

MAX_RAW_CHARS = 300
MAX_BY_LINE_CHARS = 120
MAX_NEIGHBOUR_CHARS = 60
MAX_PROFILE_LINKS = 40
PDF = "pdf:author"
_PDF_ENTRIES = re.compile(r"[;\n]|\s(?:and|und|et|y|&)\s")
_OUTSIDE = "in a menu, a comment or a side part"
_FORM_TAGS = frozenset({"input", "label", "form", "textarea"})
_BY_WORD = r"(?:by|von|vom|par|por|text|autor(?:in)?|author)"
_BY_LINE = re.compile(rf"{_BY_WORD}\s?:?\s\S", re.IGNORECASE)
_BY_LINE_START = re.compile(rf"\s*{_BY_WORD}(?:\s?:?\s|$)", re.IGNORECASE)
_HAS_BY = re.compile(rf"\b{_BY_WORD}\b", re.IGNORECASE)
_PROFILE = re.compile(
    r"/(?:authors?|autor(?:en|in)?|auteurs?|redaktion|journalist[a-z]{0,4}|reporter)/[^/]"
)


def _meta_author(evidence: Evidence) -> Iterator[Offer]:
    """Named author in the head; an itemprop may belong to a comment or a reference."""
    if "author" not in evidence.metas:
        return
    for element in evidence.tags("meta"):
        name = (element.get("name") or element.get("property") or "").strip().lower()
        if name == "author" and (content := (element.get("content") or "").strip()):
            yield Offer(content)


def _microdata(evidence: Evidence) -> Iterator[Offer]:
    for element in evidence.marks.by_property.get("author", ()):
        named = next((e for e in element.iter("*") if "name" in _properties(e)), element)
        value = named.get("content") or text_of(named, limit=MAX_RAW_CHARS)
        if value:
            yield Offer(value, _flaw_of_place(element, evidence))


def _properties(element: Element) -> list[str]:
    return (element.get("itemprop") or element.get("property") or "").split()


def _json_ld(evidence: Evidence) -> Iterator[Offer]:
    for node in evidence.nodes:
        entries = people(node.get("author")) or people(node.get("creator"))
        yield from (Offer(entry) for entry in entries)
        if entries:
            return


def _marked(elements: Iterable[Element], evidence: Evidence) -> Iterator[Offer]:
    """One offer for each group of neighbours: two authors are two links in one by-line."""
    group: list[str] = []
    parent: Element | None = None
    for element in elements:
        text = "" if element.tag in _FORM_TAGS else text_of(element, limit=MAX_RAW_CHARS)
        if not text:
            continue
        if flaw := _flaw_of_place(element, evidence):
            yield Offer(text, flaw)
        elif group and element.getparent() is parent and len(text) < MAX_NEIGHBOUR_CHARS:
            group.append(text)
        else:
            if group:
                yield Offer("; ".join(group))
            group, parent = [text], element.getparent()
    if group:
        yield Offer("; ".join(group))


def _flaw_of_place(element: Element, evidence: Evidence) -> str:
    return _OUTSIDE if evidence.marks.is_aside(element) else ""


def _profile_links(evidence: Evidence) -> Iterator[Offer]:
    links = (a for a in evidence.tags("a") if _PROFILE.search((a.get("href") or "").lower()))
    return _marked(islice(links, MAX_PROFILE_LINKS), evidence)


def _by_lines(evidence: Evidence) -> Iterator[Offer]:
    """Short texts that start with "by" and a person's name, wherever they stand."""
    for block in evidence.outline.blocks:
        for text in _by_texts(block):
            flaw = _flaw_of_place(block.node.element, evidence)
            yield Offer(text, flaw or _flaw_of_by_line(text))


def _by_texts(block: Block) -> Iterator[str]:
    """The line itself, or the pieces of it that start with "by"."""
    if _is_by_line(block.text):
        yield block.text[:MAX_RAW_CHARS]
        return
    # A block without elements has no other pieces; most have none, and the search is the dear part.
    if len(block.tokens) == 1 or not _HAS_BY.search(block.text, 0, MAX_RAW_CHARS):
        return
    for token in block.tokens:
        if isinstance(token, tuple) and _BY_LINE_START.match(token[1].text or ""):
            yield text_of(token[1], limit=MAX_RAW_CHARS)


def _is_by_line(text: str) -> bool:
    return bool(_BY_LINE.match(text) or MARKED_BY.match(text))


def _flaw_of_by_line(text: str) -> str:
    found = split_names(text) if len(text) < MAX_BY_LINE_CHARS else []
    return "" if found and names.looks_personal(found[0]) else "no name in it"


def _rel(evidence: Evidence) -> Iterator[Offer]:
    return _marked(evidence.marks.by_rel.get("author", ()), evidence)


def _class(kind: str) -> Source:
    return Source(
        f"class:{kind}", lambda evidence: _marked(evidence.marks.by_class.get(kind, ()), evidence)
    )


AUTHOR_SOURCES = (
    Source("meta:author", _meta_author),
    meta("article:author"),
    Source("itemprop:author", _microdata),
    Source("json-ld:author", _json_ld),
    meta("citation_author"),
    meta("dc.creator"),
    meta("dcterms.creator"),
    meta("parsely-author"),
    meta("sailthru.author"),
    meta(PDF),
    Source("rel:author", _rel),
    _class("author"),
    _class("byline"),
    Source("href:author", _profile_links, last_resort=True),
    Source("by-pattern", _by_lines, last_resort=True),
)
_GATHERED = frozenset(
    {"meta:author", "article:author", "json-ld:author", "citation_author", "dc.creator"}
)
_SURNAME_FIRST = frozenset({"citation_author", "dc.creator", "dcterms.creator"})
_VISIBLE = frozenset({"rel:author", "class:author", "class:byline", "href:author", "by-pattern"})
_EASILY_WRONG = frozenset({"meta:author", "article:author"})
_EASILY_WRONG_METAS = frozenset({"author", "article:author"})
_WITNESSES = frozenset(
    {
        "itemprop:author",
        "json-ld:author",
        "dc.creator",
        "parsely-author",
        "rel:author",
        "class:author",
    }
)


def extract_authors(evidence: Evidence) -> Outcome[tuple[str, ...]]:
    """The names of the page's authors."""
    agreed = _agreed(evidence)

    def check(raw: str, source: str, evidence: Evidence) -> tuple[str, ...] | Rejected:
        if len(raw) > MAX_RAW_CHARS:
            return Rejected(f"longer than {MAX_RAW_CHARS} characters")
        if source == "meta:author" and fold(raw) in evidence.site_names:
            return Rejected("the site's name")
        found = [_without_site(name, evidence) for name in _names_in(raw, source)]
        if source == "class:byline" and not (
            _is_by_line(raw) or any(map(names.looks_personal, found))
        ):
            return Rejected("no name in it")
        flaws = [names.flaw_of(n) or _doubt(n, source, evidence, agreed) for n in found]
        flaws[1:] = [
            flaw or _flaw_beside_another(name, evidence)
            for name, flaw in zip(found[1:], flaws[1:], strict=True)
        ]
        good = tuple(name for name, flaw in zip(found, flaws, strict=True) if not flaw)
        return good or Rejected(flaws[0] if flaws else "no name in it")

    return run("author", AUTHOR_SOURCES, evidence, check, gather=_GATHERED)


def _names_in(raw: str, source: str) -> list[str]:
    """In a PDF "Doe, Jane" is one person, "Jane Doe, John Roe" are two; it holds no by-line."""
    if source != PDF:
        return split_names(raw, surname_first=source in _SURNAME_FIRST)
    found: list[str] = []
    for entry in _PDF_ENTRIES.split(raw):
        family, *given = parts = [squeeze(part) for part in entry.split(",")]
        is_surname_first = len(given) == 1 and " " not in family
        found += [f"{given[0]} {family}"] if is_surname_first else parts
    return list(dict.fromkeys(filter(None, found)))


def _agreed(evidence: Evidence) -> frozenset[str]:
    """Persons whom at least two of the later sources name."""
    if not _EASILY_WRONG_METAS & evidence.metas.keys():
        return frozenset()
    votes: Counter[str] = Counter()
    for source in AUTHOR_SOURCES:
        if source.name in _WITNESSES:
            read = islice((offer for offer in source.read(evidence) if not offer.flaw), 3)
            found = (name for offer in read for name in split_names(offer.raw[:MAX_RAW_CHARS]))
            votes.update({fold(name) for name in found if names.looks_personal(name)})
    return frozenset(name for name, count in votes.items() if count > 1)


def _without_site(name: str, evidence: Evidence) -> str:
    """A name without the site at its end: "Jane Doe The Herald" is Jane Doe of the Herald."""
    words = name.split()
    for size in range(2, len(words)):
        if fold(" ".join(words[size:])) in evidence.site_names:
            return " ".join(words[:size])
    return name


def _flaw_beside_another(name: str, evidence: Evidence) -> str:
    """After a person, "CNN Business" is where the person works."""
    words = fold(name).split()
    parts = {" ".join(words[:size]) for size in range(1, len(words) + 1)} | set(words)
    return "a part of the site" if evidence.site_names & parts else ""


def _doubt(name: str, source: str, evidence: Evidence, agreed: frozenset[str]) -> str:
    """What the rest of the page says against a name; empty if nothing."""
    folded = fold(name)
    if source in _EASILY_WRONG and agreed and folded not in agreed:
        return "two other sources agree on another"
    if source in _VISIBLE:
        return "a list of words, not a name" if names.is_list(name) else ""
    if folded in evidence.site_names and not (
        source != "meta:author" and names.looks_personal(name)
    ):
        return "the site's name"
    if source == "meta:author" and names.is_company(name):
        return "a company, not a person"
    if source == PDF and names.is_account(name):
        return "who was logged in, not who wrote it"
    return ""
