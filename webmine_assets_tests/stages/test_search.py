"""The full-text index of a corpus, and what fills one that was removed."""

import shutil
from pathlib import Path

from webmine_assets.progress import SilentProgress
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.search import index_missing, index_pages
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchIndex
from webmine_assets_tests.stages.pages import html, institution, page, settings_in


def test_an_index_that_was_removed_is_filled_for_all_institutions(tmp_path: Path) -> None:
    settings, progress = settings_in(tmp_path), SilentProgress()
    lake = Lake(settings.lake)
    for name in ("u1", "u2", "u3"):
        stored = page(f"https://{name}.edu/", html("ferry"), institution=name)
        lake.write("page_snapshots", name, [stored] if name != "u3" else [])
        enhance_pages(institution(institution_id=name), lake=lake, progress=progress)
        index_pages(
            institution(institution_id=name), lake=lake, settings=settings, progress=progress
        )
    assert index_missing(lake=lake, settings=settings, progress=progress) == []
    shutil.rmtree(settings.search_index)
    index_pages(institution(institution_id="u2"), lake=lake, settings=settings, progress=progress)
    assert index_missing(lake=lake, settings=settings, progress=progress) == ["u1"]
    assert SearchIndex(settings.search_index).counts() == {"u1": 1, "u2": 1}
