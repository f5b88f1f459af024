"""Blocks as Markdown: headings, nested lists, quotes, fenced code and tables, in document order."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from webmine_assets.extract.inline import InlineWriter
from webmine_assets.extract.outline import BREAK, HEADINGS, Block, Node
from webmine_assets.extract.tables import is_data_table, write_table

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s?|sourceCode\s)([\w+#-]{1,30})"
)
_BACKTICKS = re.compile(r"`{3,}")
# Deeper lists and quotes than this are an accident or an attack; their text stays.
_MAX_LEVELS = 12


class _Place(NamedTuple):
    """Where a container is: quotes and list items around it, and its code block or table."""

    levels: tuple[Node, ...] = ()
    code: Node | None = None
    table: Node | None = None
    cell: Node | None = None
    heading: int = 0


class MarkdownWriter:
    """Writes any choice of the blocks of one page; what a block says is worked out once."""

    def __init__(self, inline: InlineWriter) -> None:
        self._inline = inline
        self._places: dict[Node, _Place] = {}

    def write(self, blocks: Sequence[Block]) -> str:
        """The Markdown of blocks given in document order."""
        out: list[str] = []
        items = _Items()
        last_list: Node | None = None
        last_levels: tuple[Node, ...] = ()
        for unit, members in groupby(blocks, self._unit):
            for text, node in self._pieces(unit, list(members)):
                levels = self._place(node).levels
                first, rest, starts = items.prefixes(levels)
                outer = next((n for n in levels if n.tag == "li"), None)
                group = outer.parent if outer is not None else None
                if out:
                    tight = starts and group is not None and group is last_list
                    out.append("\n" if tight else _gap(last_levels, levels))
                out.append(first + text.replace("\n", "\n" + rest) if rest else first + text)
                last_list, last_levels = group, levels
        return "".join(out)

    def write_text(self, blocks: Sequence[Block]) -> str:
        """Plain text, a line a block; list items have a dash, cells of a row share a line."""
        out: list[str] = []
        marked: set[Node] = set()
        row: Node | None = None
        for block in blocks:
            place = self._place(block.node)
            in_row = place.cell.parent if place.cell else None
            if in_row is not None and in_row is row:
                out.append(f"\t{block.text}")
            else:
                item = place.levels[-1] if place.levels and place.levels[-1].tag == "li" else None
                out.append("\n- " if item and item not in marked else "\n")
                out.append(block.text)
                if item:
                    marked.add(item)
            row = in_row
        return "".join(out).lstrip("\n")

    def _unit(self, block: Block) -> Node | Block:
        """Blocks that are written together: those of one code block or one table."""
        place = self._place(block.node)
        return place.code or place.table or block

    def _pieces(self, unit: Node | Block, members: list[Block]) -> list[tuple[str, Node]]:
        if isinstance(unit, Node) and unit.tag == "table":
            cells = [self._place(block.node).cell for block in members]
            if is_data_table(unit, members, cells):
                text = write_table(members, cells, self._inline.write)
                return [(text, unit)] if text else []
        elif isinstance(unit, Node):
            return [(_fence(unit, members), unit)]
        return [(text, block.node) for block in members if (text := self._line(block))]

    def _line(self, block: Block) -> str:
        text = self._inline.write(block)
        level = self._place(block.node).heading
        if level and text:
            return f"{'#' * level} {text.replace('  ' + chr(10), ' ')}"
        return f"**{text}**" if block.node.tag == "dt" and text and "*" not in text else text

    def _place(self, node: Node) -> _Place:
        place = self._places.get(node)
        if place is not None:
            return place
        chain = [node]
        while (parent := chain[-1].parent) is not None and parent not in self._places:
            chain.append(parent)
        above = chain[-1].parent
        place = self._places[above] if above is not None else _Place()
        for found in reversed(chain):
            place = self._places[found] = _inside(place, found)
        return place


class _Items:
    """Remembers which list items have their marker, and counts ordered lists."""

    def __init__(self) -> None:
        self._markers: dict[Node, str] = {}
        self._counts: dict[Node | None, int] = {}

    def prefixes(self, levels: tuple[Node, ...]) -> tuple[str, str, bool]:
        """The start of the first line, that of the others, and whether an item begins."""
        first = rest = ""
        starts = False
        for level in levels:
            if level.tag == "blockquote":
                first, rest = first + "> ", rest + "> "
                continue
            marker = self._markers.get(level)
            if marker is None:
                marker = self._markers[level] = self._marker(level)
                first += marker
                starts = True
            else:
                first += " " * len(marker)
            rest += " " * len(marker)
        return first, rest, starts

    def _marker(self, item: Node) -> str:
        parent = item.parent
        if parent is None or parent.tag != "ol":
            return "- "
        count = self._counts.get(parent)
        if count is None:
            start = parent.element.get("start") or ""
            count = int(start) if start.isascii() and start.isdigit() and len(start) < 9 else 1
        self._counts[parent] = count + 1
        return f"{count}. "


def _inside(place: _Place, node: Node) -> _Place:
    tag = node.tag
    if tag in ("li", "blockquote") and len(place.levels) < _MAX_LEVELS:
        return place._replace(levels=(*place.levels, node))
    if tag == "pre" and place.code is None:
        return place._replace(code=node, heading=0)
    if tag == "table":
        # The innermost table: one that holds tables is there to place them.
        return place._replace(table=node, cell=None)
    if tag in ("td", "th"):
        return place._replace(cell=node)
    if tag == "caption":
        # Markdown's tables have none: it is a line of its own beside the table.
        return place._replace(table=None, cell=None)
    if tag in HEADINGS:
        return place._replace(heading=int(tag[1]))
    return place


def _gap(before: tuple[Node, ...], after: tuple[Node, ...]) -> str:
    """The empty line between two pieces; inside one quote it has the quote's sign."""
    quotes = 0
    for one, other in zip(before, after, strict=False):
        if one is not other or one.tag != "blockquote":
            break
        quotes += 1
    return f"\n{'> ' * (quotes - 1)}>\n" if quotes else "\n\n"


def _fence(code: Node, blocks: Sequence[Block]) -> str:
    text = "\n".join(block.text.strip("\n\r") for block in blocks).replace(BREAK, "\n").rstrip()
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{_language(code)}\n{text}\n{fence}"


def _language(code: Node) -> str:
    """The language that the code element, the pre or a container right around names."""
    names = [child.get("class") or "" for child in code.element.iterchildren("code")]
    names.append(code.names)
    names += [n.names for n in (code.parent, code.parent and code.parent.parent) if n]
    for name in names:
        if match := _LANGUAGE.search(name):
            return match[1].lower()
    return ""
