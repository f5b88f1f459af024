"""After `kill -9` the same command ends with the same table and fetches nothing twice."""

import asyncio
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from webmine_assets.crawl.miner import WebMiner
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.institutions import Institution, Politeness
from webmine_assets_tests.crawl.site import html

# What a user's command does: crawl, publish aside, rename, then let the journal go.
SCRIPT = """
import asyncio, json, os, sys
from dataclasses import asdict
from pathlib import Path
from webmine_assets.crawl.miner import WebMiner
from webmine_assets.institutions import Institution

folder = Path(sys.argv[2])
institution = Institution.model_validate_json(sys.argv[1])
with asyncio.run(WebMiner(journals=folder, workers=0).mine(institution)) as result:
    rows = [dict(asdict(row), body=row.body.decode()) for row in result.snapshots()]
    ledger = [asdict(row) for row in result.ledger()]
    (folder / "new.json").write_text(json.dumps([rows, ledger], default=str))
    os.replace(folder / "new.json", folder / "table.json")
    result.finish()
"""


@dataclass(slots=True)
class CountingSite:
    """A small site that counts what it is asked for; `alarm` rings at the request numbered so."""

    origin: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    alarm: asyncio.Event = field(default_factory=asyncio.Event)
    rings_at: int | None = None

    async def answer(self, request: web.Request) -> web.Response:
        self.asked[request.path] += 1
        if self.rings_at is not None and self.asked.total() >= self.rings_at:
            self.alarm.set()
        await asyncio.sleep(0.01)
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /p7\n")
        number = int(request.path.lstrip("/pt") or 0)
        if number % 11 == 10 and not request.path.startswith("/t"):
            raise web.HTTPFound(f"/t{number}")
        topic = "a copy" if number % 9 == 8 else f"page {number}"
        links = [f"/p{number * 3 + step}" for step in range(1, 5)]
        return web.Response(body=html(topic, links=links), content_type="text/html")

    def ring_after(self, requests: int | None) -> None:
        self.alarm.clear()
        self.rings_at = None if requests is None else self.asked.total() + requests

    def institution(self) -> Institution:
        fields: dict[str, Any] = {
            "institution_id": "u1",
            "seed_urls": [f"{self.origin}/"],
            "allowed_domains": ["127.0.0.1"],
            "allow_networks": ["127.0.0.0/8"],
            "max_pages": 60,
            "max_depth": 9,
            "politeness": {"delay_ms": 0, "concurrency": 8},
            "rendering": {"mode": "never"},
        }
        return Institution.model_validate(fields)


@pytest.fixture
async def counting_site() -> AsyncIterator[CountingSite]:
    site = CountingSite()
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield site
    await runner.cleanup()


async def _run(
    site: CountingSite, folder: Path, *, kill_after: int | None = None, delay_s: float = 0.0
) -> int:
    """The command's exit code; it is killed `delay_s` after so many requests."""
    site.ring_after(kill_after)
    config = site.institution().model_dump_json()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SCRIPT, config, str(folder)
    )
    ended = asyncio.create_task(process.wait())
    alarm = asyncio.create_task(site.alarm.wait())
    await asyncio.wait({ended, alarm}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(delay_s)
    if kill_after is not None and not ended.done():
        process.kill()
    alarm.cancel()
    return await ended


def _table(folder: Path) -> tuple[list[Any], list[Any]]:
    """Rows and ledger without the times, which are those of the fetches."""
    rows, ledger = json.loads((folder / "table.json").read_text())
    for row in rows:
        for name in ("fetched_at", "first_seen_at", "changed_at", "headers"):
            del row[name]
    for row in ledger:
        del row["decided_at"]
    return rows, ledger


def _journalled(site: CountingSite, folder: Path, aside: Path) -> set[str]:
    """The paths whose answers a killed crawl left in its journal."""
    aside.mkdir(exist_ok=True)
    shutil.copy(folder / "u1.journal", aside)
    paths = {*site.asked}
    with open_crawl_journal(aside, site.institution(), clock=SystemClock()) as journal:
        assert journal.resumed
        places = {path: ("robots" if path == "/robots.txt" else "page") for path in paths}
        return {path for path in paths if (places[path], site.origin + path) in journal}


@pytest.mark.slow
async def test_killed_at_random_moments_the_crawl_ends_as_if_undisturbed(
    counting_site: CountingSite, tmp_path: Path
) -> None:
    assert await _run(counting_site, tmp_path / "calm") == 0
    expected = _table(tmp_path / "calm")
    counting_site.asked.clear()
    rng = random.Random(4)
    folder = tmp_path / "killed"
    kills = 0
    settled: dict[str, int] = {}
    while await _run(
        counting_site, folder, kill_after=rng.randint(1, 20), delay_s=rng.uniform(0, 0.05)
    ):
        kills += 1
        assert kills < 40
        assert not (folder / "table.json").exists()
        assert {path: counting_site.asked[path] for path in settled} == settled
        for path in _journalled(counting_site, folder, tmp_path / "aside"):
            settled.setdefault(path, counting_site.asked[path])
    assert kills >= 3
    assert {path: counting_site.asked[path] for path in settled} == settled
    assert _table(folder) == expected
    assert not list(folder.glob("u1.*"))


async def test_stopped_crawl_keeps_its_journal_and_changed_configuration_starts_anew(
    counting_site: CountingSite, tmp_path: Path
) -> None:
    miner = WebMiner(journals=tmp_path, workers=0)
    counting_site.ring_after(20)
    mining = asyncio.create_task(miner.mine(counting_site.institution()))
    await counting_site.alarm.wait()
    mining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await mining
    assert [path.name for path in tmp_path.iterdir()] == ["u1.journal"]  # noqa: ASYNC240
    with await miner.mine(counting_site.institution()) as resumed:
        assert resumed.report.counters.replayed > 0
    politer = {"politeness": Politeness(delay_ms=1, concurrency=2), "name": "University"}
    with await miner.mine(counting_site.institution().model_copy(update=politer)) as other_pace:
        assert other_pace.report.counters.replayed == other_pace.report.counters.urls_fetched
    # Closed without `finish`: nothing was published, so everything is replayed.
    before = counting_site.asked.total()
    with await miner.mine(counting_site.institution()) as again:
        assert again.report.counters.replayed == again.report.counters.urls_fetched
        assert counting_site.asked.total() == before
    changed = counting_site.institution().model_copy(update={"max_pages": 3})
    with await miner.mine(changed) as anew:
        assert anew.report.counters.replayed == 0
        assert anew.page_count == 3
        anew.finish()
