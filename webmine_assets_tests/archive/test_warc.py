import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.reader import read_archive
from webmine_assets.archive.story import Story
from webmine_assets.archive.warc import ArchiveWriter
from webmine_assets.errors import ArchiveError
from webmine_assets_tests.archive.factories import clock, story, write_file


def tool_passes(tool: str, path: Path) -> bool:
    """What `TOOL check FILE` answers about every digest of every record."""
    command = [Path(sys.executable).parent / tool, "check", path]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


def responses(path: Path) -> list[ArcWarcRecord]:
    """The response records as warcio sees them, their bodies in memory."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                record.raw_stream = BytesIO(record.content_stream().read())
                found.append(record)
    return found


def test_a_file_has_info_then_response_and_metadata_for_each_story(tmp_path: Path) -> None:
    path = write_file(tmp_path, story("https://u1.edu/a"), story("https://u1.edu/b"))
    with path.open("rb") as file:
        records = [
            (r.rec_type, r.rec_headers, r.content_stream().read()) for r in ArchiveIterator(file)
        ]
    kinds = [kind for kind, _, _ in records]
    assert kinds == ["warcinfo", *["response", "metadata", "metadata"] * 2]
    headers = records[2][1]
    assert headers["Content-Type"] == "application/x.mediacloud-indexer+json"
    assert headers["WARC-Refers-To"] == records[1][1]["WARC-Record-ID"]
    assert headers["WARC-Date"] == "2026-03-04T12:00:00Z"
    assert list(json.loads(records[2][2])) == ["rss_entry", "http_metadata", "content_metadata"]
    assert records[1][1].protocol == "WARC/1.0"


def test_the_name_tells_prefix_time_serial_and_host(tmp_path: Path) -> None:
    path = write_file(tmp_path, story())
    assert re.fullmatch(r"mc-20260305060708-\d+-h\.warc\.gz", path.name)


def test_each_flavour_has_files_of_its_own_under_the_prefix(tmp_path: Path) -> None:
    flavours = ["", "csv", "hist2021", "", "hist2020", "csv"]
    stories = [
        replace(story(f"https://u1.edu/{number}"), flavour=flavour)
        for number, flavour in enumerate(flavours)
    ]
    with ArchiveWriter(tmp_path, prefix="our", clock=clock, host="h") as writer:
        places = list(writer.write_all(stories))
    begins = [f"our{flavour}" for flavour in flavours]
    assert [place.file.partition("-")[0] for place in places] == begins
    assert len(writer.finished) == 4
    assert [check_archive(path) for path in writer.finished] == [[]] * 4


def test_files_of_many_years_are_never_all_open_at_once(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, clock=clock, host="h") as writer:
        for year in range(1990, 2025):
            writer.write(replace(story(), flavour=f"hist{year}"))
        assert len(list(tmp_path.glob(".*.part"))) == 20
    assert len(list(tmp_path.glob("mchist*.warc.gz"))) == 35
    assert list(tmp_path.glob(".*.part")) == []


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["warcio", "fastwarc"])
def test_other_tools_find_every_digest_right(tmp_path: Path, tool: str) -> None:
    path = write_file(tmp_path, story(), story("https://u1.edu/x", body=b"", encoding=None))
    assert tool_passes(tool, path)
    assert check_archive(path) == []
    spoilt = gzip.compress(gzip.decompress(path.read_bytes()).replace(b"Some text", b"Sole text"))
    (tmp_path / "spoilt.warc.gz").write_bytes(spoilt)
    assert not tool_passes(tool, tmp_path / "spoilt.warc.gz")


def test_the_http_message_is_what_media_cloud_writes(tmp_path: Path) -> None:
    odd = story(
        "https://u1.edu/x", http_status=404, headers={"content-encoding": "br", "etag": "e"}
    )
    path = write_file(tmp_path, story(), odd)
    with path.open("rb") as file:
        first, second = (r for r in ArchiveIterator(file) if r.rec_type == "response")
    assert first.http_headers.statusline == "200 OK"
    assert second.http_headers.statusline == "404 HUH?"
    kind = first.http_headers.get_header("Content-Type")
    assert kind.startswith("text/html;")
    assert kind.endswith("; encoding=utf-8")
    assert second.http_headers.get_header("Content-Encoding") is None
    assert second.http_headers.get_header("etag") == "e"


def test_a_pdf_keeps_its_type(tmp_path: Path) -> None:
    path = write_file(tmp_path, story(content_type="application/pdf", encoding=None, body=b"%PDF"))
    assert next(read_archive(path)).page.content_type == "application/pdf"


@pytest.mark.parametrize(("count", "sizes"), [(3, [3]), (4, [3, 1]), (7, [3, 3, 1])])
def test_a_full_file_is_followed_by_another(tmp_path: Path, count: int, sizes: list[int]) -> None:
    with ArchiveWriter(tmp_path, max_stories=3, clock=clock, host="h") as writer:
        list(writer.write_all(story(f"https://u1.edu/{n}") for n in range(count)))
    assert [len(list(read_archive(path))) for path in writer.finished] == sizes


@pytest.mark.slow
def test_5001_stories_make_two_files(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, clock=clock, host="h", level=1) as writer:
        list(writer.write_all(story(f"https://u1.edu/{n}") for n in range(5001)))
    assert [len(list(read_archive(path))) for path in writer.finished] == [5000, 1]
    assert [check_archive(path) for path in writer.finished] == [[], []]


def test_an_error_leaves_no_file(tmp_path: Path) -> None:
    def stories() -> Iterator[Story]:
        yield story()
        raise RuntimeError

    with pytest.raises(RuntimeError), ArchiveWriter(tmp_path) as writer:
        list(writer.write_all(stories()))
    assert list(tmp_path.iterdir()) == []


def test_two_writers_never_share_a_name(tmp_path: Path) -> None:
    with ArchiveWriter(tmp_path, clock=clock, host="h") as one:
        one.write(story())
        with ArchiveWriter(tmp_path, clock=clock, host="h") as two:
            two.write(story())
        with ArchiveWriter(tmp_path, clock=clock, host="h") as three:
            three.write(story())
    assert len({*one.finished, *two.finished, *three.finished}) == 3


KILLED = """
import sys, time
from pathlib import Path
from webmine_assets.archive.story import Story
from webmine_assets.archive.warc import ArchiveWriter
from webmine_assets_tests.archive.factories import story
with ArchiveWriter(Path(sys.argv[1])) as writer:
    for number in range(10**9):
        writer.write(story(f"https://u1.edu/{number}", body=b"x" * 50_000))
        print(number, flush=True)
"""


def test_kill_during_writing_leaves_no_half_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        while process.stdout.readline() != b"20\n":
            assert process.poll() is None
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    assert list(tmp_path.glob("*.warc.gz")) == []
    assert list(tmp_path.glob("*.cdxj")) == []
    parts = list(tmp_path.iterdir())
    assert len(parts) == 1
    yesterday = time.time() - 90_000
    os.utime(parts[0], (yesterday, yesterday))
    write_file(tmp_path, story())
    assert not parts[0].exists()


def test_a_story_without_a_url_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="without a URL"), ArchiveWriter(tmp_path) as writer:
        writer.write(story(""))


def test_a_place_that_cannot_be_written_is_an_archive_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveError, match="cannot be written"), ArchiveWriter(tmp_path / "file"):
        pass


def test_a_part_that_vanishes_is_an_archive_error(tmp_path: Path) -> None:
    part = tmp_path / ".mc-20260305060708-00001-h.warc.gz.part"
    writer = ArchiveWriter(tmp_path, clock=clock, host="h")
    writer.write(story())
    part.unlink()
    with pytest.raises(ArchiveError, match="cannot be written"):
        writer.finish()


def test_a_file_that_cannot_be_finished_takes_the_others_along(tmp_path: Path) -> None:
    def write_and_lose_one() -> None:
        with ArchiveWriter(tmp_path, clock=clock) as writer:
            writer.write(story("https://u1.edu/a"))
            [first] = tmp_path.iterdir()
            writer.write(replace(story("https://u1.edu/b"), flavour="csv"))
            first.unlink()

    with pytest.raises(ArchiveError, match="cannot be written"):
        write_and_lose_one()
    assert list(tmp_path.iterdir()) == []


def test_broken_characters_do_not_stop_an_archive(tmp_path: Path) -> None:
    odd = story(text="\udfff", title="\ud800", headers={"x": "\ud800"})
    [found] = read_archive(write_file(tmp_path, odd))
    assert found.content_metadata.text_content == "\udfff"


@pytest.mark.parametrize("prefix", ["", "a/b", "mc-", "../x"])
def test_a_prefix_that_is_no_file_name_is_refused(tmp_path: Path, prefix: str) -> None:
    with pytest.raises(ArchiveError, match="prefix"):
        ArchiveWriter(tmp_path, prefix=prefix)


@pytest.mark.slow
@given(
    body=st.binary(max_size=400),
    name=st.text(max_size=20),
    value=st.text(max_size=60),
    kind=st.text(max_size=20),
    encoding=st.none() | st.text(max_size=20),
)
def test_no_header_can_break_out_of_a_record(
    tmp_path_factory: pytest.TempPathFactory,
    body: bytes,
    name: str,
    value: str,
    kind: str,
    encoding: str | None,
) -> None:
    folder = tmp_path_factory.mktemp("warc")
    hostile = story(body=body, headers={name: value}, content_type=kind, encoding=encoding)
    path = write_file(folder, hostile)
    [found] = read_archive(path)
    assert found.page.body == body
    with path.open("rb") as file:
        [record] = [
            r.content_stream().read() for r in ArchiveIterator(file) if r.rec_type == "response"
        ]
    assert record == body
