import errno
import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from webmine_assets.errors import StorageError
from webmine_assets.records import TABLES, LedgerRow, PageSnapshot
from webmine_assets.storage.explained import explained
from webmine_assets.storage.finder import finding
from webmine_assets.storage.lake import EMPTY, Lake, write_parquet
from webmine_assets_tests.factories import ledger_row, snapshot


@pytest.fixture(params=["local", "memory"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    if request.param == "local":
        return Lake(str(tmp_path / "lake"))
    return Lake(f"memory://{uuid.uuid4().hex}/lake")


def urls(lake: Lake, institution: str = "u1") -> list[str]:
    return [row.url for row in lake.read(PageSnapshot, "page_snapshots", institution)]


def test_published_rows_are_read_back_in_their_order(lake: Lake) -> None:
    rows = [snapshot(f"https://u1.edu/{n}") for n in range(100)]
    written = lake.write("page_snapshots", "u1", rows)
    assert (written.rows, written.table) == (100, "page_snapshots")
    assert list(lake.read(PageSnapshot, "page_snapshots", "u1")) == rows
    assert lake.count("page_snapshots", "u1") == 100
    assert lake.institutions("page_snapshots") == ["u1"]


def test_nothing_is_seen_before_publication_and_all_of_it_after(lake: Lake) -> None:
    lake.write("page_snapshots", "u1", [snapshot("https://u1.edu/old")])
    with lake.writer("page_snapshots", "u1") as writer:
        writer.add(snapshot("https://u1.edu/new"))
        assert urls(lake) == ["https://u1.edu/old"]
        writer.publish()
    assert urls(lake) == ["https://u1.edu/new"]


def test_a_failed_write_leaves_the_old_partition_and_no_rubbish(lake: Lake) -> None:
    lake.write("page_snapshots", "u1", [snapshot("https://u1.edu/old")])
    with pytest.raises(RuntimeError):
        lake.write("page_snapshots", "u1", _failing(snapshot("https://u1.edu/new")))
    assert urls(lake) == ["https://u1.edu/old"]
    assert lake.fs.ls(f"{lake.root}/.aside") == []


def test_a_reader_keeps_the_partition_it_opened(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("url_ledger", "u1", [ledger_row(f"https://u1.edu/{n}") for n in range(10)])
    reader = lake.read(LedgerRow, "url_ledger", "u1", size=2)
    first = next(reader)
    lake.write("url_ledger", "u1", [ledger_row("https://u1.edu/other")])
    assert [first.url, *(row.url for row in reader)] == [f"https://u1.edu/{n}" for n in range(10)]


def test_large_bodies_are_split_into_row_groups(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    body = bytes(range(256)) * 40_000
    rows = (snapshot(f"https://u1.edu/{n}", body=body) for n in range(8))
    written = lake.write("page_snapshots", "u1", rows)
    assert pq.ParquetFile(written.path).num_row_groups >= 2


def test_preparing_gives_every_table_an_empty_partition_once(lake: Lake) -> None:
    lake.prepare()
    assert all(lake.has(table, EMPTY) for table in TABLES)
    assert all(lake.institutions(table) == [] for table in TABLES)
    lake.prepare()


def test_removing_a_partition_that_is_not_there_is_no_error(lake: Lake) -> None:
    lake.remove("seeds", "nobody")
    assert lake.count("seeds", "nobody") == 0


@pytest.mark.parametrize("url", ["nosuch://place/lake", "s3//"])
def test_a_lake_that_cannot_be_opened_says_which(url: str, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    target = url if "://" in url else str(blocked / "lake")
    with pytest.raises(StorageError, match="lake"):
        Lake(target).prepare()


def test_a_damaged_file_is_a_clear_error(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    written = lake.write("seeds", "u1", [])
    Path(written.path).write_bytes(b"not parquet at all")
    with pytest.raises(StorageError, match="cannot be read"):
        lake.count("seeds", "u1")


def test_damage_inside_a_file_names_the_file(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    path = Path(lake.write("url_ledger", "u1", [ledger_row()] * 50).path)
    data = bytearray(path.read_bytes())
    # The first pages of columns stand behind the four bytes that a Parquet file begins with.
    data[4:400] = bytes(396)
    path.write_bytes(data)
    with pytest.raises(StorageError, match=r"institution=u1/part-0\.parquet cannot be read"):
        list(lake.batches("url_ledger", "u1"))


def test_publishing_while_others_read_never_shows_a_half(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("url_ledger", "u1", [ledger_row()] * 50)
    seen: set[int] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(lake.count("url_ledger", "u1"))

    reader = threading.Thread(target=read)
    reader.start()
    for size in (10, 50) * 20:
        lake.write("url_ledger", "u1", [ledger_row()] * size)
    stop.set()
    reader.join()
    assert seen <= {10, 50}


def test_rows_are_found_by_key_in_any_order(lake: Lake) -> None:
    lake.write("page_snapshots", "u1", [snapshot(f"https://u1.edu/{n}") for n in range(5)])
    with finding(lake, "page_snapshots", "u1", key="url") as finder:
        assert finder.find("https://u1.edu/3").url == "https://u1.edu/3"
        assert finder.find("https://u1.edu/1").url == "https://u1.edu/1"
        assert finder.find("https://u1.edu/9") is None
    with finding(lake, "page_snapshots", "nobody") as finder:
        assert finder.find_all("x") == []


def test_one_file_is_written_aside_and_renamed(tmp_path: Path) -> None:
    path = tmp_path / "out" / "url_ledger.parquet"
    assert write_parquet(path, LedgerRow, [ledger_row()]) == 1
    assert [entry.name for entry in path.parent.iterdir()] == ["url_ledger.parquet"]
    with pytest.raises(RuntimeError):
        write_parquet(path, LedgerRow, _failing(ledger_row()))
    assert pq.read_table(path).num_rows == 1


def _failing(row: object) -> Iterator[object]:
    yield row
    raise RuntimeError


def test_a_note_stays_with_the_partition_it_was_published_with(lake: Lake) -> None:
    assert lake.note("url_ledger", "u1") == {}
    written = lake.write("url_ledger", "u1", [ledger_row("https://u1.edu/")], note={"crawl": "1"})
    assert lake.note("url_ledger", "u1") == {"crawl": "1"}
    assert lake.published("url_ledger", "u1") == written
    lake.write("url_ledger", "u1", [])
    assert lake.note("url_ledger", "u1") == {}


def test_files_that_killed_processes_left_are_swept_after_a_day(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    aside = tmp_path / ".aside"
    aside.mkdir()
    for name, age_hours in (("old.parquet", 25), ("new.parquet", 23)):
        (aside / name).write_bytes(b"half")
        then = time.time() - age_hours * 3600
        os.utime(aside / name, (then, then))
    lake.prepare()
    assert [path.name for path in aside.iterdir()] == ["new.parquet"]


@pytest.mark.parametrize(
    "problem",
    [
        PermissionError(errno.EACCES, "Permission denied", "/data/lake/x"),
        OSError(errno.EROFS, "Read-only file system", "/data/lake/x"),
    ],
)
def test_what_the_system_refuses_names_the_path(problem: OSError) -> None:
    with pytest.raises(StorageError) as raised, explained("/data/lake"):
        raise problem
    assert str(raised.value).startswith(
        f"the lake at /data/lake cannot be used: /data/lake/x: {problem.strerror}; change"
    )


class NoAnswerError(Exception):
    """An object store's own error: no OSError, as botocore's are."""


def test_an_object_store_that_does_not_answer_is_one_clear_message() -> None:
    with (
        pytest.raises(StorageError, match=r"s3://bucket/lake cannot be reached: no endpoint"),
        explained("s3://bucket/lake"),
    ):
        raise NoAnswerError("no endpoint")


def test_a_mistake_of_our_own_is_not_blamed_on_the_lake() -> None:
    with pytest.raises(ZeroDivisionError), explained("s3://bucket/lake"):
        raise ZeroDivisionError


def test_an_error_that_is_clear_already_stays_as_it_is() -> None:
    clear = StorageError("the disk is full")
    with pytest.raises(StorageError) as raised, explained("s3://bucket/lake"):
        raise clear
    assert raised.value is clear
