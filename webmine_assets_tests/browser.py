"""The browser with which tests look at pages, and the switches that keep it to itself."""

import os

from webmine_assets.crawl.rendering.chromium import find_chromium

CHROMIUM = find_chromium(os.environ.get("WEBMINE_CHROMIUM"))
SWITCHES = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-sync",
]
