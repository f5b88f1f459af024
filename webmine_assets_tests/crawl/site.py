"""Sites for crawl tests: pages in a table, crawled without a network."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from webmine_assets.crawl.assembly import robots_gate
from webmine_assets.crawl.cache import PreviousSnapshots
from webmine_assets.crawl.crawler import CrawlOptions, crawl
from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Renderer,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fake import Answer, FakeFetcher, Responder
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.crawl.report import CrawlProgress
from webmine_assets.institutions import Institution
from webmine_assets.records import PAGE_DECISIONS, CrawlReport, LedgerRow, PageSnapshot

ORIGIN = "https://u1.edu"


def prose(topic: str) -> str:
    return f"This page is about {topic}, and it says enough in plain English words to be kept."


def html(
    topic: str, *, links: Sequence[str] = (), head: str = "", text: str | None = None
) -> bytes:
    anchors = "".join(f'<a href="{link}">link</a>' for link in links)
    body = prose(topic) if text is None else text
    return (
        f"<html><head><title>{topic}</title>{head}</head><body><nav>{anchors}</nav>"
        f"<main><p>{body}</p></main></body></html>"
    ).encode()


def response(
    url: str, body: bytes, *, status: int = 200, redirects: tuple[str, ...] = (), **headers: str
) -> FetchResponse:
    names = {"content-type": "text/html; charset=utf-8"}
    names |= {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchResponse(
        requested_url=redirects[0] if redirects else url,
        url=url,
        status=status,
        headers=names,
        body=body,
        fetched_at=FakeClock().utcnow(),
        redirects=redirects,
        wire_bytes=len(body),
    )


def failure(url: str, reason: FetchReason, detail: str = "") -> FetchFailure:
    return FetchFailure(
        requested_url=url, reason=reason, detail=detail, fetched_at=FakeClock().utcnow()
    )


def site(pages: Mapping[str, bytes | Answer | Responder]) -> dict[str, Answer | Responder]:
    """Answers by full URL from bodies by path."""
    answers: dict[str, Answer | Responder] = {}
    for path, page in pages.items():
        url = path if path.startswith("http") else ORIGIN + path
        answers[url] = response(url, page) if isinstance(page, bytes) else page
    return answers


def institution(**fields: Any) -> Institution:
    values: dict[str, Any] = {
        "institution_id": "u1",
        "seed_urls": [f"{ORIGIN}/"],
        "allowed_domains": ["u1.edu"],
        "rendering": {"mode": "never"},
    }
    return Institution.model_validate(values | fields)


class Crawled:
    """The rows of a finished crawl, by what tests ask for."""

    def __init__(
        self,
        rows: list[PageSnapshot],
        ledger: list[LedgerRow],
        report: CrawlReport,
        asked: list[str],
    ) -> None:
        self.rows = rows
        self.ledger = ledger
        self.report = report
        self.asked = asked

    @property
    def paths(self) -> list[str]:
        return [row.url.removeprefix(ORIGIN) for row in self.rows]

    def decision(self, path: str) -> str:
        url = path if path.startswith("http") else ORIGIN + path
        (row,) = (row for row in self.ledger if row.url == url)
        return f"{row.decision}:{row.reason}"

    def page(self, path: str) -> PageSnapshot:
        (row,) = (row for row in self.rows if row.url == ORIGIN + path)
        return row

    def asked_pages(self) -> list[str]:
        return [url.removeprefix(ORIGIN) for url in self.asked if not url.endswith("/robots.txt")]


class Limited:
    """A fetcher with so many connections, as the live one has."""

    def __init__(self, fetcher: FakeFetcher, connections: int) -> None:
        self._fetcher = fetcher
        self._places = asyncio.Semaphore(connections)

    async def fetch(self, request: FetchRequest) -> FetchResponse | FetchFailure:
        async with self._places:
            return await self._fetcher.fetch(request)


async def crawl_site(
    pages: Mapping[str, bytes | Answer | Responder],
    folder: Path,
    *,
    config: Institution | None = None,
    previous: PreviousSnapshots | None = None,
    connections: int = 4,
    latency_s: Callable[[str], float] | None = None,
    clock: FakeClock | None = None,
    seeds: Sequence[tuple[str, str]] = (),
    on_progress: Callable[[CrawlProgress], None] = lambda _: None,
    renderer: Renderer | None = None,
    set_crawl_delay: Callable[[str, float], None] | None = None,
    max_kept: int = 0,
    publish: bool = True,
) -> Crawled:
    """Crawl to the end and publish, or leave it as if the process had died before."""
    clock = clock or FakeClock()
    config = config or institution()
    fetcher = FakeFetcher(site(pages), clock=clock, latency_s=latency_s)
    journal = open_crawl_journal(folder, config, clock=clock, seeds=seeds)
    limited = Limited(fetcher, connections)
    result = await crawl(
        config,
        fetcher=limited,
        robots=robots_gate(config, limited, journal, set_crawl_delay=set_crawl_delay),
        journal=journal,
        clock=clock,
        previous=previous,
        renderer=renderer,
        options=CrawlOptions(workers=0),
        max_kept=max_kept,
        on_progress=on_progress,
    )
    rows, ledger = list(result.snapshots()), list(result.ledger())
    if publish:
        result.finish()
    result.close()
    return Crawled(rows, ledger, result.report, fetcher.urls)


def without_times(rows: Sequence[PageSnapshot]) -> list[PageSnapshot]:
    at = FakeClock().utcnow()
    return [replace(row, fetched_at=at, first_seen_at=at, changed_at=at) for row in rows]


def check_sums(crawled: Crawled) -> None:
    """What holds after every crawl."""
    urls = [row.url for row in crawled.ledger]
    assert len(urls) == len(set(urls))
    assert crawled.report.decisions == dict(
        sorted(Counter(r.decision for r in crawled.ledger).items())
    )
    kept = {row.url for row in crawled.ledger if row.decision in PAGE_DECISIONS}
    assert kept == {row.url for row in crawled.rows}
    assert crawled.report.counters.pages_used == len(crawled.rows)
    aliases = {url for row in crawled.rows for url in row.meta.alias_urls}
    assert aliases == {row.url for row in crawled.ledger if row.decision == "alias"}
