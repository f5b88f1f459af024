"""What the UI tells of tables: columns that exist, from columns that exist."""

import pytest

from webmine_assets.defs.lineage import column_lineage, definition_metadata, describe
from webmine_assets.defs.project import build_definitions
from webmine_assets.records import TABLES
from webmine_assets.storage.schemas import table_schema


@pytest.mark.parametrize("table", TABLES)
def test_lineage_names_columns_that_exist(table: str) -> None:
    for column, sources in column_lineage(table).deps_by_column.items():
        assert column in table_schema(table).names
        for source in sources:
            assert source.column_name in table_schema(source.asset_key.to_user_string()).names


@pytest.mark.parametrize("table", TABLES)
def test_lineage_follows_the_asset_graph(table: str) -> None:
    graph = build_definitions().resolve_asset_graph()
    node = next(graph.get(key) for key in graph.get_all_asset_keys() if key.path[-1] == table)
    sources = {s.asset_key for deps in column_lineage(table).deps_by_column.values() for s in deps}
    assert sources <= set(node.parent_keys)


@pytest.mark.parametrize("table", TABLES)
def test_every_column_has_a_meaning_and_the_table_its_key(table: str) -> None:
    schema = definition_metadata(table)["dagster/column_schema"].schema
    assert all(column.description for column in schema.columns)
    assert [column.name for column in schema.columns] == table_schema(table).names
    assert "Key: " in describe(table)


def test_assets_can_be_found_by_stage_and_kind() -> None:
    graph = build_definitions().resolve_asset_graph()
    nodes = [graph.get(key) for key in graph.get_all_asset_keys()]
    assert {node.tags["webmine/stage"] for node in nodes} == {"crawl", "enhancement"}
    assert all(node.kinds for node in nodes)
