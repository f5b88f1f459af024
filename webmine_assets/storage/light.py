"""The columns that lists and totals are made of, in memory and in step with the lake.

A question over Parquet opens every file again, a millisecond each, though a publication changes
one partition. Here that partition is read again, and DuckDB asks Arrow tables: at 100,000 pages in
20 partitions 2 to 30 ms a question, where the views take 20 to 220 (`benchmarks/studio.py`).
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from webmine_assets.storage.lake import Lake
from webmine_assets.storage.schemas import table_schema
from webmine_assets.storage.warehouse import named_in, rows_of

# Neither files nor the network are needed to ask tables in memory.
_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "temp_directory": "",
}

# Columns of few values: groups of them are made in two thirds of the time, in a tenth less memory.
_FEW = pa.dictionary(pa.int32(), pa.string())
# Where links stand and what a decision rests on repeat, too: of a ledger with six URLs a page they
# take 176 instead of 610 bytes a page, for 0.5 ms more of reading 1,000 rows.
_REPEATING = frozenset(
    {"institution", "lang", "language", "topic"}
    | {"decision", "reason", "detail", "discovered_from"}
)


class LightLake:
    """Answers SQL over some columns of some tables, as they are at the moment of the question.

    `columns` names them by table; texts and bodies do not belong there. Threads may ask at the
    same time.
    """

    def __init__(self, lake: Lake, columns: Mapping[str, Sequence[str]]) -> None:
        self._tables = {name: _LightTable(lake, name, columns[name]) for name in columns}
        # To open one takes 20 ms, a cursor of it nothing; what a cursor knows is its own.
        self._connection = duckdb.connect(":memory:", config=_CONFIGURATION)
        # DuckDB refuses to close a connection while a cursor of it answers in another thread.
        self._change = threading.Condition()
        self._under_way = 0

    def close(self) -> None:
        """Let the connection go, once the questions under way are answered."""
        with self._change:
            self._change.wait_for(lambda: not self._under_way)
            self._connection.close()

    @property
    def is_answering(self) -> bool:
        """Whether a question is under way."""
        return self._under_way > 0

    def refresh(self) -> None:
        """Read what changed now, so that the next question need not."""
        for table in self._tables.values():
            table.current()

    def ask(self, sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """The rows of an answer; only the tables that a question names are looked at."""
        with self._cursor() as cursor:
            for name in named_in(sql) & self._tables.keys():
                cursor.register(name, self._tables[name].current())
            return rows_of(cursor, sql, list(parameters))

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._change:
            cursor = self._connection.cursor()
            self._under_way += 1
        try:
            yield cursor
        finally:
            cursor.close()
            with self._change:
                self._under_way -= 1
                self._change.notify_all()


class _LightTable:
    """One table, partition by partition."""

    def __init__(self, lake: Lake, name: str, columns: Sequence[str]) -> None:
        known = table_schema(name)
        self._lake = lake
        self._name = name
        self._schema = pa.schema([_compact(known.field(column)) for column in columns])
        self._versions: dict[str, object] = {}
        self._parts: dict[str, pa.Table] = {}
        self._whole = self._schema.empty_table()
        self._lock = threading.Lock()

    def current(self) -> pa.Table:
        with self._lock:
            # Before reading: a partition that is newer than its version is only read again.
            versions = self._lake.versions(self._name)
            if versions != self._versions:
                self._parts = {name: self._part(name, versions[name]) for name in sorted(versions)}
                self._versions = versions
                self._whole = pa.concat_tables([self._schema.empty_table(), *self._parts.values()])
            return self._whole

    def _part(self, institution: str, version: object) -> pa.Table:
        if self._versions.get(institution) == version:
            return self._parts[institution]
        place = self._lake.location_of(self._name, institution)
        with self._lake.open(self._name, institution) as file, self._lake.explained(place):
            # Taken away since it was listed: the next listing tells.
            if file is None:
                return self._schema.empty_table()
            there = set(file.schema_arrow.names)
            read = file.read(columns=[name for name in self._schema.names if name in there])
        # A partition that was written earlier may lack a column of today.
        columns = [
            read[field.name].cast(field.type)
            if field.name in there
            else pa.nulls(read.num_rows, field.type)
            for field in self._schema
        ]
        return pa.Table.from_arrays(columns, schema=self._schema)


def _compact(field: pa.Field) -> pa.Field:
    """The field with each value kept once, where a few values fill the column."""
    return field.with_type(_FEW) if field.name in _REPEATING else field
