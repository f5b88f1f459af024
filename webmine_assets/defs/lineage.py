"""What the UI tells of a table before it has rows: its meaning, its columns, and their sources."""

from typing import Any

from dagster import (
    AssetKey,
    MetadataValue,
    TableColumn,
    TableColumnConstraints,
    TableColumnDep,
    TableColumnLineage,
    TableSchema,
)

from webmine_assets.records import TABLES
from webmine_assets.storage.schemas import column_docs, table_schema

# Carried over as they are, by all tables of pages.
_SAME = ("institution", "page_id", "url", "checksum")
# What each column is made of; the extraction reads the stored bytes, never the network.
_MADE_OF: dict[str, dict[str, tuple[str, ...]]] = {
    "page_snapshots": {"requested_url": ("seeds.url",), "discovered_from": ("seeds.url",)},
    "url_ledger": {"url": ("seeds.url",), "discovered_from": ("seeds.url",)},
    "page_content": dict.fromkeys(
        ("title", "text", "raw_markdown", "fit_markdown", "full_content", "word_count"),
        ("page_snapshots.body", "page_snapshots.encoding"),
    ),
    "page_metadata": dict.fromkeys(
        ("title", "description", "image_url", "authors", "published_at", "published_on",
         "modified_at", "modified_on", "content_text", "declared_language", "provenance"),
        ("page_snapshots.body", "page_snapshots.encoding"),
    )
    | {"language": ("page_snapshots.text",)},
    "page_topics": dict.fromkeys(
        ("topic", "confidence", "sources", "keywords", "parents"),
        ("page_content.text", "page_content.title", "page_metadata.description"),
    ),
    "page_archives": {
        "payload_digest": ("page_snapshots.body",),
        "target_uri": ("page_snapshots.url",),
        "fetched_at": ("page_snapshots.fetched_at",),
    },
}  # fmt: skip
_PARENT = {
    "page_content": "page_snapshots",
    "page_metadata": "page_snapshots",
    "page_topics": "page_content",
    "page_archives": "page_snapshots",
}


def describe(table: str) -> str:
    """The grain and the key of a table, and how to ask it."""
    about = " ".join((TABLES[table].__doc__ or "").split())
    return f'{about}\n\nIn DuckDB: `webmine query "from {table} limit 10"`'


def definition_metadata(table: str) -> dict[str, Any]:
    """Schema with meanings, lineage of the columns, and the name of the table in DuckDB."""
    return {
        "dagster/table_name": f"webmine.main.{table}",
        "dagster/column_schema": MetadataValue.table_schema(_schema(table)),
        "dagster/column_lineage": MetadataValue.column_lineage(column_lineage(table)),
    }


def _schema(table: str) -> TableSchema:
    docs = column_docs(table)
    key = ("institution", "url") if table != "crawl_reports" else ("institution", "started_at")
    return TableSchema(
        [
            TableColumn(
                field.name,
                str(field.type)[:60],
                description=docs[field.name],
                constraints=TableColumnConstraints(nullable=field.name not in key),
            )
            for field in table_schema(table)
        ]
    )


def column_lineage(table: str) -> TableColumnLineage:
    """The columns a table's columns are made of."""
    names = table_schema(table).names
    made_of = {name: list(sources) for name, sources in _MADE_OF.get(table, {}).items()}
    if parent := _PARENT.get(table):
        shared = set(names) & set(table_schema(parent).names) & set(_SAME)
        made_of |= {name: [f"{parent}.{name}"] for name in shared}
    return TableColumnLineage(
        {name: [_dep(source) for source in made_of[name]] for name in sorted(made_of)}
    )


def _dep(source: str) -> TableColumnDep:
    table, column = source.split(".")
    return TableColumnDep(AssetKey(table), column)
