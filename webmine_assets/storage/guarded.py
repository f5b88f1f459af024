"""A long-lived DuckDB connection over the lake that can read the lake and nothing else.

Each question runs on a cursor of its own, so threads may ask at the same time.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from webmine_assets.errors import QueryError
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake

_MAX_SQL_CHARACTERS = 20_000
_BATCH_ROWS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows of an answer; `is_cut` tells that there were more than asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool

    def as_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class GuardedWarehouse:
    """All views of a lake, open for as long as the context it came from."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def ask(
        self, sql: str, parameters: Sequence[Any] = (), *, timeout_s: float = 30
    ) -> list[dict[str, Any]]:
        """The answer to a question of ours as a list of rows."""
        return self._answer(sql, list(parameters), timeout_s=timeout_s, max_rows=None).as_dicts()

    def ask_freely(self, sql: str, *, timeout_s: float, max_rows: int) -> Answer:
        """The answer to SQL that a stranger wrote: one SELECT, within these limits."""
        self._refuse_what_is_no_question(sql)
        return self._answer(sql, [], timeout_s=timeout_s, max_rows=max_rows)

    def _refuse_what_is_no_question(self, sql: str) -> None:
        if len(sql) > _MAX_SQL_CHARACTERS:
            raise QueryError(f"a query has at most {_MAX_SQL_CHARACTERS} characters")
        try:
            statements = self._connection.extract_statements(sql)
        except duckdb.Error as problem:
            raise QueryError(warehouse.explain(problem)) from None
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise QueryError("ask one question with SELECT, DESCRIBE or SHOW")

    def _answer(
        self, sql: str, parameters: list[Any], *, timeout_s: float, max_rows: int | None
    ) -> Answer:
        with contextlib.closing(self._connection.cursor()) as cursor:
            alarm = threading.Timer(timeout_s, cursor.interrupt)
            alarm.start()
            try:
                # A CTE may hold an INSERT and is still a SELECT to the parser.
                cursor.begin()
                relation = cursor.sql(sql, params=parameters)
                if relation is None:
                    raise QueryError("the statement gives no rows; ask with SELECT")
                return _collect(relation.to_arrow_reader(_BATCH_ROWS), max_rows)
            except duckdb.InterruptException:
                raise QueryError(f"the query took longer than {timeout_s:g} s") from None
            except OverflowError:
                # DuckDB's dates reach further than Python's.
                raise QueryError("a date is out of range; cast it to varchar to see it") from None
            except (duckdb.Error, pa.ArrowException) as problem:
                raise QueryError(_explained(problem)) from None
            finally:
                alarm.cancel()


def _collect(batches: pa.RecordBatchReader, max_rows: int | None) -> Answer:
    columns = tuple(batches.schema.names)
    rows: list[tuple[Any, ...]] = []
    for batch in batches:
        rows.extend(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        if max_rows is not None and len(rows) > max_rows:
            return Answer(columns=columns, rows=tuple(rows[:max_rows]), is_cut=True)
    return Answer(columns=columns, rows=tuple(rows), is_cut=False)


def _explained(problem: Exception) -> str:
    return warehouse.explain(problem) if isinstance(problem, duckdb.Error) else str(problem)


@contextlib.contextmanager
def open_guarded(lake: Lake, *, memory_limit: str = "1GB") -> Iterator[GuardedWarehouse]:
    """Views over the lake, after which the connection loses every other file and all settings."""
    with warehouse.connect(lake) as connection:
        root = lake.glob_of("seeds").rsplit("/seeds/", 1)[0]
        connection.execute("set temp_directory = ''")
        connection.execute("set memory_limit = ?", [memory_limit])
        connection.execute("set allowed_directories = ?", [[f"{root}/"]])
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        yield GuardedWarehouse(connection)
