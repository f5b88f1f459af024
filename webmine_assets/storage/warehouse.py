"""DuckDB over the lake: a view per table, in memory for queries and as a small file for others.

The file holds views only, so nothing here ever keeps it open or locked.
"""

import contextlib
import difflib
import itertools
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa

from webmine_assets.errors import QueryError, StorageError
from webmine_assets.records import TABLES
from webmine_assets.storage.lake import EMPTY, Lake
from webmine_assets.storage.schemas import column_docs

DERIVED_VIEWS: dict[str, str] = {
    "metadata_sources": """
        select institution, p.field, p.source, count(*) as pages,
               round(count(*) / sum(count(*)) over (partition by institution, p.field), 3) as share
        from (select institution, unnest(provenance) as p from page_metadata)
        where p.source <> ''
        group by institution, p.field, p.source
        order by institution, p.field, pages desc
    """,
    "render_log": """
        select institution, url, split_part(line, ' ', 1) as refused_url,
               split_part(line, ' ', 2) as reason, meta.render_ms, meta.render_timed_out
        from (select institution, url, meta, unnest(meta.render_log) as line from page_snapshots)
    """,
    "ledger_summary": """
        select institution, decision, reason, count(*) as urls
        from url_ledger group by all order by institution, urls desc
    """,
}
"""Views over views: questions people ask again and again."""


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def view_statements(lake: Lake) -> Iterator[str]:
    """The SQL that makes every view, in an order in which it runs."""
    for table in TABLES:
        yield from _table_statements(lake, table)
    for name in DERIVED_VIEWS:
        yield _derived_statement(name)


def _table_statements(lake: Lake, table: str) -> Iterator[str]:
    yield (
        f"create or replace view {table} as select * from read_parquet("
        f"{_literal(lake.glob_of(table))}, hive_partitioning = true, union_by_name = true, "
        f"hive_types = {{'institution': varchar}})"
    )
    for column, doc in column_docs(table).items():
        if doc:
            yield f"comment on column {table}.{column} is {_literal(doc)}"


def _derived_statement(name: str) -> str:
    return f"create or replace view {name} as {DERIVED_VIEWS[name]}"


Damaged = Mapping[str, StorageError]
"""Views that could not be made, and what is wrong with a file of each."""


def make_views(connection: duckdb.DuckDBPyConnection, lake: Lake) -> Damaged:
    """Make every view that can be made: a damaged file costs the views of its table only."""
    damaged: dict[str, StorageError] = {}
    for table in TABLES:
        try:
            with _damage_explained(f"the lake at {lake.url}"):
                for statement in _table_statements(lake, table):
                    connection.execute(statement)
        except StorageError as problem:
            damaged[table] = problem
    for name, sql in DERIVED_VIEWS.items():
        if without := sorted(named_in(sql) & damaged.keys()):
            damaged[name] = damaged[without[0]]
        else:
            connection.execute(_derived_statement(name))
    return damaged


@contextlib.contextmanager
def connect(lake: Lake) -> Iterator[tuple[duckdb.DuckDBPyConnection, Damaged]]:
    """A private in-memory connection with all views; nothing is locked."""
    with _connection(lake) as connection:
        yield connection, make_views(connection, lake)


@contextlib.contextmanager
def _connection(lake: Lake) -> Iterator[duckdb.DuckDBPyConnection]:
    lake.prepare()
    with contextlib.closing(duckdb.connect(":memory:")) as connection:
        if not lake.is_local:
            connection.register_filesystem(lake.fs)
        yield connection


@contextlib.contextmanager
def _damage_explained(place: str) -> Iterator[None]:
    """What DuckDB says of files that it cannot read, as a StorageError that names the place."""
    try:
        yield
    except duckdb.Error as problem:
        # DuckDB has no class for damage: a bad footer is InvalidInput, which is a ProgrammingError,
        # bad contents are a bare Error or an IOException. What is left is a mistake in our SQL.
        is_input = isinstance(problem, duckdb.InvalidInputException)
        if isinstance(problem, duckdb.ProgrammingError) and not is_input:
            raise
        # The first line names the file, if any does; the others point into SQL nobody typed.
        said = str(problem).partition("\n")[0]
        raise StorageError(
            f"{place} cannot be read: {said}; move the damaged file away to go on without it"
        ) from problem


Ask = Callable[[str, list[Any]], list[dict[str, Any]]]
"""Answers SQL with parameters as a list of rows."""


@contextlib.contextmanager
def asking_about(lake: Lake, *institutions: str) -> Iterator[Ask]:
    """Several small questions about institutions, over one connection that sees no other.

    A view over all of them reads the schema of every file: a cost that grows with the corpus. For
    the same reason a view is made only when a question names its table.
    """
    with _connection(lake) as connection:
        missing = set(TABLES)

        def ask(sql: str, parameters: list[Any]) -> list[dict[str, Any]]:
            with _damage_explained(f"{', '.join(institutions)} in the lake at {lake.url}"):
                for table in sorted(missing & named_in(sql)):
                    connection.execute(_view_of(lake, table, institutions))
                    missing.remove(table)
                return rows_of(connection, sql, parameters)

        yield ask


def named_in(sql: str) -> set[str]:
    """The words of a question of our own: the tables it asks are among them."""
    return set(re.findall(r"\w+", sql))


def rows_of(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: list[Any]
) -> list[dict[str, Any]]:
    """The rows of a question of our own; unlike `answer`, a mistake in it is no QueryError.

    Nobody who typed it could mend it, so it has to show as the mistake of ours that it is.
    """
    return list(connection.sql(sql, params=parameters).to_arrow_table().to_pylist())


def _view_of(lake: Lake, table: str, institutions: Sequence[str]) -> str:
    # The empty partition has the columns of today; one that was written earlier may lack some.
    owners = [EMPTY, *(name for name in institutions if lake.has(table, name))]
    files = ", ".join(_literal(lake.location_of(table, owner)) for owner in owners)
    return (
        f"create view {table} as select * from read_parquet([{files}], hive_partitioning = true, "
        f"union_by_name = true, hive_types = {{'institution': varchar}})"
    )


def query(lake: Lake, sql: str, parameters: list[Any] | None = None) -> pa.Table:
    """The answer to one SQL question over the views, or a QueryError a person can act on."""
    with connect(lake) as (connection, damaged):
        return answer(connection, sql, parameters, damaged)


def query_file(path: Path, table: str, sql: str, parameters: list[Any] | None = None) -> pa.Table:
    """The same over one Parquet file that stands for a table."""
    with contextlib.closing(duckdb.connect(":memory:")) as connection:
        answer(connection, f"select * from read_parquet({_literal(str(path))}) limit 0", None)
        connection.execute(
            f"create view {table} as select * from read_parquet({_literal(str(path))})"
        )
        return answer(connection, sql, parameters)


def answer(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    parameters: list[Any] | None,
    damaged: Damaged = MappingProxyType({}),
) -> pa.Table:
    """What a connection answers, or an error a person can act on."""
    try:
        if (count := len(connection.extract_statements(sql))) > 1:
            raise QueryError(f"these are {count} statements; ask one at a time")
        relation = connection.sql(sql, params=parameters)
        if relation is None:
            raise QueryError("the statement gives no rows; ask with SELECT")
        table = relation.to_arrow_table()
        return table.rename_columns(distinct(table.column_names))
    except duckdb.Error as problem:
        raise explained(problem, damaged) from problem


def distinct(names: Sequence[str]) -> list[str]:
    """Each name once, as DuckDB does in a subquery: the second `a` is `a_1`."""
    taken: dict[str, None] = {}
    for name in names:
        numbered = (f"{name}_{number}" for number in itertools.count(1))
        free = (one for one in itertools.chain([name], numbered) if one not in taken)
        taken[next(one for one in free if one == name or one not in names)] = None
    return list(taken)


def explained(problem: duckdb.Error, damaged: Damaged) -> StorageError:
    """What DuckDB said as an error: a view that is missing is misspelt, or a file is damaged."""
    message = str(problem)
    missing = re.search(r"Table with name (\S+) does not exist", message)
    if not missing:
        return QueryError(message)
    if damage := damaged.get(missing[1].lower()):
        return damage
    known = [*TABLES, *DERIVED_VIEWS]
    near = difflib.get_close_matches(missing[1].lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    return QueryError(f"there is no view {missing[1]}: {hint}known views: {', '.join(known)}")


def write_warehouse(lake: Lake, path: Path) -> bool:
    """Make the DuckDB file of views for other clients; False if it was already right.

    A view over a damaged file is not in it, and the next call makes it again.
    Written aside and renamed, so a client that has the old file open keeps it.
    """
    lake.prepare()
    stamp = path.with_name(f".{path.name}.sql")
    wanted = "\n".join(view_statements(lake))
    if path.exists() and stamp.exists() and stamp.read_text("utf-8") == wanted:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Last: without it, or with half of it, the file is only made again.
        if not _write_views(lake, path):
            stamp.write_text(wanted, "utf-8")
    except OSError as problem:
        raise _unwritable(path, problem) from problem
    return True


def _write_views(lake: Lake, path: Path) -> Damaged:
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with contextlib.closing(duckdb.connect(str(aside))) as connection:
            if not lake.is_local:
                connection.register_filesystem(lake.fs)
            damaged = make_views(connection, lake)
        aside.replace(path)
    except duckdb.IOException as problem:
        raise _unwritable(path, problem) from problem
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    return damaged


def _unwritable(path: Path, problem: Exception) -> StorageError:
    said = getattr(problem, "strerror", None) or problem
    return StorageError(
        f"{path} cannot be written: {said}; set WEBMINE_DATA to a folder you can write"
    )
