from pathlib import Path

from webmine_assets.defs.instance.shared import folder_name


def test_a_folder_keeps_its_name_and_no_other_has_it(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert folder_name(first) == folder_name(first) != folder_name(second)
    assert [path.name for path in first.iterdir()] == ["folder"]
