"""The HTTP message inside a record: what is written plainly, and what odd ones give."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.archive.message import (
    dechunk,
    format_message,
    head_size,
    http_head_size,
    one_line,
    parse_fields,
    parse_message,
)

PAGE = b"<html><p>A page of some length.</p></html>"
LIMIT = 1_000_000


def message(body: bytes, *headers: str, status: str = "HTTP/1.1 200 OK") -> tuple[bytes, bytes]:
    return "\r\n".join((status, *headers)).encode() + b"\r\n\r\n", body


@pytest.mark.parametrize(
    ("head", "fields"),
    [
        (b"A: 1\r\nB: 2", {"a": "1", "b": "2"}),
        (b"A: 1\nB: 2", {"a": "1", "b": "2"}),
        (b"a:1\r\nA: 2", {"a": "1, 2"}),
        (b"X-Robots-Tag: bot: none\r\nX-Robots-Tag: all", {"x-robots-tag": "bot: none, , all"}),
        (b"A: one\r\n two\r\n\tthree", {"a": "one two three"}),
        ("A: one\u2028B: two\x0cC: three".encode(), {"a": "one\u2028B: two\x0cC: three"}),
        (b"A:\r\n folded", {"a": "folded"}),
        (b" starts folded\r\nA: 1", {"a": "1"}),
        (b"no colon\r\n: no name\r\nA: 1", {"a": "1"}),
        (b"A: caf\xc3\xa9\r\nB: \xff", {"a": "café", "b": "\ufffd"}),
        (b"", {}),
    ],
)
def test_header_lines_are_read_tolerantly(head: bytes, fields: dict[str, str]) -> None:
    assert parse_fields(head) == fields


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 25),
        (b"HTTP/1.1 200 OK\nA: b\n\nbody", 22),
        (b"HTTP/1.1 200 OK\n\nbody\r\n\r\n", 17),
        (b"HTTP/1.1 200 OK\r\nno end", 0),
        (b"HTTP/1.1 200 OK\r\n" + b"x" * 70_000 + b"\r\n\r\n", 0),
        (b"<html>\r\n\r\n", 0),
        (b"", 0),
    ],
)
def test_the_head_of_a_message_is_found_or_not(data: bytes, size: int) -> None:
    assert http_head_size(data, 0, len(data)) == size


def test_a_request_has_a_head_but_is_no_response() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert head_size(request, 0, len(request)) == len(request)
    assert http_head_size(request, 0, len(request)) == 0


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("HTTP/1.1 200 OK", 200),
        ("HTTP/2 404", 404),
        ("HTTP/1.0 503 HUH?", 503),
        ("HTTP/1.1", None),
        ("HTTP/1.1 OK", None),
        ("HTTP/1.1 20000 OK", None),
        ("HTTP/1.1 ٢٠٠ OK", None),
    ],
)
def test_the_status_is_three_digits_or_unknown(line: str, status: int | None) -> None:
    assert parse_message(*message(PAGE, status=line), LIMIT).status == status


def test_interim_responses_are_passed_over() -> None:
    head, body = message(PAGE, "Content-Type: text/html")
    found = parse_message(b"HTTP/1.1 100 Continue\r\n\r\n", head + body, LIMIT)
    assert (found.status, found.body) == (200, PAGE)
    assert found.headers == {"content-type": "text/html"}
    alone = parse_message(b"HTTP/1.1 100 Continue\r\n\r\n", b"", LIMIT)
    assert (alone.status, alone.body) == (100, b"")
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    assert parse_message(interim, interim * 5_000 + head + body, LIMIT) == found


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        (b"4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n", b"abcdefg"),
        (b"4;name=value\r\nabcd\r\n0\r\nTrailer: x\r\n\r\n", b"abcd"),
        (b"4\nabcd\n0\n\n", b"abcd"),
        (b"4\r\nabcd\r\n8\r\ncut", b"abcdcut"),
        (b"4\r\nabcd\r\nnot a size\r\n", b"abcd"),
        (b"ffffffffffffffff\r\nabcd", b"abcd"),
        (b"-5\r\nabcd", b"-5\r\nabcd"),
        (b"1_0\r\nabcd", b"1_0\r\nabcd"),
        (PAGE, PAGE),
        (b"", b""),
    ],
)
def test_chunks_are_joined_as_far_as_they_go(stored: bytes, body: bytes) -> None:
    assert dechunk(stored) == body


@pytest.mark.parametrize(
    ("coding", "stored", "problem"),
    [
        ("gzip", gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0), None),
        ("gzip", gzip.compress(PAGE, mtime=0) + bytes(512), None),
        ("gzip, identity", gzip.compress(PAGE, mtime=0), None),
        ("GZIP", gzip.compress(PAGE, mtime=0), None),
        ("gzip", gzip.compress(PAGE, mtime=0)[:-5], "ends early"),
        ("deflate", zlib.compress(PAGE)[:-3], "ends early"),
        ("br", brotli.compress(PAGE)[:-1], "ends early"),
        ("zstd", zstandard.compress(PAGE[:9]) + zstandard.compress(PAGE[9:]), None),
        ("gzip", PAGE, "content-encoding gzip"),
        ("zstd", PAGE, "content-encoding zstd"),
        (", ".join(["gzip"] * 6), PAGE, "more than 5 codings"),
    ],
)
def test_a_coded_body_comes_whole_or_says_what_is_wrong(
    coding: str, stored: bytes, problem: str | None
) -> None:
    found = parse_message(*message(stored, f"Content-Encoding: {coding}"), LIMIT)
    assert found.body == PAGE
    assert (found.problem is None) == (problem is None)
    assert problem is None or problem in str(found.problem)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_too_short_to_be_coded_stays(coding: str) -> None:
    found = parse_message(*message(b"x", f"Content-Encoding: {coding}"), LIMIT)
    assert (found.body, found.problem is None) == (b"x", False)


@pytest.mark.parametrize("size", [999, 1000, 1001])
def test_the_limit_holds_for_what_is_unpacked(size: int) -> None:
    stored = gzip.compress(bytes(500)) + gzip.compress(bytes(size - 500))
    found = parse_message(*message(stored, "Content-Encoding: gzip"), 1000)
    assert (found.problem is None) == (size <= 1000)
    assert found.body == (bytes(size) if size <= 1000 else stored)


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "br", "zstd", "x"]))
def test_no_bytes_make_decoding_fail(body: bytes, coding: str) -> None:
    headers = (f"Content-Encoding: {coding}", "Transfer-Encoding: chunked")
    assert isinstance(parse_message(*message(body, *headers), 1000).body, bytes)


@given(st.text(max_size=50))
def test_a_value_never_starts_another_line(value: str) -> None:
    assert len(f"X: {one_line(value)}".splitlines()) == 1


def test_only_true_headers_are_written() -> None:
    headers = {
        "content-length": "7",
        "content-encoding": "br",
        "set-cookie": "secret=1",
        "bad name": "x",
        "x-ok": "a\r\nInjected: b",
        "etag": '"1"',
    }
    block = format_message(PAGE, status=None, content_type="", encoding="utf-8", headers=headers)
    head, _, body = block.partition(b"\r\n\r\n")
    assert body == PAGE
    assert head.decode().splitlines() == [
        "HTTP/1.0 0 HUH?",
        "Content-Type: text/html; charset=utf-8; encoding=utf-8",
        f"Content-Length: {len(PAGE)}",
        "x-ok: a Injected: b",
        'etag: "1"',
    ]


def test_headers_stay_within_what_readers_take() -> None:
    headers = {f"x-{number}": "v" * 1000 for number in range(200)}
    block = format_message(PAGE, status=200, content_type="", encoding=None, headers=headers)
    assert http_head_size(block, 0, len(block)) == len(block) - len(PAGE)
