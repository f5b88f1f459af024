"""The reference pages of docs/ are what the code says."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES: dict[str, Callable[[], str]] = runpy.run_path(str(ROOT / "tools" / "references.py"))["PAGES"]


@pytest.mark.parametrize("name", PAGES)
def test_a_reference_page_is_what_the_code_says(name: str) -> None:
    written = (ROOT / "docs" / name).read_text("utf-8")
    assert written == PAGES[name](), "run: .venv/bin/python tools/references.py"


@pytest.mark.parametrize("page", ["tables.md", "institution-file.md"])
def test_nothing_is_without_its_meaning(page: str) -> None:
    rows = [line for line in PAGES[page]().splitlines() if line.startswith("| `")]
    assert len(rows) > 20
    assert [row for row in rows if row.endswith("|  |")] == []
