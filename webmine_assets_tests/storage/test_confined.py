"""SQL that strangers wrote, in processes that can be ended."""

import contextlib
import datetime
import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from webmine_assets.errors import QueryError, QueryMemoryError
from webmine_assets.storage.confined import Answer, ConfinedWarehouse
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import snapshot


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("confined")
    (folder / "secret.txt").write_text("secret", "utf-8")
    Lake(str(folder / "lake")).write("page_snapshots", "u1", [snapshot()])
    return str(folder / "lake")


@pytest.fixture(scope="module")
def warehouse(lake: str) -> Iterator[ConfinedWarehouse]:
    """Shared: a process takes half a second to start, and a test must not harm the next anyway."""
    with closing(ConfinedWarehouse(lake, processes=1)) as warehouse:
        yield warehouse


def asked(warehouse: ConfinedWarehouse, sql: str, timeout_s: float = 20) -> Answer:
    return warehouse.ask_freely(sql, timeout_s=timeout_s, max_rows=10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("select count(*) from page_snapshots", (1,)),
        ("select 1 as a, 2 as a", (1, 2)),
        ("select null, true, 1.5, 'ä', [1], {'a': 1}", (None, True, 1.5, "ä", [1], {"a": 1})),
        ("select date '2026-01-31', 'x'::blob", (datetime.date(2026, 1, 31), b"x")),
    ],
)
def test_answers_keep_their_types(
    warehouse: ConfinedWarehouse, sql: str, row: tuple[object, ...]
) -> None:
    assert asked(warehouse, sql).rows == (row,)


def test_an_answer_names_its_columns_and_says_whether_it_is_cut(
    warehouse: ConfinedWarehouse,
) -> None:
    assert asked(warehouse, "select 1 as one where false") == Answer(
        columns=("one",), rows=(), is_cut=False
    )
    cut = asked(warehouse, "select * from range(11)")
    assert (len(cut.rows), cut.is_cut) == (10, True)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select * from page_snapshot", "did you mean page_snapshots"),
        ("drop view page_snapshots", "ask one question"),
        ("select * from read_text('/etc/hostname')", "Permission Error"),
        ("select date '290000-01-01'", "out of range"),
        ("select error('ünclear')", "ünclear"),
    ],
)
def test_a_refusal_says_why(warehouse: ConfinedWarehouse, sql: str, reason: str) -> None:
    with pytest.raises(QueryError, match=reason):
        asked(warehouse, sql)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "select range(1000000000)",
        "select repeat('x', 2000000000)",
        "select list(x) from range(1000000000) t(x)",
    ],
)
def test_what_eats_memory_ends_and_the_next_question_is_answered(
    warehouse: ConfinedWarehouse, sql: str
) -> None:
    with pytest.raises(QueryMemoryError):
        asked(warehouse, sql, timeout_s=60)
    assert asked(warehouse, "select count(*) from page_snapshots").rows == ((1,),)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from range(1000000000000)",
        "select count(*) from range(100000000) a, range(100000000) b",
        # One step of a query, which DuckDB does not interrupt.
        "select levenshtein(repeat('a', 300000), repeat('b', 300000))",
    ],
)
def test_what_takes_too_long_ends_in_time(warehouse: ConfinedWarehouse, sql: str) -> None:
    asked(warehouse, "select 1")
    start = time.monotonic()
    with pytest.raises(QueryError, match=r"longer than 0\.5 s"):
        asked(warehouse, sql, timeout_s=0.5)
    assert time.monotonic() - start < 8
    assert asked(warehouse, "select 1").rows == ((1,),)


def test_questions_wait_for_a_free_process(warehouse: ConfinedWarehouse) -> None:
    answers: list[Answer] = []
    threads = [
        threading.Thread(target=lambda: answers.append(asked(warehouse, "select 1")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.rows for answer in answers] == [((1,),)] * 4


def test_nothing_runs_before_the_first_question_and_after_the_end(lake: str) -> None:
    before = children()
    warehouse = ConfinedWarehouse(lake)
    assert children() == before
    asked(warehouse, "select 1")
    assert len(children() - before) == 1
    warehouse.close()
    assert children() == before


def children() -> set[str]:
    found: set[str] = set()
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a thread that ended meanwhile
            found.update((task / "children").read_text("ascii").split())
    return found
