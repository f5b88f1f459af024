import pyarrow as pa
import pytest

from webmine_assets.errors import StorageError
from webmine_assets.records import TABLES, CrawlReport, PageSnapshot
from webmine_assets.storage.schemas import (
    column_docs,
    from_row,
    record_of,
    schema_of,
    table_schema,
    to_row,
)
from webmine_assets_tests.factories import crawl_report, snapshot


@pytest.mark.parametrize("table", TABLES)
def test_every_column_of_every_table_has_a_meaning(table: str) -> None:
    assert all(column_docs(table).values())
    assert table_schema(table).names[0] == "institution"


@pytest.mark.parametrize(
    ("record", "value"), [(PageSnapshot, snapshot()), (CrawlReport, crawl_report())]
)
def test_a_record_survives_the_round_trip_through_arrow(record: type, value: object) -> None:
    table = pa.Table.from_pylist([to_row(value)], schema=schema_of(record))
    assert from_row(record, table.to_pylist()[0]) == value


def test_a_row_without_newer_columns_takes_their_defaults() -> None:
    row = to_row(snapshot())
    del row["meta"]["source"]
    row["meta"]["alias_urls"] = None
    assert from_row(PageSnapshot, row).meta.source == "crawl"
    assert from_row(PageSnapshot, row).meta.alias_urls == ()


def test_an_unknown_table_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(StorageError, match="page_snapshots"):
        record_of("page_snapshot")


def test_a_type_without_a_parquet_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no Parquet type"):
        schema_of(type("Odd", (), {"__annotations__": {"x": complex}}))
