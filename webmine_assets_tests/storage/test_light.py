"""Light columns in memory, in step with the lake."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from webmine_assets.errors import StorageError
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.light import LightLake
from webmine_assets_tests.factories import ledger_row, snapshot

COLUMNS = {"page_snapshots": ("institution", "url", "title"), "url_ledger": ("institution", "url")}
URLS = "select institution, url from page_snapshots order by institution, url"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    lake.prepare()
    lake.write("page_snapshots", "u1", [snapshot()])
    return lake


@pytest.fixture
def light(lake: Lake) -> Iterator[LightLake]:
    light = LightLake(lake, COLUMNS)
    yield light
    light.close()


def urls(light: LightLake) -> list[str]:
    return [row["url"] for row in light.ask(URLS)]


def test_an_empty_lake_has_columns(tmp_path: Path) -> None:
    assert LightLake(Lake(str(tmp_path / "none")), COLUMNS).ask(URLS) == []


def test_each_publication_is_seen_by_the_next_question(lake: Lake, light: LightLake) -> None:
    assert urls(light) == ["https://u1.edu/"]
    lake.write("page_snapshots", "u1", [snapshot(), snapshot("https://u1.edu/b")])
    assert urls(light) == ["https://u1.edu/", "https://u1.edu/b"]
    lake.write("page_snapshots", "u2", [snapshot("https://u2.edu/", institution="u2")])
    assert urls(light) == ["https://u1.edu/", "https://u1.edu/b", "https://u2.edu/"]
    lake.remove("page_snapshots", "u1")
    assert urls(light) == ["https://u2.edu/"]


def test_a_partition_that_did_not_change_is_not_read_again(lake: Lake, light: LightLake) -> None:
    light.refresh()
    path = Path(lake.path_of("page_snapshots", "u1"))
    status = path.stat()
    # Not a Parquet file any more, though nothing tells: whoever reads it fails.
    path.write_bytes(b"x" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    lake.write("page_snapshots", "u2", [snapshot("https://u2.edu/", institution="u2")])
    assert urls(light) == ["https://u1.edu/", "https://u2.edu/"]


def test_a_damaged_partition_is_named_and_does_no_harm_for_ever(
    lake: Lake, light: LightLake
) -> None:
    path = Path(lake.path_of("page_snapshots", "u2"))
    path.parent.mkdir()
    path.write_bytes(b"no parquet")
    with pytest.raises(StorageError, match=r"institution=u2/part-0\.parquet cannot be read"):
        urls(light)
    path.unlink()
    assert urls(light) == ["https://u1.edu/"]


def test_only_the_tables_of_a_question_are_read(lake: Lake, light: LightLake) -> None:
    path = Path(lake.path_of("url_ledger", "u1"))
    path.parent.mkdir()
    path.write_bytes(b"no parquet")
    assert urls(light) == ["https://u1.edu/"]


def test_a_partition_of_earlier_columns_has_nothing_in_the_new_ones(
    lake: Lake, light: LightLake
) -> None:
    path = Path(lake.path_of("page_snapshots", "old"))
    path.parent.mkdir()
    pq.write_table(pa.table({"institution": ["old"], "url": ["https://old.edu/"]}), path)
    assert light.ask("select url, title from page_snapshots where institution = ?", ["old"]) == [
        {"url": "https://old.edu/", "title": None}
    ]


def test_a_wrong_question_of_our_own_is_no_query_error(light: LightLake) -> None:
    with pytest.raises(duckdb.BinderException, match="body"):
        light.ask("select body from page_snapshots")


def test_a_table_is_read_where_it_is_named_and_not_where_a_longer_word_is(
    lake: Lake, light: LightLake
) -> None:
    path = Path(lake.path_of("url_ledger", "u1"))
    path.parent.mkdir()
    path.write_bytes(b"no parquet")
    assert light.ask("select count(*) as url_ledgers from page_snapshots") == [{"url_ledgers": 1}]
    with pytest.raises(StorageError):
        light.ask("select count(*) from url_ledger")


class VanishingLake(Lake):
    """One whose partitions are gone when they are opened, as another process may take them away."""

    def versions(self, table: str) -> dict[str, object]:
        found = super().versions(table)
        for institution in found:
            self.remove(table, institution)
        return found


def test_a_partition_that_goes_while_it_is_read_has_no_rows(tmp_path: Path) -> None:
    lake = VanishingLake(str(tmp_path / "lake"))
    lake.write("page_snapshots", "u1", [snapshot()])
    light = LightLake(lake, COLUMNS)
    assert urls(light) == []
    lake.write("page_snapshots", "u1", [snapshot()])
    assert urls(light) == []
    light.close()


def test_files_cannot_be_asked(light: LightLake, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n", "utf-8")
    with pytest.raises(duckdb.PermissionException):
        light.ask(f"from '{tmp_path}/a.csv'")


def test_threads_ask_while_partitions_change(lake: Lake, light: LightLake) -> None:
    counts: list[int] = []

    def ask() -> None:
        counts.extend(len(urls(light)) for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(2, 6):
        name = f"u{number}"
        lake.write("page_snapshots", name, [snapshot(f"https://{name}.edu/", institution=name)])
    for thread in threads:
        thread.join()
    assert len(counts) == 40
    assert set(counts) <= {1, 2, 3, 4, 5}
    assert len(urls(light)) == 5


def test_a_lake_elsewhere_is_followed_too() -> None:
    lake = Lake("memory://light")
    light = LightLake(lake, COLUMNS)
    lake.write("url_ledger", "u1", [ledger_row()])
    assert light.ask("select count(*) as n from url_ledger") == [{"n": 1}]
    lake.write("url_ledger", "u1", [])
    assert light.ask("select count(*) as n from url_ledger") == [{"n": 0}]
    light.close()


def test_closing_waits_for_a_question_under_way(lake: Lake) -> None:
    light = LightLake(lake, COLUMNS)
    answers: list[int] = []
    sql = "select count(*) as n from range(200000000) numbers(n), page_snapshots where n % 7 = 1"
    asking = threading.Thread(target=lambda: answers.append(light.ask(sql)[0]["n"]))
    asking.start()
    while not light.is_answering:
        pass
    light.close()
    asking.join()
    assert len(answers) == 1
