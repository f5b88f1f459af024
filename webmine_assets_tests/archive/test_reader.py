import gzip
import json
import zlib
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.archive.container import read_records
from webmine_assets.archive.pages import archive_pages
from webmine_assets.archive.reader import ArchivedStory, grouped, read_archive, read_record
from webmine_assets.archive.story import EXTRAS_TYPE, METADATA_TYPE
from webmine_assets.errors import ArchiveError
from webmine_assets_tests.archive.factories import (
    archivable,
    members,
    page,
    response,
    story,
    warc_record,
    write_file,
)
from webmine_assets_tests.factories import NOON

BODY = b"<html><p>caf\xe9</p></html>"
INFO = warc_record("warcinfo", b"software: other\r\n", "WARC-Record-ID: <urn:x:0>")


def read(data: bytes) -> list[ArchivedStory]:
    return list(read_archive(BytesIO(data)))


def test_a_story_comes_back_as_it_was(tmp_path: Path) -> None:
    moment = NOON.replace(microsecond=123456)
    written = story("https://u1.edu/a?b=1", fetched_at=moment)
    [found] = read_archive(write_file(tmp_path, written))
    assert found.page.url == "https://u1.edu/a?b=1"
    assert found.page.body == written.body
    assert found.page.fetched_at == moment
    assert found.page.encoding == "utf-8"
    assert found.page.extras["first_seen_at"] == NOON.isoformat()
    again = found.as_story()
    assert again.metadata_json() == written.metadata_json()


def test_a_story_can_be_archived_again_without_loss(tmp_path: Path) -> None:
    [first] = read_archive(write_file(tmp_path / "a", story()))
    [second] = read_archive(write_file(tmp_path / "b", first.as_story()))
    assert second.as_story() == first.as_story()


def test_a_media_cloud_file_gives_its_stories() -> None:
    metadata = {
        "rss_entry": {"link": "http://n.org/r", "file_name": "2024-01-01.rss", "title": "T"},
        "http_metadata": {"response_code": 200, "fetch_timestamp": 1.5, "encoding": "latin-1"},
        "content_metadata": {"url": "http://n.org/", "is_homepage": False, "language": "en"},
        "rabbitmq_headers": {"x-mc-try": 1},
    }
    about = warc_record(
        "metadata",
        json.dumps(metadata).encode(),
        "WARC-Refers-To: <urn:x:1>",
        "Content-Type: application/x.mediacloud-indexer+json",
    )
    [found] = read(members(INFO, response("http://n.org/", BODY), about))
    assert found.has_metadata
    assert found.page.rss_entry.via == "2024-01-01.rss"
    assert found.content_metadata.language == "en"
    assert found.page.fetched_at
    assert found.page.fetched_at.timestamp() == 1.5


@pytest.mark.parametrize("version", ["0.18", "1.0", "1.1"])
@pytest.mark.parametrize("packed", ["members", "plain", "one member"])
def test_any_packing_and_version_is_read(version: str, packed: str) -> None:
    records = [INFO]
    for number in range(3):
        url = f"http://n.org/{number}"
        records.append(response(url, BODY, record_id=f"<urn:x:{number}>", version=version))
    whole = b"".join(records)
    packs = {"members": members(*records), "plain": whole, "one member": gzip.compress(whole)}
    found = read(packs[packed])
    assert [each.page.url for each in found] == [f"http://n.org/{n}" for n in range(3)]
    assert {each.page.body for each in found} == {BODY}
    assert {each.page.encoding for each in found} == {"latin-1"}
    assert not any(each.has_metadata for each in found)


def chunked(body: bytes) -> bytes:
    return b"%x;ext=1\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n" % (4, body[:4], len(body) - 4, body[4:])


RAW_DEFLATE = zlib.compressobj(wbits=-15)
CODINGS = [
    ("gzip", gzip.compress(BODY, mtime=0)),
    ("x-gzip", gzip.compress(BODY, mtime=0)),
    ("deflate", zlib.compress(BODY)),
    ("deflate", RAW_DEFLATE.compress(BODY) + RAW_DEFLATE.flush()),
    ("br", brotli.compress(BODY)),
    ("zstd", zstandard.compress(BODY)),
    ("identity", BODY),
    ("br, gzip", gzip.compress(brotli.compress(BODY), mtime=0)),
]


@pytest.mark.parametrize(("coding", "stored"), CODINGS)
@pytest.mark.parametrize("is_chunked", [False, True])
def test_coding_is_undone(coding: str, stored: bytes, is_chunked: bool) -> None:
    headers = [f"Content-Encoding: {coding}"]
    if is_chunked:
        headers.append("Transfer-Encoding: chunked")
    body = chunked(stored) if is_chunked else stored
    [found] = read(response("http://n.org/", body, *headers))
    assert found.page.body == BODY
    assert found.page.problem is None


@pytest.mark.parametrize(
    ("headers", "stored", "problem"),
    [
        (["Content-Encoding: gzip"], BODY, "content-encoding gzip"),
        (["Content-Encoding: rot13"], BODY, "unknown coding"),
        (["Transfer-Encoding: chunked"], BODY, None),
    ],
)
def test_a_body_that_is_not_as_declared_stays_as_it_is(
    headers: list[str], stored: bytes, problem: str | None
) -> None:
    [found] = read(response("http://n.org/", stored, *headers))
    assert found.page.body == stored
    assert (problem is None) == (found.page.problem is None)
    assert problem is None or problem in str(found.page.problem)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_a_bomb_is_not_unpacked(coding: str) -> None:
    big = bytes(2_000_000)
    pack = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstandard.compress}
    stored = pack.get(coding, zlib.compress)(big)
    data = BytesIO(response("http://n.org/", stored, f"Content-Encoding: {coding}"))
    [found] = read_archive(data, max_body_bytes=1_000_000)
    assert found.page.body == stored
    assert "more bytes than allowed" in str(found.page.problem)


def test_a_record_over_the_limit_is_passed_over() -> None:
    data = response("http://n.org/big", bytes(5000)) + response("http://n.org/small", b"x")
    big, small = read_archive(BytesIO(data), max_body_bytes=1000)
    assert big.page.body == b""
    assert "larger than" in str(big.page.problem)
    assert small.page.body == b"x"


def test_other_records_are_passed_over_and_resources_taken() -> None:
    resource = warc_record(
        "resource", b"%PDF-", "WARC-Target-URI: <http://n.org/f>", "Content-Type: application/pdf"
    )
    request = warc_record("request", b"GET / HTTP/1.1\r\n\r\n", "WARC-Target-URI: http://n.org/")
    revisit = warc_record("revisit", b"HTTP/1.1 200 OK\r\n\r\n", "WARC-Target-URI: http://n.org/")
    [found] = read(members(INFO, request, revisit, resource))
    assert (found.page.url, found.page.content_type) == ("http://n.org/f", "application/pdf")


def test_of_many_metadata_records_the_first_of_each_known_type_is_kept() -> None:
    def about(kind: str, block: bytes) -> bytes:
        return warc_record("metadata", block, "WARC-Refers-To: <urn:x:1>", f"Content-Type: {kind}")

    records = [response("http://n.org/", b"x"), about("text/plain", b"theirs")]
    for number in (1, 2):
        entry = {"rss_entry": {"title": f"title {number}"}}
        records.append(about(METADATA_TYPE, json.dumps(entry).encode()))
        records.append(about(EXTRAS_TYPE, json.dumps({"number": number}).encode()))
    [(_, kept)] = grouped(read_records(BytesIO(b"".join(records)), "x"))
    assert set(kept) == {METADATA_TYPE, EXTRAS_TYPE}
    [found] = read(b"".join(records))
    assert (found.page.rss_entry.title, found.page.extras) == ("title 1", {"number": 1})


def three_members() -> list[bytes]:
    return [members(response(f"http://n.org/{n}", BODY * 50)) for n in range(3)]


@pytest.mark.parametrize("cut", [1, 12, 40, -1])
def test_a_truncated_file_gives_what_is_whole_and_the_offset(cut: int) -> None:
    one, two, three = three_members()
    stories = read_archive(BytesIO(one + two + three[:cut]), name="cut.warc.gz")
    assert [next(stories).page.url, next(stories).page.url] == ["http://n.org/0", "http://n.org/1"]
    with pytest.raises(ArchiveError) as caught:
        next(stories)
    assert caught.value.offset == len(one + two)
    assert "cut.warc.gz" in str(caught.value)


def test_a_damaged_member_gives_what_is_before_it_and_the_offset() -> None:
    one, two, three = three_members()
    spoilt = bytearray(two)
    spoilt[len(two) // 2] ^= 0xFF
    stories = read_archive(BytesIO(one + bytes(spoilt) + three))
    assert next(stories).page.url == "http://n.org/0"
    with pytest.raises(ArchiveError) as caught:
        next(stories)
    assert caught.value.offset == len(one)


def test_a_truncated_plain_file_gives_the_offset_of_the_cut_record() -> None:
    one, two = response("http://n.org/0", BODY), response("http://n.org/1", BODY)
    stories = read_archive(BytesIO(one + two[:-20]))
    assert next(stories).page.url == "http://n.org/0"
    with pytest.raises(ArchiveError) as caught:
        next(stories)
    assert caught.value.offset == len(one)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<html>not an archive</html>", "not a WARC record"),
        (b"filedesc://x.arc 0.0.0.0 2008 text/plain 1\n", "ARC file"),
        (b"\x28\xb5\x2f\xfd....", "zstandard"),
        (b"WARC/1.0\r\nContent-Length: many\r\n\r\n", "Content-Length"),
        (b"WARC/1.0\r\nContent-Length: -5\r\n\r\n", "Content-Length"),
        (b"WARC/1.0\r\n" + b"x: y\r\n" * 30_000, "without an end"),
        (b"WA", "ends inside"),
    ],
)
def test_what_is_not_an_archive_says_so(data: bytes, message: str) -> None:
    with pytest.raises(ArchiveError, match=message):
        read(data)


def test_an_empty_file_has_no_stories() -> None:
    assert read(b"") == []


def test_a_missing_file_is_an_archive_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="No such file"):
        list(read_archive(tmp_path / "none.warc.gz"))


@given(st.binary(max_size=300), st.integers(0, 3))
def test_no_bytes_make_the_reader_fail_otherwise(data: bytes, form: int) -> None:
    head = response("http://n.org/", b"x")
    forms = (data, head + data, gzip.compress(data), members(head, data) + data)
    with suppress(ArchiveError):
        read(forms[form])


def test_a_body_is_found_by_its_row(tmp_path: Path) -> None:
    pages = [page(number) for number in range(5)]
    rows = list(archive_pages(map(archivable, pages), previous=[], folder=tmp_path))
    assert [read_record(tmp_path, row) for row in rows] == [each.body for each in pages]


def test_a_row_that_lies_is_refused(tmp_path: Path) -> None:
    one, two = archive_pages(map(archivable, [page(1), page(2)]), previous=[], folder=tmp_path)
    (tmp_path.parent / "secret").write_text("x")
    lies = [
        replace(one, offset=two.offset, length=two.length),
        replace(one, offset=one.offset + 1),
        replace(one, length=10),
        replace(one, offset=10**9),
        replace(one, file="../secret"),
        replace(one, file="gone.warc.gz"),
    ]
    for row in lies:
        with pytest.raises(ArchiveError):
            read_record(tmp_path, row)
