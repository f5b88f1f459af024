"""Tables as Markdown tables, if they hold data; a table that only places text is no table."""

from collections.abc import Callable, Sequence

from lxml.html import HtmlElement

from webmine_assets.extract.outline import HEADINGS, Block, Node

_MAX_COLUMNS = 60
_MAX_CELL_CHARS = 500
_CELLS = ("td", "th")


def is_data_table(table: Node, blocks: Sequence[Block], cells: Sequence[Node | None]) -> bool:
    """Whether a table has rows and columns of short cells, and nothing that needs lines."""
    if table.element.get("role") in ("presentation", "none"):
        return False
    rows: dict[HtmlElement, bool] = {}
    for block, cell in zip(blocks, cells, strict=True):
        row = cell.parent if cell is not None else None
        if row is None or row.tag != "tr" or block.chars > _MAX_CELL_CHARS:
            return False
        if block.node.tag in HEADINGS or block.node.tag == "pre":
            return False
        if row.element not in rows:
            rows[row.element] = sum(1 for _ in row.element.iterchildren(*_CELLS)) > 1
    return len(rows) > 1 and sum(rows.values()) * 2 > len(rows)


def write_table(
    blocks: Sequence[Block], cells: Sequence[Node | None], write: Callable[[Block], str]
) -> str:
    """Rows of `| cell | cell |`; the first row is the header if it has header cells."""
    texts: dict[HtmlElement, list[str]] = {}
    rows: dict[HtmlElement, None] = {}
    for block, cell in zip(blocks, cells, strict=True):
        if cell is not None and cell.parent is not None and (text := write(block)):
            texts.setdefault(cell.element, []).append(text)
            rows[cell.parent.element] = None
    lines = [_cells(row, texts) for row in rows]
    if not lines:
        return ""
    width = max(map(len, lines))
    if not any(cell.tag == "th" for cell in next(iter(rows))):
        lines.insert(0, [""] * width)
    lines.insert(1, ["---"] * width)
    return "\n".join(_line(line + [""] * (width - len(line))) for line in lines)


def _cells(row: HtmlElement, cells: dict[HtmlElement, list[str]]) -> list[str]:
    found: list[str] = []
    for cell in row.iterchildren(*_CELLS):
        text = "<br>".join(cells.get(cell, ()))
        found.append(text.replace("  \n", "<br>").replace("\n", " ").replace("|", "\\|"))
        found += [""] * (_span(cell) - 1)
        if len(found) >= _MAX_COLUMNS:
            break
    return found[:_MAX_COLUMNS]


def _span(cell: HtmlElement) -> int:
    value = (cell.get("colspan") or "").strip()
    return (
        min(int(value), _MAX_COLUMNS)
        if value.isascii() and value.isdigit() and len(value) < 5
        else 1
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
