import gzip
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import fsspec
import pytest

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import Fetched, Input, expand_inputs, unpacked


def contents(inputs: list[Input]) -> dict[str, bytes]:
    found = {}
    for each in inputs:
        with each.open() as stream:
            found[each.base_name] = stream.read()
    return found


def test_files_and_folders_are_listed_in_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.csv", "a.csv", "sub/c.csv", ".hidden"):
        (tmp_path / name).write_text(name)
    inputs = list(expand_inputs([str(tmp_path), str(tmp_path / "a.csv")]))
    assert [each.base_name for each in inputs] == ["a.csv", "b.csv", "c.csv", "a.csv"]
    assert contents(inputs)["c.csv"] == b"sub/c.csv"


@pytest.mark.parametrize("spec", ["{}/x-*", "file://{}/x-*"])
def test_a_star_finds_files_of_this_machine_too(tmp_path: Path, spec: str) -> None:
    for name in ("x-2.csv", "x-1.csv", "y.csv"):
        (tmp_path / name).write_text(name)
    inputs = list(expand_inputs([spec.format(tmp_path)]))
    assert [each.name for each in inputs] == [
        spec.format(tmp_path).replace("*", "1.csv"),
        spec.format(tmp_path).replace("*", "2.csv"),
    ]


def test_a_file_may_have_a_star_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "x*.csv").write_text("star")
    (tmp_path / "xy.csv").write_text("other")
    [found] = expand_inputs([str(tmp_path / "x*.csv")])
    assert contents([found]) == {"x*.csv": b"star"}


def test_object_stores_take_a_star() -> None:
    store = fsspec.filesystem("memory")
    for name in ("x-1.csv", "x-2.csv", "y-1.csv"):
        store.pipe(f"/bucket/{name}", name.encode())
    inputs = list(expand_inputs(["memory://bucket/x-*"]))
    assert contents(inputs) == {"x-1.csv": b"x-1.csv", "x-2.csv": b"x-2.csv"}
    assert inputs[0].name == "memory:///bucket/x-1.csv"
    assert len(list(expand_inputs(["memory://bucket"]))) == 3
    assert len(list(expand_inputs(["memory://bucket/y-1.csv"]))) == 1


def test_http_goes_through_the_fetch_that_is_given_and_only_once() -> None:
    asked = []

    def fetch(url: str, headers: Mapping[str, str]) -> Fetched:
        asked.append(url)
        return Fetched(url=url, status=200, headers={}, body=b"data")

    [found] = expand_inputs(["https://u1.edu/x.csv"], fetch=fetch)
    assert asked == []
    assert found.digest() == found.digest()
    assert contents([found]) == {"x.csv": b"data"}
    assert asked == ["https://u1.edu/x.csv"]


def refuse(url: str, headers: Mapping[str, str]) -> Fetched:
    return Fetched(url=url, status=503, headers={}, body=b"")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("none.csv", "no such file"),
        ("memory://nothing/x-*", "no files there"),
        ("nosuchscheme://x", "cannot be listed"),
        ("simplecache::https://u1.edu/x", "chained"),
        ("https://u1.edu/*", "not with http"),
        ("https://u1.edu/x", "answered 503"),
    ],
)
def test_what_cannot_be_taken_says_why(spec: str, message: str) -> None:
    with pytest.raises(ImportSourceError, match=message):
        [each.digest() for each in expand_inputs([spec], fetch=refuse)]


def test_without_a_fetch_http_is_refused() -> None:
    with pytest.raises(ImportSourceError, match="download it first"):
        list(expand_inputs(["https://u1.edu/x"]))


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ImportSourceError, match="no files"):
        list(expand_inputs([str(tmp_path)]))


@pytest.mark.parametrize("data", [b"", b"x", b"plain text", b"\x1f"])
def test_what_is_not_gzip_stays_as_it_is(data: bytes) -> None:
    assert unpacked(BytesIO(data), 5).read() == data


def test_gzip_is_undone_up_to_a_limit() -> None:
    packed = gzip.compress(b"x" * 1000) + gzip.compress(b"y")
    assert unpacked(BytesIO(packed), 1001).read() == b"x" * 1000 + b"y"
    with pytest.raises(ImportSourceError, match="larger than allowed"):
        unpacked(BytesIO(packed), 1000).read()


def test_gzip_that_is_damaged_inside_is_an_error_of_the_input() -> None:
    packed = bytearray(gzip.compress(bytes(range(256)) * 100))
    packed[12:30] = b"\xff" * 18
    with pytest.raises(ImportSourceError, match="broken"):
        unpacked(BytesIO(bytes(packed)), 100_000).read()


def test_of_a_folder_only_the_files_of_the_kind_are_taken(tmp_path: Path) -> None:
    for name in ("a.warc.gz", "a.warc.gz.cdxj", "sub/b.warc", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    endings = (".warc.gz", ".warc")
    for spec in (str(tmp_path), f"file://{tmp_path}"):
        names = [found.base_name for found in expand_inputs([spec], endings=endings)]
        assert names == ["a.warc.gz", "b.warc"]
    # What is named is taken, whatever it is called.
    [named] = expand_inputs([str(tmp_path / "notes.txt")], endings=endings)
    assert named.base_name == "notes.txt"
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImportSourceError, match=r"has no files named \*.warc.gz or \*.warc"):
        list(expand_inputs([str(tmp_path / "empty")], endings=endings))
