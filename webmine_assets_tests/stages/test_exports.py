"""Markdown of an institution in the order of its crawl, and its archives as one package."""

import zipfile
from pathlib import Path

import pytest

from webmine_assets.errors import ArchiveError
from webmine_assets.progress import SilentProgress
from webmine_assets.stages.archive import archive_pages
from webmine_assets.stages.copies import newest_copy
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.exports import Packed, export_wacz, page_markdown
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.archive.factories import story, write_file
from webmine_assets_tests.factories import NOON
from webmine_assets_tests.stages.pages import html, institution, page, settings_in


def test_markdown_is_in_the_order_of_the_crawl_under_url_and_depth(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    rows = [
        page("https://u1.edu/z", html("zoo")),
        page("https://u1.edu/a", html("ark"), depth=1),
    ]
    lake.write("page_snapshots", "u1", rows)
    assert list(page_markdown(lake, "u1")) == []
    enhance_pages(institution(), lake=lake, progress=SilentProgress())
    text = "".join(page_markdown(lake, "u1"))
    assert text.startswith("\n--- https://u1.edu/z (depth 0) ---\n")
    assert "\n--- https://u1.edu/a (depth 1) ---\n" in text
    assert text.index("zoo of the harbour") < text.index("ark of the harbour")


def test_archives_become_one_package(tmp_path: Path) -> None:
    settings = settings_in(tmp_path / "d")
    write_file(settings.archives / "u1", story("https://u1.edu/"))
    out = tmp_path / "u1.wacz"
    assert export_wacz("u1", out, settings=settings, title="U1") == Packed(1, ())
    with zipfile.ZipFile(out) as package:
        assert {"datapackage.json", "pages/pages.jsonl"} <= set(package.namelist())
    assert [path.name for path in settings.archives.iterdir()] == ["u1"]


def test_no_archives_is_said(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="webmine run u1"):
        export_wacz("u1", tmp_path / "x.wacz", settings=settings_in(tmp_path), title="U1")


def test_the_newest_copy_is_found_in_the_table_or_in_an_index(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    lake = Lake(settings.lake)
    row = page("https://u1.edu/a", html("ark"))
    lake.write("page_snapshots", "u1", [row])
    archive_pages(institution(), lake=lake, settings=settings, progress=SilentProgress())
    copy = newest_copy(lake, settings, "https://u1.edu/a/?utm_source=x")
    assert copy is not None
    assert (copy.read(), copy.story().page.url) == (row.body, row.url)
    later = NOON.replace(year=2027)
    newer = story("https://u1.edu/a", body=b"<p>newer</p>", fetched_at=later)
    write_file(settings.archives / "elsewhere", newer)
    found = newest_copy(lake, settings, "https://u1.edu/a")
    assert found is not None
    assert found.read() == b"<p>newer</p>"
    assert newest_copy(lake, settings, "https://u1.edu/none") is None
