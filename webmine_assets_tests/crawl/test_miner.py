import asyncio
from pathlib import Path

import pytest

from webmine_assets.crawl.cache import InMemoryPrevious
from webmine_assets.crawl.miner import build_web_miner
from webmine_assets.demo.ports import DemoPorts
from webmine_assets.demo.server import DemoSites
from webmine_assets.institutions import Institution
from webmine_assets.settings import read_settings
from webmine_assets_tests.hostile import HostileSite

# Each test starts reading processes.
pytestmark = pytest.mark.slow


def _institution(site: HostileSite) -> Institution:
    return Institution.model_validate(
        {
            "institution_id": "u1",
            "seed_urls": [site.url("/ok")],
            "allowed_domains": ["127.0.0.1"],
            "allow_networks": ["127.0.0.0/8"],
            "max_pages": 3,
            "max_depth": 0,
            "ttl_days": 0,
            "politeness": {"delay_ms": 0},
            "rendering": {"mode": "never"},
        }
    )


async def test_miner_gives_pages_and_leaves_nothing_behind(
    hostile_site: HostileSite, tmp_path: Path
) -> None:
    settings = read_settings({"WEBMINE_DATA": str(tmp_path), "WEBMINE_CONTACT": "me@u1.edu"})
    miner = build_web_miner(settings)
    pages = await asyncio.to_thread(list, miner.crawl(_institution(hostile_site)))
    assert [page.title for page in pages] == ["A good page"]
    assert pages[0].etag == '"one"'
    assert not any(settings.journals.iterdir())


async def test_miner_asks_the_last_partition(hostile_site: HostileSite, tmp_path: Path) -> None:
    settings = read_settings({"WEBMINE_DATA": str(tmp_path)})
    first = await asyncio.to_thread(
        list, build_web_miner(settings).crawl(_institution(hostile_site))
    )
    miner = build_web_miner(settings, previous_of=lambda _: InMemoryPrevious(first))
    with await miner.mine(_institution(hostile_site)) as result:
        (again,) = result.snapshots()
        assert result.report.decisions["not_modified"] == 1
        result.finish()
    assert again.meta.from_cache
    assert again.body == first[0].body


async def test_private_address_is_refused_unless_allowed(
    hostile_site: HostileSite, tmp_path: Path
) -> None:
    settings = read_settings({"WEBMINE_DATA": str(tmp_path)})
    institution = _institution(hostile_site).model_copy(update={"allow_networks": ()})
    with await build_web_miner(settings).mine(institution) as result:
        (row,) = result.ledger()
        assert (row.decision, row.reason) == ("fetch_error", "blocked_address")
        assert "127.0.0.1" in row.detail
    assert hostile_site.log == []


async def test_miner_works_where_a_loop_is_running(tmp_path: Path) -> None:
    """As in a notebook: the call blocks, and the crawl has a loop of its own."""
    with DemoSites(DemoPorts(university=0, newsroom=0, portal=0)) as sites:
        fields = {
            "institution_id": "u1",
            "seed_urls": [sites.base_urls["newsroom"]],
            "allowed_domains": ["127.0.0.1"],
            "allow_networks": ["127.0.0.0/8"],
            "max_pages": 2,
            "rendering": {"mode": "never"},
        }
        miner = build_web_miner(read_settings({"WEBMINE_DATA": str(tmp_path)}))
        pages = list(miner.crawl(Institution.model_validate(fields)))
    assert len(pages) == 2
    assert pages[0].url == sites.base_urls["newsroom"] + "/"


async def test_pages_that_are_not_all_taken_are_not_fetched_again(
    hostile_site: HostileSite, tmp_path: Path
) -> None:
    miner = build_web_miner(read_settings({"WEBMINE_DATA": str(tmp_path)}))

    def first_page() -> str:
        pages = miner.crawl(_institution(hostile_site))
        url = next(pages).url
        pages.close()  # type: ignore[attr-defined]
        return url

    assert await asyncio.to_thread(first_page) == hostile_site.url("/ok")
    asked = list(hostile_site.log)
    assert await asyncio.to_thread(first_page) == hostile_site.url("/ok")
    assert hostile_site.log == asked
