"""A whole crawl over the hostile site: it ends, stays bounded, and decides about every URL."""

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets_tests.crawl.network.test_fetcher import FAILURES
from webmine_assets_tests.hostile import HostileSite
from webmine_assets_tests.hostile.pages import CHARSETS, PDFS
from webmine_assets_tests.hostile.site import Robots
from webmine_assets_tests.hostile.wire import PRIVATE_TARGETS, bomb

MAX_MEMORY_MB = 600
MAX_SECONDS = 110

SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.crawler import CrawlOptions, crawl
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.crawl.network.fetcher import FetchLimits, HttpFetcher
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.network.retry import RetryPolicy
from webmine_assets.institutions import Institution

async def main():
    origin, folder, depth = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    seeds = ["/"] if depth else ["/ok", "/private/page"]
    institution = Institution.model_validate({
        "institution_id": "hostile", "seed_urls": [origin + seed for seed in seeds],
        "allowed_domains": ["127.0.0.1"],
        "allow_networks": ["127.0.0.1/32"], "max_pages": 150, "max_depth": depth,
        "budgets": {"max_seconds": 90},
        "politeness": {"delay_ms": 0, "concurrency": 8}, "rendering": {"mode": "never"},
    })
    clock = SystemClock()
    limits = PolitenessLimits(delay_s=0, concurrency=8, max_hold_s=1, first_backoff_s=0.01)
    async with HttpFetcher(
        guard=Guard(institution.allow_networks), politeness=Politeness(limits, clock), clock=clock,
        user_agent="webmine/test", limits=FetchLimits(total_s=8, connect_s=3, idle_s=3),
        retry=RetryPolicy(max_attempts=1),
    ) as fetcher:
        journal = open_crawl_journal(folder, institution, clock=clock)
        result = await crawl(institution, fetcher=fetcher, journal=journal, clock=clock,
                             options=CrawlOptions(workers=1))
    with result:
        rows = [[row.url, row.text] for row in result.snapshots()]
        ledger = [[row.url, row.decision, row.reason] for row in result.ledger()]
        result.finish()
    print(json.dumps({"rows": rows, "ledger": ledger, "stopped_by": result.report.stopped_by,
                      "decisions": result.report.decisions}))

asyncio.run(main())
"""


async def peak_memory_mb(pid: int) -> float:
    """The most that a process and its children held at one time, shared pages counted once."""
    peak = 0
    with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        process = psutil.Process(pid)
        while process.is_running():
            held = 0
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
                    held += each.memory_full_info().pss
            peak = max(peak, held)
            if process.status() == psutil.STATUS_ZOMBIE:
                break
            await asyncio.sleep(0.05)
    return peak / 1024 / 1024


def _expected() -> dict[str, str]:
    """What each page of the hostile site must come to, whatever else happens there."""
    expected = {path: _decided(reason) for path, reason in FAILURES.items()}
    # In a crawl the scope refuses a redirect before the guard has to.
    expected |= {f"/to/{name}": "out_of_scope:host" for name in PRIVATE_TARGETS}
    expected |= {f"/chain/{length}": "content_policy:redirects" for length in range(6, 31)}
    expected |= {f"/chain/{length}": "alias:redirect" for length in range(1, 6)}
    expected |= {f"/pdf/{name}": "content_policy:pdf_broken" for name in PDFS}
    expected |= {f"/coded/{coding}": "stored:new" for coding in ("gzip", "deflate", "br", "zstd")}
    expected |= {f"/status/{code}": f"http_error:http_{code}" for code in (404, 500)}
    expected |= {f"/status/{code}": "content_policy:status" for code in (204, 206)}
    expected |= {f"/charset/{name}": "alias:checksum" for name in CHARSETS}
    expected |= dict.fromkeys(("/charset/utf-16-bom", "/charset/shift-jis-header"), "stored:new")
    return expected | {
        "/": "stored:new",
        "/ok": "stored:new",
        "/chain/0": "stored:new",
        "/loop/b": "content_policy:redirect_loop",
        "/busy/429": "http_error:http_429",
        "/busy/long": "http_error:http_429",
        "/busy/503": "http_error:http_503",
        "/busy/once": "http_error:http_503",
        "/content/many-links": "stored:new",
        "/content/deep": "stored:new",
        "/content/nul-bytes": "stored:new",
        "/content/binary-as-html": "content_policy:binary",
        "/content/empty": "content_policy:min_text",
        "/soft/missing": "content_policy:soft_404",
        "/calendar": "stored:new",
        "/session": "stored:new",
        "/private/page": "robots_blocked:robots_rule",
        "/missing": "http_error:http_404",
    }


def _decided(reason: FetchReason) -> str:
    too_much = {"body_size", "expansion", "header_size", "redirects", "redirect_loop"}
    return f"{'content_policy' if reason in too_much else 'fetch_error'}:{reason}"


async def _crawl(site: HostileSite, folder: Path, *, depth: int = 0) -> dict[str, Any]:
    """Crawl in a process of its own, whose memory and time are limited."""
    command = [sys.executable, "-c", SCRIPT, site.origin, str(folder), str(depth)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    watching = asyncio.create_task(peak_memory_mb(process.pid))
    try:
        output, _ = await asyncio.wait_for(process.communicate(), MAX_SECONDS)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    peak_mb = await watching
    assert process.returncode == 0
    assert 20 < peak_mb < MAX_MEMORY_MB
    crawled: dict[str, Any] = json.loads(output)
    urls = [url for url, _, _ in crawled["ledger"]]
    assert len(urls) == len(set(urls)) == sum(crawled["decisions"].values())
    return crawled


@pytest.mark.slow
@pytest.mark.timeout(200)
async def test_hostile_site_is_crawled_to_its_end(
    hostile_site: HostileSite, tmp_path: Path
) -> None:
    for coding in ("gzip", "deflate", "br", "zstd", "nested"):
        bomb(coding)  # made before the clock runs: 100 MB take the site some seconds
    crawled = await _crawl(hostile_site, tmp_path, depth=4)
    assert crawled["stopped_by"] in ("finished", "max_pages", "max_requests")
    decided = {
        url.removeprefix(hostile_site.origin): f"{decision}:{reason}"
        for url, decision, reason in crawled["ledger"]
    }
    expected = _expected()
    # On a busy machine a broken answer may also run out of time first: that it is refused is what
    # counts here, and each reason has its own test at the fetcher.
    in_time = {p for p in expected if p not in FAILURES or decided.get(p) != "fetch_error:timeout"}
    assert {p: decided.get(p) for p in in_time} == {p: expected[p] for p in in_time}
    for path in hostile_site.paths:
        assert any(urlsplit(url).path == urlsplit(path).path.rstrip("/") for url in decided), path
    texts = {url.removeprefix(hostile_site.origin): text for url, text in crawled["rows"]}
    assert "Университетская библиотека" in texts["/charset/utf-16-bom"]
    assert "大学の図書館" in texts["/charset/shift-jis-header"]
    assert all(url.startswith("/") for url in texts)
    assert "/private/page" not in hostile_site.log
    assert crawled["decisions"]["trap"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("robots", ["500", "503", "429", "hanging", "leaving"])
async def test_site_whose_robots_file_is_out_of_reach_is_left_alone(
    robots: Robots, tmp_path: Path
) -> None:
    async with HostileSite(robots) as site:
        crawled = await _crawl(site, tmp_path)
    assert crawled["rows"] == []
    assert [(decision, reason) for _, decision, reason in crawled["ledger"]] == [
        ("robots_blocked", "robots_unreachable")
    ] * 2
    assert site.log == ["/robots.txt"]


@pytest.mark.slow
@pytest.mark.parametrize("robots", ["403", "absent", "looping"])
async def test_site_without_a_robots_file_is_crawled(robots: Robots, tmp_path: Path) -> None:
    async with HostileSite(robots) as site:
        crawled = await _crawl(site, tmp_path)
    assert crawled["decisions"] == {"http_error": 1, "stored": 1}
    assert {"/ok", "/private/page"} <= set(site.log)


@pytest.mark.slow
@pytest.mark.parametrize("robots", ["huge", "redirecting"])
async def test_rules_hold_in_a_file_of_5_mb_and_in_one_that_moved(
    robots: Robots, tmp_path: Path
) -> None:
    async with HostileSite(robots) as site:
        crawled = await _crawl(site, tmp_path)
    assert (crawled["decisions"]["robots_blocked"], crawled["decisions"]["stored"]) == (1, 1)
    assert "/private/page" not in site.log
