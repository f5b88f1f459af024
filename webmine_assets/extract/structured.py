"""What a page says of itself for machines: JSON-LD, microdata, RDFa-lite, Dublin Core, citations.

Reads and flattens only; which value is believed is the cascades' business.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

Node = dict[str, Any]

MAX_SCRIPTS = 40
MAX_SCRIPT_CHARS = 1_000_000
MAX_NODES = 3_000
_PAGE_TYPES = re.compile(
    r"article|posting|webpage|report|recipe|qapage|discussion|review|creativework|itempage"
    r"|aboutpage|medicalweb|howto|event|product|podcastepisode|videoobject|course|dataset|thesis"
    r"|book|liveblog",
    re.IGNORECASE,
)
_ARTICLE_TYPES = re.compile(r"article|posting|report|recipe|review|howto|discussion", re.IGNORECASE)
_VOCABULARY = re.compile(r"^.*[/#:]", re.DOTALL)
_WRAPPING = re.compile(r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[)")
_WRAPPED = re.compile(r"(?:-->|//\s*\]\]>|/\*\s*\]\]>\s*\*/|\]\]>|;)\s*$")
_TRAILING_COMMA = re.compile(r",\s{0,200}([\]}])")
_MISSING_COMMA = re.compile(r"([\"\]}])(\s{0,20}\n\s{0,200}\")")


def parse_json_ld(scripts: Iterable[etree._Element]) -> list[Node]:
    """Every object of every JSON-LD script, flattened; references by @id are filled in."""
    nodes: list[Node] = []
    for script in _json_ld_scripts(scripts):
        data = _parse(script.text or "")
        if data is not None:
            _flatten(data, nodes)
    return _resolved(nodes)


def _json_ld_scripts(scripts: Iterable[etree._Element]) -> Iterator[etree._Element]:
    count = 0
    for script in scripts:
        if "ld+json" in (script.get("type") or "").lower():
            count += 1
            if count > MAX_SCRIPTS:
                return
            yield script


def _parse(text: str) -> Any:
    """The JSON of a script; comments, trailing and missing commas and entities are forgiven."""
    if not text or len(text) > MAX_SCRIPT_CHARS:
        return None
    for attempt in (_as_is, _unwrapped, _with_commas, _without_entities):
        try:
            return json.loads(attempt(text), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _as_is(text: str) -> str:
    return text


def _unwrapped(text: str) -> str:
    return _WRAPPED.sub("", _WRAPPING.sub("", text.strip(), count=1).rstrip(), count=1)


def _with_commas(text: str) -> str:
    return _MISSING_COMMA.sub(r"\1,\2", _TRAILING_COMMA.sub(r"\1", _unwrapped(text)))


def _without_entities(text: str) -> str:
    return _with_commas(html.unescape(text))


def _flatten(data: Any, nodes: list[Node]) -> None:
    """All objects in `data`, outer before inner, without recursion."""
    stack = [data]
    while stack and len(nodes) < MAX_NODES:
        item = stack.pop()
        if isinstance(item, dict):
            nodes.append(item)
            stack.extend(v for v in reversed(list(item.values())) if isinstance(v, dict | list))
        elif isinstance(item, list):
            stack.extend(v for v in reversed(item) if isinstance(v, dict | list))


def _resolved(nodes: list[Node]) -> list[Node]:
    """The same nodes; a value that only names an @id is replaced by the node of that id."""
    known = {
        identity: node
        for node in reversed(nodes)
        if isinstance(identity := node.get("@id"), str) and len(node) > 1
    }
    if not known:
        return nodes
    return [{key: _referred(value, known) for key, value in node.items()} for node in nodes]


def _referred(value: Any, known: dict[str, Node]) -> Any:
    if isinstance(value, list):
        return [_referred_one(item, known) for item in value[:200]]
    return _referred_one(value, known)


def _referred_one(value: Any, known: dict[str, Node]) -> Any:
    identity = value.get("@id") if isinstance(value, dict) and not value.get("name") else None
    return known.get(identity, value) if isinstance(identity, str) else value


def types_of(node: Node) -> tuple[str, ...]:
    """The types of a node without their vocabulary."""
    raw = node.get("@type")
    names = raw if isinstance(raw, list) else [raw]
    return tuple(_VOCABULARY.sub("", name) for name in names if isinstance(name, str))


def page_nodes(nodes: Iterable[Node]) -> list[Node]:
    """The nodes that describe the page itself, articles before other page types."""
    described = [(node, " ".join(types_of(node))) for node in nodes]
    pages = [(node, kind) for node, kind in described if _PAGE_TYPES.search(kind)]
    pages.sort(key=lambda pair: not _ARTICLE_TYPES.search(pair[1]))
    return [node for node, _ in pages]


def texts(value: Any) -> list[str]:
    """The plain strings of a property value: a string, an object's name or @value, or a list."""
    if isinstance(value, str):
        return [_whole(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, dict):
        for key in ("@value", "name", "url"):
            if isinstance(value.get(key), str):
                return [_whole(value[key])]
        return []
    if isinstance(value, list):
        return [text for item in value[:50] if not isinstance(item, list) for text in texts(item)]
    return []


def urls(value: Any) -> list[str]:
    """The addresses in an image-like property value."""
    if isinstance(value, dict):
        found = (value.get(key) for key in ("url", "contentUrl", "@id"))
        return [_whole(url) for url in found if isinstance(url, str)]
    if isinstance(value, list):
        return [url for item in value[:20] if not isinstance(item, list) for url in urls(item)]
    return [_whole(value)] if isinstance(value, str) else []


def _whole(text: str) -> str:
    """JSON may escape half a character; such a half cannot be stored."""
    return text.encode("utf-8", "replace").decode()


def people(value: Any) -> list[str]:
    """The names in an author-like property value; a number is none."""
    items = value if isinstance(value, list) else [value]
    named = (item for item in items[:50] if isinstance(item, str | dict | list))
    return [name for item in named for name in texts(item)]
