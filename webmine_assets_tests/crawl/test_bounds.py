"""Where a crawl ends: traps, requests, bytes, time, links without number."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.crawl.assembly import assemble, robots_gate
from webmine_assets.crawl.cache import NoPrevious
from webmine_assets.crawl.discovery import Found
from webmine_assets.crawl.exchange import (
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.pages.links import MAX_LINKS
from webmine_assets.crawl.pages.parsers import InlineParser
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    check_sums,
    crawl_site,
    html,
    institution,
    response,
)


async def test_traps_end_bounded(tmp_path: Path) -> None:
    def calendar(request: FetchRequest) -> FetchResponse:
        month = int(request.url.rpartition("=")[2] or 0)
        links = [f"/calendar?month={month + step}" for step in (1, 2, 3)]
        return response(request.url, html(f"month {month}", links=links))

    pages: dict[str, Any] = {"/": html("home", links=["/calendar?month=1"])}
    pages |= {f"/calendar?month={n}": calendar for n in range(2000)}
    crawled = await crawl_site(pages, tmp_path, config=institution(max_depth=500, max_pages=1000))
    check_sums(crawled)
    assert crawled.report.stopped_by == "finished"
    assert len(crawled.rows) < 100
    assert crawled.report.decisions["trap"] > 0


async def test_copies_without_end_stop_at_the_request_budget(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/c/{'x' * n}" for n in range(1, 400)])}
    pages |= {f"/c/{'x' * n}": html("copy") for n in range(1, 400)}
    crawled = await crawl_site(pages, tmp_path, config=institution(max_pages=5))
    check_sums(crawled)
    assert crawled.report.stopped_by == "max_requests"
    assert len(crawled.asked_pages()) <= 200


async def test_bytes_stop_the_crawl_cleanly(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_bytes": 10_000})
    crawled = await crawl_site(pages, tmp_path, config=config)
    check_sums(crawled)
    assert crawled.report.stopped_by == "max_bytes"
    assert 1 < len(crawled.rows) < 101
    assert crawled.report.decisions["over_bytes"] == 101 - len(crawled.rows)


async def test_time_stops_the_crawl_cleanly(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_seconds": 10})
    crawled = await crawl_site(
        pages, tmp_path, config=config, connections=1, latency_s=lambda _: 1.0
    )
    check_sums(crawled)
    assert crawled.report.stopped_by == "max_seconds"
    assert crawled.report.decisions["over_time"] > 50


async def test_replay_ends_where_time_ended_the_crawl(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_seconds": 10})
    runs = [
        await crawl_site(
            pages,
            tmp_path,
            config=config,
            connections=1,
            latency_s=lambda _, wait_s=wait_s: wait_s,
            publish=False,
        )
        for wait_s in (1.0, 0.001)
    ]
    assert runs[1].asked == []
    assert runs[0].rows == runs[1].rows
    assert runs[0].ledger == runs[1].ledger


@pytest.mark.slow
async def test_time_that_runs_out_behind_a_slow_page_keeps_what_was_received(
    tmp_path: Path,
) -> None:
    """The one slow page is late; those behind it are stored, and a replay does the same."""
    names = ["slow", *(f"p{n}" for n in range(20))]
    pages = {"/": html("home", links=[f"/{name}" for name in names])}
    pages |= {f"/{name}": html(name, links=[f"/{name}/next"]) for name in names}
    config = institution(budgets={"max_seconds": 4})
    first, replayed = [
        await crawl_site(
            pages,
            tmp_path,
            config=config,
            connections=16,
            latency_s=lambda url: 1_000.0 if url.endswith("/slow") else 0.3,
            clock=_ImpatientClock(),
            publish=False,
        )
        for _ in range(2)
    ]
    check_sums(first)
    assert first.report.stopped_by == "max_seconds"
    assert first.decision("/slow") == first.decision("/p3/next") == "over_time:max_seconds"
    assert first.paths == ["/", *(f"/p{n}" for n in range(20))]
    assert next(row for row in first.ledger if row.url.endswith("/slow")).detail == "4 seconds"
    assert replayed.asked == []
    assert (replayed.rows, replayed.ledger) == (first.rows, first.ledger)


class _ImpatientClock(FakeClock):
    """Waits of more than a minute never end: what comes first is the limit, in real seconds."""

    async def sleep(self, seconds: float) -> None:
        if seconds > 60:
            await asyncio.Event().wait()
        await super().sleep(seconds)


async def test_link_farm_is_cut_at_what_may_wait_and_what_may_be_known(tmp_path: Path) -> None:
    journal = open_crawl_journal(tmp_path, institution(), clock=FakeClock())
    fetcher = FakeFetcher({})
    parts = assemble(
        institution(),
        fetcher=fetcher,
        robots=robots_gate(institution(), fetcher, journal),
        renderer=None,
        previous=NoPrevious(),
        journal=journal,
        parser=InlineParser(),
    )
    discovery = parts.discovery
    discovery.max_waiting, discovery.max_discovered = 20, 40
    links = [Found(f"{ORIGIN}/{'a' * n}", f"{ORIGIN}/{'a' * n}") for n in range(1, 60)]
    await discovery.add_links(links, depth=1, source_url=ORIGIN)
    assert len(parts.frontier) == 20
    assert parts.ledger.reasons == {"over_pages:max_queue": 20}
    assert discovery.left_off == 19
    await discovery.add_links(links, depth=1, source_url=ORIGIN)
    assert (len(parts.frontier), discovery.left_off) == (20, 38)
    parts.remove_spools()
    journal.remove()


async def test_few_sitemaps_are_held_at_once(tmp_path: Path) -> None:
    under_way: list[int] = [0]

    def begin(url: str) -> float:
        under_way.append(under_way[-1] + url.endswith(".xml"))
        return 0.1

    def end(request: FetchRequest) -> FetchResponse:
        under_way.append(under_way[-1] - 1)
        return response(request.url, b"<urlset></urlset>", content_type="text/xml")

    names = [f"/{number}.xml" for number in range(9)]
    lines = "".join(f"Sitemap: {ORIGIN}{name}\n" for name in names).encode()
    await crawl_site(
        {"/": html("home"), "/robots.txt": lines, **dict.fromkeys(names, end)},
        tmp_path,
        connections=16,
        latency_s=begin,
    )
    assert (max(under_way), under_way[-1]) == (2, 0)
    assert len(under_way) > 2 * len(names)


@pytest.mark.slow
async def test_links_that_a_page_has_too_many_of_are_counted(tmp_path: Path) -> None:
    links = [f"https://elsewhere.example/{number}" for number in range(MAX_LINKS + 7)]
    crawled = await crawl_site({"/": html("home", links=links)}, tmp_path)
    assert crawled.report.counters.links_left_off == 7
    assert crawled.report.decisions["out_of_scope"] == MAX_LINKS
