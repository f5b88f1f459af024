"""The command line over an empty data folder."""

from pathlib import Path

import pytest

from webmine_assets_tests.cli.webmine import InThisProcess, Webmine


@pytest.fixture
def webmine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Webmine:
    return InThisProcess(tmp_path / "data", monkeypatch, capsys)
