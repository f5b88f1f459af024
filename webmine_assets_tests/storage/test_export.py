"""Tables as files: every row, bytes in a form that text can hold, columns of earlier versions."""

import base64
import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from webmine_assets.records import PageSnapshot
from webmine_assets.storage.export import ExportFormat, export_table
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.schemas import from_row, table_schema
from webmine_assets_tests.factories import crawl_report, snapshot


def exported(lake: Lake, table: str, format: ExportFormat, *, with_bodies: bool = True) -> bytes:
    sink = io.BytesIO()
    names = lake.institutions(table)
    export_table(lake, table, names, sink, format=format, with_bodies=with_bodies)
    return sink.getvalue()


def lake_of(folder: Path, count: int = 3) -> tuple[Lake, list[PageSnapshot]]:
    lake = Lake(str(folder))
    rows = [snapshot(f"https://u1.edu/{n}", body=bytes([n, 255, 0])) for n in range(count)]
    lake.write("page_snapshots", "u1", rows)
    return lake, rows


def test_parquet_holds_the_rows_of_all_institutions(tmp_path: Path) -> None:
    lake, rows = lake_of(tmp_path)
    other = snapshot("https://u2.edu/", institution="u2")
    lake.write("page_snapshots", "u2", [other])
    table = pq.read_table(io.BytesIO(exported(lake, "page_snapshots", ExportFormat.PARQUET)))
    assert [from_row(PageSnapshot, row) for row in table.to_pylist()] == [*rows, other]


def test_json_lines_hold_bytes_in_base_64_and_maps_as_objects(tmp_path: Path) -> None:
    lake, rows = lake_of(tmp_path)
    lines = exported(lake, "page_snapshots", ExportFormat.JSONL).decode().splitlines()
    found = [json.loads(line) for line in lines]
    assert [base64.b64decode(row["body"]) for row in found] == [row.body for row in rows]
    assert found[0]["headers"] == rows[0].headers
    assert found[0]["fetched_at"] == "2026-03-04T12:00:00+00:00"
    assert found[0]["meta"]["alias_urls"] == list(rows[0].meta.alias_urls)


def test_csv_has_a_header_and_one_line_a_row(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("crawl_reports", "u1", [crawl_report()])
    text = exported(lake, "crawl_reports", ExportFormat.CSV).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["institution"], json.loads(row["decisions"])) == ("u1", {"stored": 3})


def test_bodies_can_be_left_out(tmp_path: Path) -> None:
    lake, _ = lake_of(tmp_path)
    for format in (ExportFormat.JSONL, ExportFormat.CSV):
        assert b"body" not in exported(lake, "page_snapshots", format, with_bodies=False)
    data = exported(lake, "page_snapshots", ExportFormat.PARQUET, with_bodies=False)
    assert "body" not in pq.read_schema(io.BytesIO(data)).names


def test_an_empty_table_is_a_file_with_columns(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    assert exported(lake, "seeds", ExportFormat.CSV).startswith(b"institution,url,source")
    assert exported(lake, "seeds", ExportFormat.JSONL) == b""
    schema = pq.read_schema(io.BytesIO(exported(lake, "seeds", ExportFormat.PARQUET)))
    assert schema.names == table_schema("seeds").names


def test_a_column_that_an_older_file_lacks_is_empty(tmp_path: Path) -> None:
    lake, _ = lake_of(tmp_path, 1)
    path = Path(lake.path_of("page_snapshots", "u1"))
    older = pq.ParquetFile(path).read().drop_columns(["simhash"])
    pq.write_table(pa.table(older), path)
    (line,) = exported(lake, "page_snapshots", ExportFormat.JSONL).splitlines()
    assert json.loads(line)["simhash"] is None
