"""Records as such: dates, digests, lengths that lie, and memory that stays bounded."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.archive.container import (
    WarcRecord,
    format_date,
    format_record,
    parse_date,
    read_records,
    sha1_digest,
)
from webmine_assets.errors import ArchiveError
from webmine_assets_tests.archive.factories import members, response, warc_record

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2020-02-03T04:05:06Z", datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("2020-02-03T04:05:06.123456789Z", datetime(2020, 2, 3, 4, 5, 6, 123456, tzinfo=UTC)),
        ("2020-02-03T04:05:06+02:00", datetime(2020, 2, 3, 2, 5, 6, tzinfo=UTC)),
        (" 2020-02-03T04:05:06 ", datetime(2020, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("2020-02-03", datetime(2020, 2, 3, tzinfo=UTC)),
        ("9999-12-31T23:59:59-12:00", None),
        ("0001-01-01T00:00:00+12:00", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_both_versions_are_read(value: str, moment: datetime | None) -> None:
    assert parse_date(value) == moment


def test_a_date_is_written_in_utc_to_the_second() -> None:
    east = timezone(timedelta(hours=5))
    moment = datetime(2026, 3, 4, 2, 3, 4, 999_999, tzinfo=east)
    assert format_date(moment) == "2026-03-03T21:03:04Z"
    assert format_date(datetime(99, 3, 4, tzinfo=UTC)) == "0099-03-04T00:00:00Z"


def test_digests_are_sha1_in_base_32() -> None:
    assert sha1_digest(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def read(data: bytes, **options: int) -> list[WarcRecord]:
    return list(read_records(BytesIO(data), "x.warc", **options))


@given(st.binary(max_size=300), st.text(max_size=40))
def test_any_block_and_value_comes_back(block: bytes, value: str) -> None:
    record = format_record([("WARC-Type", "resource"), ("X-Note", value)], block)
    [found] = read(record)
    assert found.block == block
    assert found.headers["x-note"].split() == value.encode("utf-8", "replace").decode().split()


@pytest.mark.parametrize("length", ["", "-1", "+5", "5 5", "1e3", "0x10", "٥", "9" * 16])
def test_a_length_that_is_no_number_is_damage_with_its_offset(length: str) -> None:
    whole = response("http://n.org/", b"x")
    lie = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %s\r\n\r\n" % length.encode()
    records = read_records(BytesIO(whole + lie), "x.warc")
    assert next(records).target_uri == "http://n.org/"
    with pytest.raises(ArchiveError, match="Content-Length") as caught:
        next(records)
    assert caught.value.offset == len(whole)


@pytest.mark.parametrize(
    ("change", "message"),
    [(+1_000, "ends inside"), (+(10**14), "ends inside"), (-10, "not a WARC record")],
)
def test_a_length_that_lies_is_damage(change: int, message: str) -> None:
    block = b"x" * 50
    record = warc_record("resource", block)
    size = b"Content-Length: %d" % (len(block) + change)
    with pytest.raises(ArchiveError, match=message):
        read(record.replace(b"Content-Length: 50", size))


@pytest.mark.parametrize(
    "kind", ["request", "revisit", "conversion", "continuation", "metadata", "anything"]
)
def test_records_of_every_kind_are_given(kind: str) -> None:
    [record] = read(warc_record(kind, b"block", "WARC-Target-URI: <http://n.org/>"))
    assert (record.kind, record.block, record.target_uri) == (kind, b"block", "http://n.org/")


def test_files_put_one_behind_the_other_are_one_file() -> None:
    one = members(warc_record("warcinfo", b""), response("http://n.org/1", b"1"))
    two = members(warc_record("warcinfo", b""), response("http://n.org/2", b"2"))
    found = [record.target_uri for record in read(one + two + bytes(1_000))]
    assert found == ["", "http://n.org/1", "", "http://n.org/2"]


@pytest.mark.parametrize(
    ("tail", "message"),
    [(b"garbage that follows", "gzip member"), (response("http://n.org/2", b"2"), "gzip member")],
)
def test_what_follows_the_last_member_is_told(tail: bytes, message: str) -> None:
    whole = members(response("http://n.org/", b"x"))
    records = read_records(BytesIO(whole + tail), "x.warc.gz")
    assert next(records).offset == 0
    with pytest.raises(ArchiveError, match=message) as caught:
        next(records)
    assert caught.value.offset == len(whole)


def endless_header() -> Iterator[bytes]:
    yield b"WARC/1.0\r\n"
    for _ in range(200):
        yield b"x-name: value\r\n" * 20_000


def endless_blanks() -> Iterator[bytes]:
    for _ in range(60):
        yield b"\r\n" * 500_000
    yield response("http://n.org/", b"x")


def huge_record() -> Iterator[bytes]:
    head, _, _ = warc_record("response", b"").partition(b"Content-Length")
    yield head + b"Content-Length: 100000000\r\n\r\n"
    for _ in range(100):
        yield bytes(MEGABYTE)
    yield b"\r\n\r\n"


def packed(parts: Iterator[bytes], path: Path) -> Path:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    with path.open("wb") as file:
        for part in parts:
            file.write(packer.compress(part))
        file.write(packer.flush())
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "records", "problem"),
    [
        (endless_header, 0, "without an end"),
        (endless_blanks, 1, None),
        (huge_record, 1, None),
    ],
)
def test_a_bomb_is_read_in_bounded_memory(
    tmp_path: Path,
    parts: Callable[[], Iterator[bytes]],
    records: int,
    problem: str | None,
) -> None:
    path = packed(parts(), tmp_path / "bomb.warc.gz")
    found, told = 0, None
    tracemalloc.start()
    try:
        with path.open("rb") as stream:
            for record in read_records(stream, "bomb", max_block_bytes=5 * MEGABYTE):
                found += 1
                assert record.body is None or len(record.body) < 10
    except ArchiveError as damage:
        told = str(damage)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (found, told is None) == (records, problem is None)
    assert problem is None or problem in str(told)
    # Pieces of a megabyte, and the block that the reader frees at once to keep its heap.
    assert peak < 30 * MEGABYTE


def test_many_empty_members_cost_no_stack() -> None:
    data = gzip.compress(b"") * 5_000 + members(response("http://n.org/", b"x"))
    [record] = read(data)
    assert record.offset == len(gzip.compress(b"")) * 5_000
