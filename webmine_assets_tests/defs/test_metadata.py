"""What the UI shows of a materialisation."""

from pathlib import Path

from webmine_assets.defs.metadata import screenshot_metadata
from webmine_assets.settings import read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import snapshot

PNG = b"\x89PNG\r\n\x1a\n"


def test_screenshots_are_shown_up_to_three_and_counted_all(tmp_path: Path) -> None:
    settings = read_settings({"WEBMINE_DATA": str(tmp_path)})
    lake = Lake(settings.lake)
    rows = [snapshot(f"https://u1.edu/{number}") for number in range(5)]
    lake.write("page_snapshots", rows[0].institution, iter(rows))
    assert screenshot_metadata(lake, settings, rows[0].institution) == {}
    folder = settings.screenshots / rows[0].institution
    folder.mkdir(parents=True)
    for row in rows:
        (folder / f"{row.page_id}.png").write_bytes(PNG)
    shown = screenshot_metadata(lake, settings, rows[0].institution)
    assert shown["screenshots"] == 5
    assert shown["screenshot_folder"].value == str(folder)
    assert shown["screenshot_preview"].value.count("data:image/png;base64,") == 3
    assert "<https://u1.edu/0>" in shown["screenshot_preview"].value
