"""Folders of browsers whose owners were killed."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from webmine_assets.crawl.rendering.browser_folder import open_folder, remove_left_folders

_OPEN_AND_WAIT = """
from webmine_assets.crawl.rendering.browser_folder import open_folder
folder = open_folder()
print(folder.name, flush=True)
input()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_folder_of_an_owner_that_was_killed_is_removed_and_no_other(temporary: Path) -> None:
    own = open_folder()
    others = [temporary / name for name in ("webmine-browser-old", "webmine-browser-1-x", "x")]
    for other in others:
        other.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", _OPEN_AND_WAIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        (left / "chromium").mkdir()
        remove_left_folders()
        assert left.is_dir()
        process.kill()
        process.wait()
    remove_left_folders()
    assert not left.exists()
    assert sorted(temporary.iterdir()) == sorted([Path(own.name), *others])
    own.cleanup()


def test_a_link_with_the_name_of_a_folder_leads_nowhere(temporary: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    kept = temporary / "kept"
    kept.mkdir()
    (temporary / f"webmine-browser-{process.pid}-x").symlink_to(kept)
    remove_left_folders()
    assert kept.is_dir()
