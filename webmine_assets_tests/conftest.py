"""Fixtures that more than one folder uses."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.configuration import set_hypothesis_home_dir

from webmine_assets_tests.hostile import HostileSite

# Nothing is generated beside the sources; a failure found once becomes a test, not a cache entry.
set_hypothesis_home_dir(Path(__file__).parent.parent / ".venv" / ".cache" / "hypothesis")
settings.register_profile("project", database=None, deadline=None)
settings.load_profile("project")


@pytest.fixture
async def hostile_site() -> AsyncIterator[HostileSite]:
    """The hostile site with an ordinary robots.txt, on 127.0.0.1 and a free port."""
    async with HostileSite() as site:
        yield site
