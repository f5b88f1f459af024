"""CSS selectors for an element of a page: short, lasting ones first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import apply_rules
from webmine_assets.institutions import ExtractionRule

_PLAIN = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
# Names a build made (css-1x2y3z, sc-bdVaJa, post-48213) change with the next build or page.
_GENERATED = re.compile(
    r"\d{3,}|^(?:css|sc|jss|svelte|emotion)-|^[a-z]{0,3}[A-Z0-9]{5,}|__[A-Za-z0-9]{5,}$"
)
_LANDMARKS = frozenset(["aside", "nav", "footer", "header", "section", "article", "main"])
_MAX_CHAIN = 8
_MAX_NAME_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestor:
    """An element or one that it lies in, with the selector that would name it."""

    number: int
    label: str
    selector: str


def ancestry(document: Document, number: int) -> list[Ancestor]:
    """The element and what it lies in, innermost first, each with its best selector."""
    numbers = {element: n for n, element in enumerate(document.elements)}
    element = document.elements[number]
    found: list[Ancestor] = []
    while element is not None and element.tag not in ("html", "body") and len(found) < _MAX_CHAIN:
        found.append(
            Ancestor(
                number=numbers[element],
                label=label_of(element),
                selector=best_selector(document, element),
            )
        )
        element = element.getparent()
    return found


def choose(chain: list[Ancestor], document: Document) -> Ancestor | None:
    """The innermost element with a lasting name of its own: what a person means by "this box"."""
    for link in chain:
        if any(named_selectors(document.elements[link.number])):
            return link
    return chain[0] if chain else None


def best_selector(document: Document, element: Any) -> str:
    """The first lasting selector that finds the element; else its place in the page."""
    for selector in named_selectors(element):
        rule = ExtractionRule(value=selector)
        if element in apply_rules(document.root, [rule]).elements:
            return selector
    return _place_of(element)


def named_selectors(element: Any) -> Iterator[str]:
    """Selectors from id, classes and landmark tags, the most telling first."""
    names = lasting_classes(element)
    if (name := element.get("id") or "") and is_lasting(name):
        yield f"#{escape_name(name)}"
    for class_name in sorted(names, key=lambda name: (-("-" in name or "_" in name), -len(name))):
        yield f".{escape_name(class_name)}"
    if element.tag in _LANDMARKS:
        yield str(element.tag)


def lasting_classes(element: Any) -> list[str]:
    return [name for name in (element.get("class") or "").split()[:12] if is_lasting(name)]


def is_lasting(name: str) -> bool:
    return 1 < len(name) <= _MAX_NAME_CHARACTERS and not _GENERATED.search(name)


def label_of(element: Any) -> str:
    """How an element is called in a list: its tag, id and classes."""
    identity = f"#{element.get('id')}" if element.get("id") else ""
    classes = "".join(f".{name}" for name in (element.get("class") or "").split()[:3])
    return f"{element.tag}{identity}{classes}"[:_MAX_NAME_CHARACTERS]


def escape_name(name: str) -> str:
    """A name as CSS wants it: every odd character after a backslash."""
    if _PLAIN.fullmatch(name):
        return name
    head = f"\\{ord(name[0]):x} " if name[0].isdigit() or name[0] == "-" else ""
    rest = name[1:] if head else name
    return head + re.sub(r"([^A-Za-z0-9_\u0080-\U0010ffff-])", r"\\\1", rest)


def _place_of(element: Any) -> str:
    """A path from the nearest named ancestor, counting among elements of the same tag."""
    steps: list[str] = []
    while element is not None and element.tag not in ("html", "body"):
        named = next(iter(named_selectors(element)), None) if steps else None
        if named or len(steps) >= _MAX_CHAIN:
            return " > ".join([named or str(element.tag), *reversed(steps)])
        steps.append(_step(element))
        element = element.getparent()
    return " > ".join(["body", *reversed(steps)])


def _step(element: Any) -> str:
    position = 1 + sum(
        1 for before in element.itersiblings(preceding=True) if before.tag == element.tag
    )
    return f"{element.tag}:nth-of-type({position})"
