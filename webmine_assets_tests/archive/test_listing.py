import hashlib
from pathlib import Path

import pytest

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.index import index_path
from webmine_assets.archive.listing import (
    find_copies,
    list_archives,
    read_copy,
    rebuild_index,
    scan_index,
)
from webmine_assets.errors import ArchiveError
from webmine_assets_tests.archive.factories import members, response, story, write_file
from webmine_assets_tests.factories import NOON


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_file(tmp_path / "u1", story("https://u1.edu/a"), story("https://u1.edu/b?y=1&x=2"))
    write_file(
        tmp_path / "u2", story("https://u1.edu/a", body=b"newer", fetched_at=NOON.replace(hour=20))
    )
    return tmp_path


def test_files_are_listed_with_what_they_hold(folder: Path) -> None:
    (folder / "u1" / ".half.warc.gz.part").write_bytes(b"x")
    first, second = list_archives(folder)
    assert (first.stories, second.stories) == (2, 1)
    assert first.first_at == first.last_at == NOON
    assert first.size_bytes == first.path.stat().st_size
    assert list(list_archives(folder / "none")) == []


def test_copies_of_a_page_are_found_newest_first(folder: Path) -> None:
    copies = find_copies(folder, "http://www.u1.edu/a/")
    assert [read_copy(path, line) for path, line in copies] == [b"newer", story().body]
    assert len(find_copies(folder, "https://u1.edu/b?x=2&y=1")) == 1
    assert find_copies(folder, "https://u1.edu/none") == []


def test_a_lost_index_is_made_again_as_it_was(folder: Path) -> None:
    [path] = (folder / "u1").glob("*.warc.gz")
    index = index_path(path)
    before = index.read_text()
    index.unlink()
    assert len(find_copies(folder, "https://u1.edu/a")) == 2
    assert [problem.kind for problem in check_archive(path)] == ["index"]
    assert rebuild_index(path) == index
    assert index.read_text() == before


def test_a_damaged_file_lists_what_is_before_the_damage(folder: Path) -> None:
    [path] = (folder / "u1").glob("*.warc.gz")
    path.write_bytes(path.read_bytes()[:-30])
    index_path(path).unlink()
    assert next(list_archives(folder)).stories == 2
    with pytest.raises(ArchiveError):
        rebuild_index(path)


def test_a_copy_that_is_not_where_the_index_says_is_an_error(folder: Path) -> None:
    [path] = (folder / "u1").glob("*.warc.gz")
    [_, (_, line)] = find_copies(folder, "https://u1.edu/a")
    other = folder / "u2" / "x.warc.gz"
    other.write_bytes(members(response("https://u1.edu/z", b"z" * 500)))
    with pytest.raises(ArchiveError):
        read_copy(other, line)
    with pytest.raises(ArchiveError):
        read_copy(folder / "gone.warc.gz", line)
    assert [found.url for found in scan_index(other)] == ["https://u1.edu/z"]
    assert read_copy(path, line) == story().body


@pytest.mark.parametrize(
    "digest",
    [
        f"sha1:{hashlib.sha1(b'page', usedforsecurity=False).hexdigest()}",
        f"sha256:{hashlib.sha256(b'page').hexdigest()}",
        "blake3:unknown-here",
    ],
)
def test_copies_in_files_of_other_tools_are_read_whatever_their_digests(
    tmp_path: Path, digest: str
) -> None:
    record = response("https://n.org/a", b"page")
    stated = record.replace(b"WARC-Date", f"WARC-Payload-Digest: {digest}\r\nWARC-Date".encode(), 1)
    (tmp_path / "theirs.warc").write_bytes(stated)
    [copy] = find_copies(tmp_path, "https://n.org/a")
    assert read_copy(*copy) == b"page"
    (tmp_path / "theirs.warc").write_bytes(stated.replace(b"page", b"bad!"))
    if not digest.startswith("blake3"):
        with pytest.raises(ArchiveError):
            read_copy(*copy)
