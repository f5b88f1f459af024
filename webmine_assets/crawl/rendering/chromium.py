"""Finds a Chromium on this machine and says with which switches it is started."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

# A headless shell is the same engine without windows, menus and profiles: 9.7 pages/s of a
# client-rendered site where the whole browser gives 6.6 (`benchmarks/rendering.py`, 2 cores).
_SHELL_NAMES = ("chromium-headless-shell", "chrome-headless-shell")
_BROWSER_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
_MAC_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Where `playwright install chromium` puts its builds, by platform.
_PLAYWRIGHT_FOLDERS = {
    "linux": "~/.cache/ms-playwright",
    "darwin": "~/Library/Caches/ms-playwright",
    "win32": "~/AppData/Local/ms-playwright",
}
_PLAYWRIGHT_SHELLS = (
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell",
    "chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell.exe",
    "chromium_headless_shell-*/chrome-*/headless_shell",
    "chromium_headless_shell-*/chrome-*/headless_shell.exe",
)
_PLAYWRIGHT_BROWSERS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "chromium-*/chrome-win*/chrome.exe",
)
HOW_TO_INSTALL = (
    "install chromium-headless-shell, chromium or google-chrome, "
    "run `playwright install chromium`, or name a browser in WEBMINE_CHROMIUM"
)


@dataclass(frozen=True, slots=True)
class ChromiumSearch:
    """The browser found; `detail` says how it was found, or why none was."""

    path: str | None
    detail: str

    @property
    def is_whole_browser(self) -> bool:
        """Whether a headless shell would render more pages."""
        return self.path is not None and "headless" not in Path(self.path).name


def find_chromium(configured: str | None = None) -> ChromiumSearch:
    """The browser to use: the configured one, else a headless shell, else a whole browser.

    Of each the system's comes before Playwright's. A configured browser that is not there is not
    replaced by another: the user named it.
    """
    if configured:
        return _configured(configured)
    return (
        _on_search_path(_SHELL_NAMES)
        or _playwright_build(_PLAYWRIGHT_SHELLS)
        or _on_search_path(_BROWSER_NAMES)
        or _application()
        or _playwright_build(_PLAYWRIGHT_BROWSERS)
        or ChromiumSearch(None, f"no Chromium on this machine: {HOW_TO_INSTALL}")
    )


def _on_search_path(names: tuple[str, ...]) -> ChromiumSearch | None:
    paths = (path for name in names if (path := shutil.which(name)))
    path = next(paths, None)
    return ChromiumSearch(path, "found on the search path") if path else None


def _application() -> ChromiumSearch | None:
    for application in _MAC_APPLICATIONS:
        if _is_program(Path(application)):
            return ChromiumSearch(application, "found among the applications")
    return None


def _configured(configured: str) -> ChromiumSearch:
    path = shutil.which(str(Path(configured).expanduser()))
    if path is None:
        return ChromiumSearch(None, f"WEBMINE_CHROMIUM={configured} is not a program")
    return ChromiumSearch(path, "named by WEBMINE_CHROMIUM")


def _playwright_build(patterns: tuple[str, ...]) -> ChromiumSearch | None:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or _PLAYWRIGHT_FOLDERS.get(sys.platform)
    folder = Path(named or _PLAYWRIGHT_FOLDERS["linux"]).expanduser()
    builds = [build for pattern in patterns for build in folder.glob(pattern)]
    newest = max(builds, key=lambda build: _build_number(build.relative_to(folder)), default=None)
    return ChromiumSearch(str(newest), "installed by Playwright") if newest else None


def _build_number(build: Path) -> int:
    number = build.parts[0].rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def needs_no_sandbox() -> bool:
    """Chromium refuses to run sandboxed as root; everyone else keeps the sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


# The browser has no network of its own: no name resolves, and what needs no name (an address, UDP)
# is sent to a proxy that nobody listens on, loopback included. Everything else is fulfilled by us.
_NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=socks5://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
)
# Pictures and fonts are refused inside the browser, so that they cost no round trip to us.
_LEAN = (
    "--blink-settings=imagesEnabled=false",
    "--disable-remote-fonts",
    "--autoplay-policy=user-gesture-required",
    "--mute-audio",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--js-flags=--max-old-space-size=512",
)


# Chromium keeps one renderer ready for the context that navigated last. With several contexts in
# turn each navigation kills it and starts another: 50 processes for 48 pages in 6 seats, and 2.5
# pages/s against 3.9 without (side by side on a busy machine, `benchmarks/rendering.py`'s site).
_SPARE_RENDERER = "SpareRendererForSitePerProcess"
# The last list wins, so what Playwright turns off for its own sake is named again.
_FEATURES_OFF = (
    _SPARE_RENDERER,
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)


def launch_switches() -> list[str]:
    """The switches every browser of ours is started with."""
    return [*_NO_NETWORK, *_LEAN, f"--disable-features={','.join(_FEATURES_OFF)}"]


def launch_environment(folder: str) -> dict[str, str | float | bool]:
    """Our environment, but what a browser notes for its user goes to `folder`, not to the home."""
    return {**os.environ, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
