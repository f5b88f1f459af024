"""Where a browser is found, and what is said when there is none."""

from pathlib import Path

import pytest

from webmine_assets.crawl.rendering.chromium import find_chromium, launch_switches


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a search path with nothing in them."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH", raising=False)
    return tmp_path


def test_configured_browser_wins(empty_machine: Path) -> None:
    make_program(empty_machine / "bin" / "chromium")
    named = make_program(empty_machine / "my" / "browser")
    assert find_chromium(str(named)).path == str(named)
    assert find_chromium(str(named)).is_whole_browser


def test_configured_browser_that_is_missing_is_not_replaced(empty_machine: Path) -> None:
    make_program(empty_machine / "bin" / "chromium")
    search = find_chromium("/nowhere/chrome")
    assert search.path is None
    assert "WEBMINE_CHROMIUM=/nowhere/chrome" in search.detail


@pytest.mark.parametrize("name", ["chromium-headless-shell", "chromium", "google-chrome"])
def test_system_browser_is_found(empty_machine: Path, name: str) -> None:
    program = make_program(empty_machine / "bin" / name)
    assert find_chromium().path == str(program)


@pytest.mark.parametrize(
    "build",
    [
        "chromium-1200/chrome-linux64/chrome",
        "chromium_headless_shell-1155/chrome-linux/headless_shell",
        "chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell",
    ],
)
def test_playwright_s_own_build_is_found(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch, build: str
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    program = make_program(empty_machine / ".cache/ms-playwright" / build)
    assert find_chromium().path == str(program)


def test_playwright_s_newest_build_is_taken_also_from_a_folder_of_the_user(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = empty_machine / "browsers"
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(folder))
    make_program(folder / "chromium-999/chrome-linux64/chrome")
    newest = make_program(folder / "chromium-1200/chrome-linux64/chrome")
    assert find_chromium().path == str(newest)


def test_headless_shell_comes_before_a_whole_browser(
    empty_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    make_program(empty_machine / "bin" / "chromium")
    playwright_s = make_program(
        empty_machine / ".cache/ms-playwright/chromium_headless_shell-1155/chrome-linux"
        "/headless_shell"
    )
    assert find_chromium().path == str(playwright_s)
    assert not find_chromium().is_whole_browser
    system_s = make_program(empty_machine / "bin" / "chrome-headless-shell")
    assert find_chromium().path == str(system_s)


def test_machine_without_browser_says_what_to_do(empty_machine: Path) -> None:
    search = find_chromium(None)
    assert search.path is None
    assert not search.is_whole_browser
    assert "playwright install chromium" in search.detail


def test_browser_gets_no_network() -> None:
    switches = launch_switches()
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in switches
    assert any(switch.startswith("--proxy-server=") for switch in switches)


def test_features_are_turned_off_in_one_list() -> None:
    """Of two lists Chromium takes the last only."""
    (switch,) = (each for each in launch_switches() if each.startswith("--disable-features="))
    assert {"SpareRendererForSitePerProcess", "HttpsUpgrades"} <= set(switch[19:].split(","))
