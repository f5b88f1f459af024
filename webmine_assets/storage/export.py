"""Tables as files for other tools: Parquet, CSV and JSON lines, a batch of memory at a time."""

import base64
import csv
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from enum import StrEnum
from io import TextIOWrapper
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from webmine_assets.storage.lake import Lake
from webmine_assets.storage.parquet_stream import GROUP_BYTES, GROUP_ROWS
from webmine_assets.storage.schemas import table_schema

_BATCH_ROWS = 64


class ExportFormat(StrEnum):
    """The files a table can become; bytes are base 64 in the two text formats."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


def export_table(
    lake: Lake,
    table: str,
    institutions: Iterable[str],
    sink: BinaryIO,
    *,
    format: ExportFormat,
    with_bodies: bool = True,
    on_rows: Callable[[int], None] = lambda done: None,
) -> int:
    """Write the rows of some partitions of a table to a stream; how many there were."""
    schema = table_schema(table)
    if not with_bodies:
        schema = pa.schema([field for field in schema if not pa.types.is_large_binary(field.type)])
    batches = _counted(_batches(lake, table, institutions, schema), on_rows)
    return _WRITERS[format](batches, schema, sink)


def _batches(
    lake: Lake, table: str, institutions: Iterable[str], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """All batches in one schema: a file of an earlier version may lack a column."""
    for institution in institutions:
        for batch in lake.batches(table, institution, columns=schema.names, size=_BATCH_ROWS):
            columns = [
                batch.column(field.name).cast(field.type)
                if field.name in batch.schema.names
                else pa.nulls(batch.num_rows, field.type)
                for field in schema
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _counted(
    batches: Iterable[pa.RecordBatch], on_rows: Callable[[int], None]
) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.num_rows
        on_rows(done)


def _write_parquet(batches: Iterable[pa.RecordBatch], schema: pa.Schema, sink: BinaryIO) -> int:
    count = 0
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for group in _groups(batches):
            writer.write_table(pa.Table.from_batches(group, schema=schema))
            count += sum(batch.num_rows for batch in group)
    return count


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    for batch in batches:
        group.append(batch)
        rows, size = sum(b.num_rows for b in group), sum(b.nbytes for b in group)
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


def _write_csv(batches: Iterable[pa.RecordBatch], schema: pa.Schema, sink: BinaryIO) -> int:
    text = TextIOWrapper(sink, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(schema.names)
    count = 0
    for row in _rows(batches):
        writer.writerow(_cell(value) for value in row.values())
        count += 1
    text.detach()
    return count


def _write_json_lines(batches: Iterable[pa.RecordBatch], schema: pa.Schema, sink: BinaryIO) -> int:
    count = 0
    for row in _rows(batches):
        line = json.dumps(row, ensure_ascii=False, default=_plain)
        sink.write(line.encode("utf-8", "replace") + b"\n")
        count += 1
    return count


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    for batch in batches:
        yield from batch.to_pylist(maps_as_pydicts="lossy")


def _cell(value: object) -> object:
    """A value of a CSV cell; lists and mappings are JSON, and so are true and false."""
    if isinstance(value, list | dict | bool):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return _plain(value) if isinstance(value, bytes | date) else value


def _plain(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


_WRITERS: dict[ExportFormat, Callable[[Iterable[pa.RecordBatch], pa.Schema, BinaryIO], int]] = {
    ExportFormat.PARQUET: _write_parquet,
    ExportFormat.CSV: _write_csv,
    ExportFormat.JSONL: _write_json_lines,
}
