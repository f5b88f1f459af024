"""The small markup the demo texts are written in: paragraphs, headings, lists, tables, code."""

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def paint_prose(text: str) -> Markup:
    """HTML of blocks that blank lines part; `## `, `- `, `| ` and ``` open special blocks."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return Markup("\n").join(_block(block.strip()) for block in blocks if block.strip())


def _block(block: str) -> Markup:
    if block.startswith("## "):
        return Markup("<h2>{}</h2>").format(block[3:])
    if block.startswith("```"):
        return Markup("<pre><code>{}</code></pre>").format(block.strip("`").strip("\n"))
    if block.startswith("- "):
        items = (_inline(item) for item in re.split(r"(?m)^- ", block)[1:])
        return Markup("<ul>\n{}</ul>").format(_each(Markup("<li>{}</li>\n"), items))
    if block.startswith("| "):
        return _table(block.splitlines())
    return Markup("<p>{}</p>").format(_inline(block))


def _table(lines: list[str]) -> Markup:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    head = _each(Markup("<th>{}</th>"), rows[0])
    body = _each(Markup("<tr>{}</tr>\n"), [_each(Markup("<td>{}</td>"), row) for row in rows[1:]])
    return Markup("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>").format(
        head, body
    )


def _each(template: Markup, items: Iterable[str]) -> Markup:
    return Markup("").join(template.format(item) for item in items)


def _inline(text: str) -> Markup:
    """Escaped text on one line, with its links."""
    flowing = str(escape(" ".join(text.split())))
    return Markup(_LINK.sub(r'<a href="\2">\1</a>', flowing))  # noqa: S704  # escaped above
