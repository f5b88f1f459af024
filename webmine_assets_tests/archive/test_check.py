import gzip
import json
from pathlib import Path

import pytest

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.index import index_path, read_index
from webmine_assets_tests.archive.factories import (
    members,
    response,
    story,
    warc_record,
    write_file,
)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write_file(tmp_path, *(story(f"https://u1.edu/{n}") for n in range(3)))


def kinds(path: Path, **options: int) -> list[str]:
    return [problem.kind for problem in check_archive(path, **options)]


def repack(path: Path, change: dict[bytes, bytes]) -> None:
    """The same file in one member with bytes replaced: digests no longer match."""
    whole = gzip.decompress(path.read_bytes())
    for old, new in change.items():
        assert old in whole
        whole = whole.replace(old, new)
    path.write_bytes(gzip.compress(whole))


def test_a_good_file_has_no_problems(archive: Path) -> None:
    assert check_archive(archive) == []


def test_a_changed_byte_is_a_digest_problem(archive: Path) -> None:
    repack(archive, {b"<p>Some text": b"<p>Sole text"})
    assert {"digest"} <= set(kinds(archive))
    assert "warc-payload-digest" in "\n".join(map(str, check_archive(archive)))


def test_damage_is_found_with_its_offset(archive: Path) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data[: len(data) - 10])
    [damage, *_] = check_archive(archive)
    assert damage.kind == "damage"
    assert damage.offset is not None
    assert 0 < damage.offset < len(data)


def test_a_page_without_metadata_is_a_pair_problem(archive: Path) -> None:
    lone = members(response("https://u1.edu/lone", b"x"))
    archive.write_bytes(archive.read_bytes() + lone)
    assert sorted(kinds(archive)) == ["index", "pair"]


def test_more_stories_than_allowed_is_a_limit_problem(archive: Path) -> None:
    assert kinds(archive, max_stories=2) == ["limit"]


@pytest.mark.parametrize("change", ["missing", "shorter", "unsorted", "garbage", "extra"])
def test_an_index_that_does_not_fit_is_a_problem(archive: Path, change: str) -> None:
    index = index_path(archive)
    lines = index.read_text().splitlines(keepends=True)
    texts = {
        "shorter": lines[:-1],
        "unsorted": reversed(lines),
        "garbage": ["x\n"],
        "extra": [*lines, lines[-1].replace('"offset": "', '"offset": "9')],
    }
    if change == "missing":
        index.unlink()
    else:
        index.write_text("".join(texts[change]))
    assert set(kinds(archive)) == {"index"}


@pytest.mark.parametrize(
    "change",
    [
        {"http_metadata": {"response_code": 200}},
        {"rss_entry": {"topics": ["x"]}},
        {"content_metadata": None},
    ],
)
def test_metadata_that_media_cloud_cannot_read_is_a_problem(
    tmp_path: Path, change: dict[str, object]
) -> None:
    value = story().metadata_json() | change
    about = warc_record(
        "metadata",
        json.dumps(value).encode(),
        "WARC-Refers-To: <urn:x:1>",
        "Content-Type: application/x.mediacloud-indexer+json",
    )
    path = tmp_path / "x.warc.gz"
    path.write_bytes(members(warc_record("warcinfo", b""), response("http://n.org/", b"x"), about))
    assert kinds(path) == ["metadata"]


def test_pairs_and_index_are_not_asked_of_foreign_files(tmp_path: Path) -> None:
    path = tmp_path / "x.warc"
    path.write_bytes(warc_record("warcinfo", b"") + response("http://n.org/", b"x"))
    assert check_archive(path) == []


def test_a_file_that_is_none_is_one_problem(tmp_path: Path) -> None:
    assert kinds(tmp_path / "none.warc.gz") == ["damage"]
    (tmp_path / "x").write_text("hello")
    assert kinds(tmp_path / "x") == ["damage"]


@pytest.mark.parametrize(
    "data", [b"", gzip.compress(b"", mtime=0)], ids=["nothing", "an empty member"]
)
def test_a_file_without_any_record_is_a_problem(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.warc.gz").write_bytes(data)
    [problem] = check_archive(tmp_path / "x.warc.gz")
    assert str(problem).startswith("byte 0: damage: an empty file")


def test_damage_is_told_once_and_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(b"<html>hi</html>"))
    [problem] = check_archive(tmp_path / "x.warc.gz")
    assert str(problem) == "byte 0: damage: not a WARC record (b'<html>hi</html>')"


def test_what_lies_behind_damage_is_not_told_again_from_the_index(archive: Path) -> None:
    data = archive.read_bytes()
    second = sorted(line.offset for line in read_index(index_path(archive)))[1]
    for cut in (second + 5, len(data) - 10, 0):
        archive.write_bytes(data[:cut] + b"\0" * 40)
        assert kinds(archive) == ["damage"]


def test_a_missing_index_says_how_it_is_made(archive: Path) -> None:
    index_path(archive).unlink()
    [problem] = check_archive(archive)
    assert f"`webmine archive index {archive}`" in str(problem)
