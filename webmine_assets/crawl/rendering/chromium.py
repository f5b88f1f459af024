"""Finds a Chromium on this machine and says with which switches it is started."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

_SYSTEM_NAMES = (
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
_PLAYWRIGHT_BINARIES = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
    "chromium-*/chrome-win*/chrome.exe",
)
HOW_TO_INSTALL = (
    "install chromium or google-chrome, run `playwright install chromium`, "
    "or name a browser in WEBMINE_CHROMIUM"
)


@dataclass(frozen=True, slots=True)
class ChromiumSearch:
    """The browser found; `detail` says how it was found, or why none was."""

    path: str | None
    detail: str


def find_chromium(configured: str | None = None) -> ChromiumSearch:
    """The browser to use: the configured one, else the system's, else Playwright's own.

    A configured browser that is not there is not replaced by another: the user named it.
    """
    if configured:
        return _configured(configured)
    for name in _SYSTEM_NAMES:
        if path := shutil.which(name):
            return ChromiumSearch(path, "found on the search path")
    for application in _MAC_APPLICATIONS:
        if _is_program(Path(application)):
            return ChromiumSearch(application, "found among the applications")
    if own := _playwright_build():
        return ChromiumSearch(own, "installed by Playwright")
    return ChromiumSearch(None, f"no Chromium on this machine: {HOW_TO_INSTALL}")


def _configured(configured: str) -> ChromiumSearch:
    path = shutil.which(str(Path(configured).expanduser()))
    if path is None:
        return ChromiumSearch(None, f"WEBMINE_CHROMIUM={configured} is not a program")
    return ChromiumSearch(path, "named by WEBMINE_CHROMIUM")


def _playwright_build() -> str | None:
    folder = Path(_PLAYWRIGHT_FOLDERS.get(sys.platform, "~/.cache/ms-playwright")).expanduser()
    builds = [path for pattern in _PLAYWRIGHT_BINARIES for path in folder.glob(pattern)]
    return str(max(builds)) if builds else None


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
