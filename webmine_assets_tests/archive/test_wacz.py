import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from webmine_assets.archive.listing import archive_files
from webmine_assets.archive.reader import read_archive
from webmine_assets.archive.wacz import pack_wacz, write_wacz_folder
from webmine_assets.errors import ArchiveError
from webmine_assets_tests.archive.factories import story, write_file
from webmine_assets_tests.archive.test_replay import run_tool
from webmine_assets_tests.factories import NOON


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write_file(tmp_path / "in", story("https://u1.edu/b", title="Zoé"), story("https://u1.edu/a"))
    write_file(tmp_path / "in", story("https://u1.edu/c"))
    files = archive_files(tmp_path / "in")
    assert write_wacz_folder(files, tmp_path / "out", title="U1", now=NOON) == []
    return tmp_path / "out"


def test_the_folder_has_archives_index_pages_and_manifest(package: Path) -> None:
    assert len(archive_files(package / "archive")) == 2
    index = (package / "indexes" / "index.cdx").read_text().splitlines()
    assert [line.split()[0] for line in index] == ["edu,u1)/a", "edu,u1)/b", "edu,u1)/c"]
    header, *pages = map(json.loads, (package / "pages" / "pages.jsonl").read_text().splitlines())
    assert header["format"] == "json-pages-1.0"
    assert {page["url"]: page["title"] for page in pages}["https://u1.edu/b"] == "Zoé"


def test_the_manifest_knows_every_file(package: Path) -> None:
    manifest = json.loads((package / "datapackage.json").read_text())
    for resource in manifest["resources"]:
        data = (package / resource["path"]).read_bytes()
        assert resource["bytes"] == len(data)
        assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    assert len(manifest["resources"]) == 4


@pytest.mark.slow
def test_the_file_is_valid_for_the_tool_of_its_makers(package: Path) -> None:
    path = pack_wacz(package, package.parent / "u1.wacz")
    assert "is valid" in run_tool("wacz", "validate", "-f", str(path))


def test_archives_in_the_file_can_be_read_in_place(package: Path) -> None:
    with zipfile.ZipFile(pack_wacz(package, package.parent / "u1.wacz")) as packed:
        names = [name for name in packed.namelist() if name.endswith(".warc.gz")]
        counts = []
        for name in names:
            with packed.open(name) as stream:
                counts.append(len(list(read_archive(stream))))  # type: ignore[arg-type]
    assert sorted(counts) == [1, 2]


def test_a_folder_with_something_in_it_is_left_alone(package: Path) -> None:
    with pytest.raises(ArchiveError, match="not empty"):
        write_wacz_folder([], package, title="x", now=NOON)


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    files = [write_file(tmp_path / name, story()) for name in ("a", "b")]
    with pytest.raises(ArchiveError, match="this name"):
        write_wacz_folder(files, tmp_path / "out", title="x", now=NOON)


def test_a_damaged_file_is_named_and_left_out(tmp_path: Path) -> None:
    sound = write_file(tmp_path / "in", story("https://u1.edu/a"))
    broken = write_file(tmp_path / "in", story("https://u1.edu/b"), story("https://u1.edu/c"))
    broken.write_bytes(broken.read_bytes()[:-10])
    [problem] = write_wacz_folder([sound, broken], tmp_path / "out", title="U1", now=NOON)
    assert problem.path == str(broken)
    assert [path.name for path in archive_files(tmp_path / "out")] == [sound.name]
    for listing in ("indexes/index.cdx", "pages/pages.jsonl"):
        text = (tmp_path / "out" / listing).read_text()
        assert ("https://u1.edu/a" in text, "https://u1.edu/b" in text) == (True, False)
