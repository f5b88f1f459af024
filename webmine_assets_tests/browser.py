"""The browser with which tests look at pages, and the switches that keep it to itself."""

import os

import pytest

from webmine_assets.crawl.rendering.chromium import find_chromium

CHROMIUM = find_chromium(os.environ.get("WEBMINE_CHROMIUM"))
# `make test` installs a browser, and the tests of the studio fail without one: a run that skips
# these is never green.
IN_CHROMIUM = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM.path is None, reason=CHROMIUM.detail),
]
SWITCHES = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--disable-sync",
]
