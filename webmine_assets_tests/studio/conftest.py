"""A studio over a small corpus."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from webmine_assets.settings import Settings, read_settings
from webmine_assets.studio.app import build_app
from webmine_assets_tests.studio.corpus import enhance, write_corpus


@pytest.fixture(scope="session")
def stored_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: extraction of two dozen pages takes a second."""
    data = tmp_path_factory.mktemp("studio") / "data"
    write_corpus(data)
    return data


@pytest.fixture
def settings(stored_corpus: Path, tmp_path: Path) -> Settings:
    """A corpus of the test's own."""
    shutil.copytree(stored_corpus, tmp_path / "data")
    return read_settings({"WEBMINE_DATA": str(tmp_path / "data")})


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[TestClient[Any, Any]]:
    app = build_app(settings, enhance=lambda name, progress: enhance(settings, name, progress))
    async with TestClient(TestServer(app)) as client:
        yield client
