"""A whole crawl over the hostile site: it ends, stays bounded, and decides about every URL."""

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from webmine_assets_tests.hostile import HostileSite

MAX_MEMORY_MB = 600

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
    origin, folder = sys.argv[1], Path(sys.argv[2])
    institution = Institution.model_validate({
        "institution_id": "hostile", "seed_urls": [origin + "/"], "allowed_domains": ["127.0.0.1"],
        "allow_networks": ["127.0.0.1/32"], "max_pages": 150, "max_depth": 4,
        "budgets": {"max_seconds": 90},
        "politeness": {"delay_ms": 0, "concurrency": 8}, "rendering": {"mode": "never"},
    })
    clock = SystemClock()
    limits = PolitenessLimits(delay_s=0, concurrency=8, max_hold_s=1, first_backoff_s=0.01)
    async with HttpFetcher(
        guard=Guard(institution.allow_networks), politeness=Politeness(limits, clock), clock=clock,
        user_agent="webmine/test", limits=FetchLimits(total_s=3, connect_s=1, idle_s=1),
        retry=RetryPolicy(max_attempts=1),
    ) as fetcher:
        journal = open_crawl_journal(folder, institution, clock=clock)
        result = await crawl(institution, fetcher=fetcher, journal=journal, clock=clock,
                             options=CrawlOptions(workers=1))
    with result:
        rows = [[row.url, len(row.text)] for row in result.snapshots()]
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


@pytest.mark.slow
async def test_hostile_site_is_crawled_to_its_end(
    hostile_site: HostileSite, tmp_path: Path
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        hostile_site.origin,
        str(tmp_path),
        stdout=asyncio.subprocess.PIPE,
    )
    watching = asyncio.create_task(peak_memory_mb(process.pid))
    output, _ = await asyncio.wait_for(process.communicate(), 110)
    peak_mb = await watching
    assert process.returncode == 0
    crawled = json.loads(output)
    urls = [url for url, _, _ in crawled["ledger"]]
    assert len(urls) == len(set(urls)) == sum(crawled["decisions"].values())
    assert crawled["stopped_by"] in ("finished", "max_pages", "max_requests")
    assert 50 < peak_mb < MAX_MEMORY_MB
    stored = {urlsplit(url).path for url, _ in crawled["rows"]}
    assert "/ok" in stored
    assert all(url.startswith(hostile_site.origin) for url, _ in crawled["rows"])
    assert "/private/page" not in hostile_site.log
    assert crawled["decisions"]["trap"] > 0
    for path in hostile_site.paths:
        assert any(urlsplit(url).path == urlsplit(path).path.rstrip("/") for url in urls), path
