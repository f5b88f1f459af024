"""After `kill -9` the same command ends with the same table and fetches nothing twice."""

import asyncio
import random
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from aiohttp import web

from webmine_assets.crawl.miner import WebMiner
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.institutions import Institution, Politeness
from webmine_assets.stages.folder_crawl import LEDGER, PAGES, REPORT
from webmine_assets.storage.lake import note_of
from webmine_assets_tests.crawl import killable
from webmine_assets_tests.crawl.site import html


@dataclass(slots=True)
class CountingSite:
    """A small site that counts what it is asked for; `alarm` rings at the request numbered so."""

    origin: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    alarm: asyncio.Event = field(default_factory=asyncio.Event)
    rings_at: int | None = None
    size: int | None = None
    gone: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)

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
        if request.path in self.gone:
            raise web.HTTPNotFound
        if request.path in self.refused:
            raise web.HTTPForbidden
        etag = f"e{number}" if number % 2 else None
        if etag and request.path not in self.changed and request.headers.get("If-None-Match"):
            return web.Response(status=304)
        return self._page(number, etag, "changed" if request.path in self.changed else "")

    def _page(self, number: int, etag: str | None, more: str) -> web.Response:
        topic = "a copy" if number % 9 == 8 else f"page {number} {more}"
        targets = (number * 3 + step for step in range(1, 5))
        links = [f"/p{target}" for target in targets if self.size is None or target < self.size]
        headers = {"ETag": f'"{etag}"'} if etag else {}
        return web.Response(
            body=html(topic, links=links), content_type="text/html", headers=headers
        )

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
) -> int | None:
    """The command's exit code; it is killed `delay_s` after so many requests."""
    site.ring_after(kill_after)
    process = killable.start(site.institution().model_dump_json(), folder)
    ended = asyncio.ensure_future(killable.ended(process))
    alarm = asyncio.create_task(site.alarm.wait())
    await asyncio.wait({ended, alarm}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(delay_s)
    if kill_after is not None and not ended.done():
        process.kill()
    alarm.cancel()
    return await ended


_TIMES = {"fetched_at", "first_seen_at", "changed_at", "decided_at", "headers"}


def _tables(folder: Path) -> list[list[dict[str, Any]]]:
    """Pages and ledger without the times, which are those of the fetches."""
    tables = (pq.read_table(folder / name).to_pylist() for name in (PAGES, LEDGER))
    return [[{k: v for k, v in row.items() if k not in _TIMES} for row in rows] for rows in tables]


def _journalled(site: CountingSite, folder: Path, aside: Path) -> set[str]:
    """The paths whose answers a killed crawl left in its journal."""
    aside.mkdir(exist_ok=True)
    shutil.copy(folder / "journal" / "u1.journal", aside)
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
    expected = _tables(tmp_path / "calm")
    counting_site.asked.clear()
    rng = random.Random(4)
    folder = tmp_path / "killed"
    kills = 0
    settled: dict[str, int] = {}
    while await _run(
        counting_site, folder, kill_after=rng.randint(1, 15), delay_s=rng.uniform(0, 0.05)
    ):
        kills += 1
        assert kills < 60
        assert not (folder / PAGES).exists()
        assert {path: counting_site.asked[path] for path in settled} == settled
        for path in _journalled(counting_site, folder, tmp_path / "aside"):
            settled.setdefault(path, counting_site.asked[path])
    assert kills >= 5
    assert {path: counting_site.asked[path] for path in settled} == settled
    assert _tables(folder) == expected
    assert sorted(path.name for path in folder.iterdir()) == [PAGES, REPORT, LEDGER]


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_killed_before_any_file_operation_of_a_second_crawl_nothing_is_lost(
    counting_site: CountingSite, tmp_path: Path
) -> None:
    """Publishing included: pages gone, changed, confirmed, new and kept keep their decisions."""
    counting_site.size = 7
    config = counting_site.institution().model_copy(update={"ttl_days": 0, "max_pages": 30})
    first, calm = tmp_path / "first", tmp_path / "calm"
    assert await killable.ended(_start(config, first)) == 0
    counting_site.gone, counting_site.changed = {"/p2"}, {"/p3"}
    counting_site.refused = {"/p4"}
    shutil.copytree(first, calm)
    assert await killable.ended(_start(config, calm)) == 0
    expected = _tables(calm)
    reasons = {f"{row['decision']}:{row['reason']}" for row in expected[1]}
    assert reasons >= {
        "http_error:gone", "stored:changed", "stored:unchanged", "not_modified:304", "kept:http_403"
    }  # fmt: skip

    died_at = 0
    while True:
        died_at += 1
        folder = tmp_path / f"killed-{died_at}"
        shutil.copytree(first, folder)
        if await killable.ended(_start(config, folder, dies_before=died_at)) == 0:
            break
        was_published = note_of(folder / PAGES) != note_of(first / PAGES)
        if (folder / "journal" / "u1.journal").exists() or not was_published:
            assert await killable.ended(_start(config, folder)) == 0
        assert _tables(folder) == expected, died_at
        left = {path.name for path in folder.iterdir() if path.name != "journal"}
        assert left == {PAGES, REPORT, LEDGER}, died_at
        shutil.rmtree(folder)
    assert died_at > 10


def _start(
    config: Institution, folder: Path, *, dies_before: int | None = None
) -> ForkServerProcess:
    return killable.start(config.model_dump_json(), folder, dies_before=dies_before)


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
