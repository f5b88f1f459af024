import uuid
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from webmine_assets.errors import QueryError, StorageError
from webmine_assets.records import TABLES, Decision, SnapshotMeta
from webmine_assets.storage import warehouse
from webmine_assets.storage.confined import ConfinedWarehouse
from webmine_assets.storage.lake import EMPTY, Lake
from webmine_assets_tests.factories import ledger_row, snapshot


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "it's a lake"))


@pytest.mark.slow
@pytest.mark.parametrize("view", [*TABLES, *warehouse.DERIVED_VIEWS])
def test_an_empty_lake_gives_empty_views_with_columns(lake: Lake, view: str) -> None:
    answer = warehouse.query(lake, f"select * from {view}")
    assert answer.num_rows == 0
    assert "institution" in answer.column_names


def test_views_see_every_institution_and_each_publication(lake: Lake) -> None:
    for name in ("u1", "u2"):
        lake.write("page_snapshots", name, [snapshot(institution=name)])
    counts = "select institution, count(*) as n from page_snapshots group by 1 order by 1"
    assert warehouse.query(lake, counts).to_pylist() == [
        {"institution": "u1", "n": 1},
        {"institution": "u2", "n": 1},
    ]


def test_an_institution_that_looks_like_a_number_stays_text(lake: Lake) -> None:
    lake.write("page_snapshots", "007", [snapshot(institution="007")])
    answer = warehouse.query(lake, "select institution from page_snapshots").to_pylist()
    assert answer == [{"institution": "007"}]


def test_a_lake_elsewhere_is_queried_the_same_way() -> None:
    lake = Lake(f"memory://{uuid.uuid4().hex}/lake")
    lake.write("url_ledger", "u1", [ledger_row(decision=Decision.TRAP)])
    assert warehouse.query(lake, "select decision from ledger_summary").to_pylist() == [
        {"decision": "trap"}
    ]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select * from page_snapshot", "did you mean page_snapshots"),
        ("select * from zebra", "known views: seeds"),
        ("selec 1", "syntax error"),
    ],
)
def test_a_wrong_question_is_answered_with_the_way_out(lake: Lake, sql: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        warehouse.query(lake, sql)


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1" + b"x" * 500 + b"PAR1"])
def test_a_damaged_partition_is_named_to_whoever_asks(
    lake: Lake, tmp_path: Path, content: bytes
) -> None:
    path = Path(lake.write("page_topics", "u1", []).path)
    path.write_bytes(content)
    named = "institution=u1/part-0.parquet.*move the damaged file away"
    file = tmp_path / "webmine.duckdb"
    for _ in range(2):
        assert warehouse.write_warehouse(lake, file) is True
    with duckdb.connect(str(file), read_only=True) as client:
        assert client.sql("select * from metadata_sources").fetchall() == []
    assert warehouse.query(lake, "select count(*) as n from seeds").to_pylist() == [{"n": 0}]
    for sql in ("select 1 from page_topics", "describe PAGE_TOPICS"):
        with pytest.raises(StorageError, match=named):
            warehouse.query(lake, sql)
    [damage] = lake.damaged()
    assert str(path) in str(damage)
    with warehouse.asking_about(lake, "u1") as ask:
        assert ask("select count(*) as n from url_ledger", []) == [{"n": 0}]
        with pytest.raises(StorageError, match=named):
            ask("select * from page_topics", [])
    with warehouse.asking_about(lake, "u2", "u3") as ask:
        assert ask("select * from page_topics", []) == []
    with closing(ConfinedWarehouse(lake.url, processes=1)) as confined:
        count = "select count(*) from page_topics"
        assert confined.ask_freely("select 1", timeout_s=10, max_rows=1).rows == ((1,),)
        with pytest.raises(StorageError, match=named):
            confined.ask_freely(count, timeout_s=10, max_rows=1)
        path.unlink()
        assert confined.ask_freely(count, timeout_s=10, max_rows=1).rows == ((0,),)


def test_a_derived_view_over_a_damaged_file_says_so(lake: Lake) -> None:
    path = Path(lake.write("page_metadata", "u1", []).path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StorageError, match=str(path)):
        warehouse.query(lake, "select * from metadata_sources")


def test_a_damaged_empty_partition_is_written_anew(lake: Lake) -> None:
    lake.prepare()
    Path(lake.path_of("seeds", EMPTY)).write_bytes(b"no parquet")
    assert warehouse.query(lake, "select count(*) as n from seeds").to_pylist() == [{"n": 0}]


def test_damage_inside_a_file_is_no_mistake_of_the_question(lake: Lake) -> None:
    path = Path(lake.write("url_ledger", "u1", [ledger_row()] * 50).path)
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)
    with (
        warehouse.asking_about(lake, "u1") as ask,
        pytest.raises(StorageError, match="u1 in the lake at"),
    ):
        ask("select * from url_ledger", [])


def test_a_mistake_in_a_question_of_our_own_stays_one(lake: Lake) -> None:
    with (
        warehouse.asking_about(lake, "u1") as ask,
        pytest.raises(duckdb.BinderException, match="nothing"),
    ):
        ask("select nothing from url_ledger", [])


def test_the_warehouse_file_opens_read_only_while_partitions_change(
    lake: Lake, tmp_path: Path
) -> None:
    path = tmp_path / "webmine.duckdb"
    assert warehouse.write_warehouse(lake, path) is True
    with duckdb.connect(str(path), read_only=True) as client:
        for n in (1, 3):
            lake.write("url_ledger", "u1", [ledger_row(f"https://u1.edu/{i}") for i in range(n)])
            found = client.sql("select count(*) as n from url_ledger").to_arrow_table()
            assert found.to_pylist() == [{"n": n}]
        assert warehouse.write_warehouse(lake, path) is False


def test_render_log_has_a_row_for_each_refused_request(lake: Lake) -> None:
    log = ("http://10.0.0.1/x blocked_address", "ws://u1.edu/s type_websocket")
    rows = [
        snapshot("https://u1.edu/a", meta=SnapshotMeta(rendered=True, render_log=log)),
        snapshot("https://u1.edu/b"),
    ]
    lake.write("page_snapshots", rows[0].institution, iter(rows))
    asked = "select url, refused_url, reason from render_log order by all"
    assert [tuple(row.values()) for row in warehouse.query(lake, asked).to_pylist()] == [
        ("https://u1.edu/a", "http://10.0.0.1/x", "blocked_address"),
        ("https://u1.edu/a", "ws://u1.edu/s", "type_websocket"),
    ]
