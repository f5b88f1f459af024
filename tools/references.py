"""Write the reference pages of docs/ from the code: .venv/bin/python tools/references.py

A test compares the pages with the code, so a column, key or reason is described in one place only.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow
from pyarrow import types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from webmine_assets.institutions import ExtractionRule, Institution
from webmine_assets.reasons import MEANINGS
from webmine_assets.records import TABLES
from webmine_assets.storage.schemas import table_schema

DOCS = Path(__file__).parent.parent / "docs"
KINDS = {
    types.is_string: "text",
    types.is_integer: "integer",
    types.is_floating: "number",
    types.is_boolean: "boolean",
    types.is_large_binary: "bytes",
    types.is_date: "day",
    types.is_timestamp: "time",
    types.is_map: "map",
    types.is_struct: "record",
}

REASONS_INTRO = """# Why a URL is there, or is not

Every URL that a crawl discovers has exactly one row in `url_ledger`, with one decision and one
reason. `webmine why URL` and the studio tell the row, what it means and what helps; in SQL:

```sql
select decision, reason, count(*) as urls, any_value(url) as example
from url_ledger where institution = 'my-university' group by all order by urls desc
```

`detail` holds the evidence: the line of robots.txt, the status, the size and the limit, the page
that an alias leads to. A budget that is used up decides about everything that was still waiting, so
that the rows always add up to all that was discovered.

"""

TABLES_INTRO = """# The tables

Each is one asset, one Parquet file per institution under
`data/lake/<table>/institution=<id>/`, and a view in DuckDB. `webmine query "describe
page_metadata"` shows the same columns; Dagster's UI shows where each comes from. Times are UTC.
"""

FILE_INTRO = """# The institution file

`data/institutions/<id>.yaml`, or the same keys as JSON. Only `institution_id`, `seed_urls` and
`allowed_domains` are needed; an unknown key is an error that names the nearest known one. The
[README](../README.md#your-own-institutions) has an example.
"""


def reasons_page() -> str:
    rows = (
        (f"`{decision}`", f"`{reason}`", meaning.says, meaning.remedy or "–")
        for decision, reasons in MEANINGS.items()
        for reason, meaning in reasons.items()
    )
    return REASONS_INTRO + table(("decision", "reason", "what happened", "what helps"), rows)


def tables_page() -> str:
    parts = [TABLES_INTRO]
    for name, record in TABLES.items():
        summary = (record.__doc__ or "").splitlines()[0]
        columns = table(("column", "type", "meaning"), _columns(table_schema(name)))
        parts.append(f"## {name}\n\n{summary}\n\n{columns}")
    return "\n".join(parts)


def _columns(fields: Iterable[pyarrow.Field], inside: str = "") -> Iterator[tuple[str, str, str]]:
    """A row for each column and, below it, for each field that is nested in it."""
    for field in fields:
        meaning = (field.metadata or {}).get(b"doc", b"").decode()
        yield f"`{inside}{field.name}`", _kind(field.type), meaning
        nested = field.type.value_type if types.is_list(field.type) else field.type
        if types.is_struct(nested):
            brackets = "[]" if types.is_list(field.type) else ""
            yield from _columns(nested, f"{inside}{field.name}{brackets}.")


def _kind(kind: pyarrow.DataType) -> str:
    if types.is_list(kind):
        return f"list of {_kind(kind.value_type)}"
    return next((word for is_of_kind, word in KINDS.items() if is_of_kind(kind)), str(kind))


def institution_page() -> str:
    parts = [FILE_INTRO, _keys(Institution)]
    for name, field in Institution.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            parts.append(f"## {name}\n\n{_keys(field.annotation)}")
    parts.append(f"## extraction_rules\n\nA list; each entry:\n\n{_keys(ExtractionRule)}")
    return "\n".join(parts)


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table; a bar inside a cell would end it."""
    lines = [_line(heads), "|---" * len(heads) + "|", *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _keys(model: type[BaseModel]) -> str:
    rows = (
        (f"`{name}`", _default(field), field.description or "")
        for name, field in model.model_fields.items()
    )
    return table(("key", "default", "meaning"), rows)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    if isinstance(field.default, BaseModel):
        return "see below"
    if field.default in (None, "", ()):
        return "–"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


PAGES = {
    "reasons.md": reasons_page,
    "tables.md": tables_page,
    "institution-file.md": institution_page,
}

if __name__ == "__main__":
    for file_name, page in PAGES.items():
        (DOCS / file_name).write_text(page(), "utf-8")
