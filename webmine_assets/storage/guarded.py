"""Strangers' questions over the lake, on a DuckDB connection that can read nothing else.

Each question runs on a cursor of its own, so threads may ask at the same time.
"""

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

import duckdb
import pyarrow as pa

from webmine_assets.errors import QueryError, QueryMemoryError, StorageError
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake

_MAX_SQL_CHARACTERS = 20_000
# Rows are read so many at a time: this bounds what is read beyond a limit.
_BATCH_ROWS = 1_000
MAX_ANSWER_BYTES = 32_000_000
"""What a stranger's answer may weigh: 500 whole snapshots of 60 kB each fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The rows of an answer that fit the limits; `is_cut` tells that there were more."""

    table: pa.Table
    is_cut: bool


class GuardedWarehouse:
    """All views of a lake, open for as long as the context it came from."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, lake: Lake, damaged: warehouse.Damaged
    ) -> None:
        self._connection = connection
        self._lake = lake
        self._damaged = damaged

    def ask_freely(self, sql: str, *, timeout_s: float, max_rows: int) -> Excerpt:
        """The answer to SQL that a stranger wrote: one SELECT, within these limits.

        DuckDB holds its limits of time and memory only between the steps of a query: call this in
        a process that can be ended, as `confined` does.
        """
        self._refuse_what_is_no_question(sql)
        if self._damaged:
            # Somebody may have moved the damaged file away since.
            self._damaged = warehouse.make_views(self._connection, self._lake)
        return self._answer(sql, timeout_s=timeout_s, max_rows=max_rows)

    def _refuse_what_is_no_question(self, sql: str) -> None:
        if len(sql) > _MAX_SQL_CHARACTERS:
            raise QueryError(f"a query has at most {_MAX_SQL_CHARACTERS} characters")
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as problem:
            raise QueryError(str(problem)) from None
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise QueryError("ask one question with SELECT, DESCRIBE or SHOW")

    def _answer(self, sql: str, *, timeout_s: float, max_rows: int) -> Excerpt:
        with contextlib.closing(self._connection.cursor()) as cursor:
            alarm = threading.Timer(timeout_s, cursor.interrupt)
            alarm.start()
            try:
                # A CTE may hold an INSERT and is still a SELECT to the parser.
                cursor.begin()
                relation = cursor.sql(sql)
                if relation is None:
                    raise QueryError("the statement gives no rows; ask with SELECT")
                return _collect(relation.to_arrow_reader(_BATCH_ROWS), max_rows)
            except duckdb.InterruptException:
                raise QueryError(
                    f"the query took longer than {timeout_s:g} s; ask for less, with where"
                ) from None
            except (duckdb.Error, pa.ArrowException, OSError, MemoryError) as problem:
                # What fails while rows are read comes through Arrow, as an OSError.
                raise _translated(problem, self._damaged) from None
            finally:
                alarm.cancel()


def _collect(batches: pa.RecordBatchReader, max_rows: int) -> Excerpt:
    """Whole batches while they fit, then as many rows of one as still do."""
    kept: list[pa.RecordBatch] = []
    rows, room = 0, MAX_ANSWER_BYTES
    for batch in batches:
        fitting = min(_rows_within(batch, room), max_rows - rows)
        if fitting < batch.num_rows:
            if not rows and not fitting:
                raise QueryError(f"one row is larger than {MAX_ANSWER_BYTES // 10**6} MB")
            kept.append(batch.slice(0, fitting))
            return Excerpt(table=_table(kept, batches.schema), is_cut=True)
        kept.append(batch)
        rows, room = rows + batch.num_rows, room - batch.nbytes
    return Excerpt(table=_table(kept, batches.schema), is_cut=False)


def _rows_within(batch: pa.RecordBatch, room: int) -> int:
    if batch.nbytes <= room:
        return int(batch.num_rows)
    sizes = (batch.slice(row, 1).nbytes for row in range(batch.num_rows))
    return sum(1 for total in accumulate(sizes) if total <= room)


def _table(batches: list[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_batches(batches, schema)


def _translated(problem: Exception, damaged: warehouse.Damaged) -> StorageError:
    if isinstance(problem, MemoryError) or "Out of Memory" in str(problem):
        return QueryMemoryError()
    if isinstance(problem, duckdb.Error):
        return warehouse.explained(problem, damaged)
    return QueryError(str(problem))


@contextlib.contextmanager
def open_guarded(lake: Lake, *, memory_limit: str = "1GB") -> Iterator[GuardedWarehouse]:
    """Views over the lake, after which the connection loses every other file and all settings."""
    with warehouse.connect(lake) as (connection, damaged):
        root = lake.glob_of("seeds").rsplit("/seeds/", 1)[0]
        # The order counts: the folders cannot be named once access is off, and nothing can be set
        # once the configuration is locked.
        # Spilling to disk would write outside the lake; what does not fit is refused.
        connection.execute("set temp_directory = ''")
        connection.execute("set autoinstall_known_extensions = false")
        connection.execute("set autoload_known_extensions = false")
        connection.execute("set memory_limit = ?", [memory_limit])
        connection.execute("set allowed_directories = ?", [[f"{root}/"]])
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield GuardedWarehouse(connection, lake, damaged)
