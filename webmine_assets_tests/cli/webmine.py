"""`webmine` for tests: in this process, or in one of its own where that is the point."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from webmine_assets.cli import main

FILE = """\
institution_id: u1
seed_urls: [https://u1.edu/]
allowed_domains: [u1.edu]
"""

Result = subprocess.CompletedProcess[str]


class Webmine(Protocol):
    """Runs `webmine` with these arguments over a data folder of its own."""

    data: Path

    def __call__(self, *arguments: str, text: str | None = None) -> Result: ...


class InThisProcess:
    """No process of its own: a start takes longer than most commands."""

    def __init__(
        self, data: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.data = data
        self._monkeypatch, self._capture = monkeypatch, capture

    def __call__(self, *arguments: str, text: str | None = None) -> Result:
        self._capture.readouterr()
        with self._monkeypatch.context() as around:
            around.setattr(sys, "argv", ["webmine", *arguments])
            around.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((text or "").encode())))
            around.setenv("WEBMINE_DATA", str(self.data))
            # Commands that start Dagster set it.
            around.setenv("DAGSTER_HOME", "")
            with pytest.raises(SystemExit) as ended:
                main()
        shown = self._capture.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code or 0, shown.out, shown.err)


class InItsOwnProcess:
    """As a shell starts it."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def __call__(self, *arguments: str, text: str | None = None) -> Result:
        return subprocess.run(
            [sys.executable, "-c", "from webmine_assets.cli import main; main()", *arguments],
            capture_output=True,
            text=True,
            input=text,
            env=os.environ | {"WEBMINE_DATA": str(self.data), "COLUMNS": "140"},
            timeout=60,
            check=False,
        )


def file_of(webmine: Webmine, text: str, name: str = "u1.yaml") -> Path:
    path = webmine.data / "institutions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def assert_clear(result: Result, code: int, *words: str) -> None:
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr.replace("\n", " ")
