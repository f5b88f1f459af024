"""The guarded warehouse reads the lake and nothing else."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from webmine_assets.errors import QueryError, QueryMemoryError
from webmine_assets.storage.guarded import GuardedWarehouse, open_guarded
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import snapshot


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    lake = Lake(str(tmp_path / "lake"))
    lake.write("page_snapshots", "u1", [snapshot()])
    return lake


@pytest.fixture
def warehouse(lake: Lake) -> Iterator[GuardedWarehouse]:
    with open_guarded(lake) as warehouse:
        yield warehouse


def freely(warehouse: GuardedWarehouse, sql: str) -> list[tuple[object, ...]]:
    table = warehouse.ask_freely(sql, timeout_s=5, max_rows=10).table
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_questions_are_answered(warehouse: GuardedWarehouse) -> None:
    assert freely(warehouse, "select count(*) from page_snapshots") == [(1,)]
    assert len(freely(warehouse, "show tables")) == 10
    assert freely(warehouse, "select url from page_snapshots where institution = 'u1'") == [
        ("https://u1.edu/",)
    ]


def test_new_partitions_are_seen_at_once(lake: Lake, warehouse: GuardedWarehouse) -> None:
    lake.write("page_snapshots", "u2", [snapshot(institution="u2"), snapshot("https://u2.edu/b")])
    assert freely(warehouse, "select count(*) from page_snapshots") == [(3,)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('{folder}/secret.txt')",
        "select * from read_csv('{folder}/lake/../secret.txt')",
        "select * from '{folder}/secret.txt'",
        "select * from glob('{folder}/*')",
        "select * from read_parquet('https://example.org/a.parquet')",
        "select * from read_blob('{folder}/secret.txt')",
        "select * from parquet_metadata('{folder}/secret.txt')",
        "select * from sniff_csv('{folder}/secret.txt')",
        "select * from read_json('http://127.0.0.1:9/')",
        "select * from sqlite_scan('{folder}/secret.txt', 't')",
        "select * from query_table('{folder}/secret.txt')",
        "select * from duckdb_secrets()",
        "select getenv('HOME')",
        "from enable_logging()",
        "load json",
        "export database '{folder}/lake/out'",
        "create macro f() as 1",
        "prepare p as select 1",
        "checkpoint",
        "copy (select 1) to '{folder}/lake/out.csv'",
        "attach '{folder}/lake/other.db'",
        "create table t (a int)",
        "drop view page_snapshots",
        "insert into page_snapshots select * from page_snapshots",
        "set enable_external_access = true",
        "install httpfs",
        "pragma database_list",
        "explain analyze copy (select 1) to '{folder}/lake/out.csv'",
        "with a as (insert into t values (1) returning *) select * from a",
        "from query('copy (select 1) to ''{folder}/lake/out.csv''')",
        "select 1; select 2",
        "",
        "select",
        "select ?",
        "select '" + "x" * 20_000 + "'",
    ],
)
def test_what_is_no_question_about_the_lake_is_refused(
    warehouse: GuardedWarehouse, tmp_path: Path, sql: str
) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(QueryError):
        freely(warehouse, sql.format(folder=tmp_path))
    assert sorted(tmp_path.rglob("*")) == before
    assert freely(warehouse, "select count(*) from page_snapshots") == [(1,)]


def test_an_answer_ends_at_its_limit(warehouse: GuardedWarehouse) -> None:
    whole = warehouse.ask_freely("from range(10)", timeout_s=5, max_rows=10)
    cut = warehouse.ask_freely("from range(5000)", timeout_s=5, max_rows=10)
    assert (whole.table.num_rows, whole.is_cut) == (10, False)
    assert (cut.table.num_rows, cut.is_cut) == (10, True)


def test_an_answer_ends_where_it_gets_too_large(warehouse: GuardedWarehouse) -> None:
    cut = warehouse.ask_freely(
        "select repeat('x', 10000000) from range(5)", timeout_s=20, max_rows=10
    )
    assert (cut.table.num_rows, cut.is_cut) == (3, True)
    with pytest.raises(QueryError, match="one row is larger than 32 MB"):
        warehouse.ask_freely("select repeat('x', 40000000)", timeout_s=20, max_rows=10)


def test_what_needs_too_much_memory_is_told_apart(lake: Lake) -> None:
    with open_guarded(lake, memory_limit="50MB") as small, pytest.raises(QueryMemoryError):
        freely(small, "select list(x) from range(100000000) t(x)")


def test_a_long_question_is_stopped_and_the_next_is_answered(warehouse: GuardedWarehouse) -> None:
    with pytest.raises(QueryError, match=r"longer than 0\.2 s"):
        warehouse.ask_freely(
            "select count(*) from range(100000000) a, range(1000) b", timeout_s=0.2, max_rows=1
        )
    assert freely(warehouse, "select 1") == [(1,)]


def test_threads_ask_at_the_same_time(warehouse: GuardedWarehouse) -> None:
    answers: list[object] = []

    def ask() -> None:
        answers.append(freely(warehouse, "select count(*) from page_snapshots"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[(1,)]] * 8


def test_a_lake_elsewhere_is_guarded_too() -> None:
    lake = Lake("memory://guarded-test")
    lake.write("page_snapshots", "u1", [snapshot()])
    with open_guarded(lake) as warehouse:
        assert freely(warehouse, "select count(*) from page_snapshots") == [(1,)]
        with pytest.raises(QueryError):
            freely(warehouse, "select * from read_text('memory://elsewhere/x')")
