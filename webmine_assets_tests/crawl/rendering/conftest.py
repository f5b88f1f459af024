import pytest

from webmine_assets_tests.crawl.rendering.browser_site import Site


@pytest.fixture
def site() -> Site:
    return Site()
