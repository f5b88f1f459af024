"""The studio over a large lake: time of the overview, the explorer, a page and a rule preview.

    python benchmarks/studio.py [--pages 100000] [--institutions 20] [--rounds 15] [--folder DIR]

Pages are made here from a fixed seed. With --folder the lake is kept and used again. Each address
is asked for after a change of one institution, all of whose tables are read again, and then once
more. CPU is that of all threads: on a busy machine it tells more than the time.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp.test_utils import TestClient, TestServer

from webmine_assets.records import (
    CrawlCounters,
    CrawlReport,
    Decision,
    FieldProvenance,
    LedgerRow,
    PageContent,
    PageMetadata,
    PageSnapshot,
    PageTopic,
    SnapshotMeta,
    page_id,
)
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchDocument, SearchIndex
from webmine_assets.studio.app import build_app

START = datetime(2025, 1, 1, tzinfo=UTC)
LANGUAGES = ("en", "en", "en", "de", "fr")
TOPICS = tuple(f"topic {number}" for number in range(60))
OUTCOMES = (
    (Decision.OUT_OF_SCOPE, "host"),
    (Decision.ALIAS, "redirect"),
    (Decision.ROBOTS_BLOCKED, "robots_rule"),
    (Decision.HTTP_ERROR, "http_404"),
    (Decision.OVER_DEPTH, "max_depth"),
)


class Corpus:
    """Made-up pages of about 7 kB: a menu, ten paragraphs, a related box, a footer."""

    def __init__(self) -> None:
        self._rng = random.Random(7)
        letters = "etaoinshrdlucmfwypvbgk"
        self._words = [
            "".join(self._rng.choices(letters, k=self._rng.randint(3, 9))) for _ in range(4000)
        ]

    def paragraph(self) -> str:
        return " ".join(self._rng.choices(self._words, k=70)).capitalize() + "."

    def snapshots(self, name: str, count: int) -> Iterator[PageSnapshot]:
        for number in range(count):
            yield self._snapshot(name, number)

    def _snapshot(self, name: str, number: int) -> PageSnapshot:
        url = f"https://{name}.edu/story/{number}"
        paragraphs = [self.paragraph() for _ in range(10)]
        title = " ".join(self._rng.choices(self._words, k=6)).capitalize()
        moment = START + timedelta(minutes=number)
        return PageSnapshot(
            institution=name,
            page_id=page_id(name, url),
            url=url,
            canonical_url=url,
            requested_url=url,
            fetched_at=moment,
            http_status=200,
            content_type="text/html",
            encoding="utf-8",
            headers={"content-type": "text/html"},
            body=html_of(title, paragraphs),
            text="\n".join(paragraphs),
            excerpt=paragraphs[0][:200],
            lang=self._rng.choice(LANGUAGES),
            lang_confidence=0.99,
            checksum=f"sha256:{number:064x}",
            simhash=self._rng.getrandbits(62),
            title=title,
            depth=number % 5,
            discovered_from=f"https://{name}.edu/",
            etag=None,
            last_modified=None,
            first_seen_at=moment,
            changed_at=moment,
            meta=SnapshotMeta(),
        )


def html_of(title: str, paragraphs: list[str]) -> bytes:
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    links = "".join(f'<li><a href="/story/{n}">{paragraphs[n][:60]}</a></li>' for n in range(5))
    return (
        f"<html><head><title>{title}</title></head><body><nav class=menu><ul>{links}</ul></nav>"
        f"<article><h1>{title}</h1><div class=article-body>{body}</div>"
        f"<div class=related-articles><h2>Related</h2><ul>{links}</ul></div></article>"
        f"<footer class=site-footer>{paragraphs[0]}</footer></body></html>"
    ).encode()


def content(page: PageSnapshot) -> PageContent:
    return PageContent(
        institution=page.institution, page_id=page.page_id, url=page.url, checksum=page.checksum,
        title=page.title, text=page.text, raw_markdown=page.text, fit_markdown=page.text,
        full_content=page.text, selected="fit", selection_reason="", text_source="article",
        word_count=700, extractor_version="1", extracted_at=page.fetched_at,
    )  # fmt: skip


def metadata(page: PageSnapshot) -> PageMetadata:
    title = FieldProvenance(field="title", source="title:h1", raw=page.title or "")
    return PageMetadata(
        institution=page.institution, page_id=page.page_id, url=page.url, title=page.title,
        description=page.excerpt, image_url=None, authors=("A. Author",),
        published_at=page.fetched_at.isoformat(), published_on=page.fetched_at.date(),
        modified_at=None, modified_on=None, content_text=page.text[:2000], word_count=700,
        language=page.lang, language_confidence=0.99, declared_language=page.lang,
        provenance=(title,), extraction_log="", extractor_version="1",
        metadata_scraped_at=page.fetched_at,
    )  # fmt: skip


def topics(page: PageSnapshot, rng: random.Random) -> Iterator[PageTopic]:
    for rank, topic in enumerate(rng.sample(TOPICS, 3), 1):
        yield PageTopic(
            institution=page.institution, page_id=page.page_id, url=page.url, topic=topic,
            rank=rank, confidence=0.5, sources=("content:analysis",), keywords=("word",),
            parents=(), user_provided=False, extractor_version="1",
        )  # fmt: skip


def ledger(name: str, count: int) -> Iterator[LedgerRow]:
    """Twice as many URLs as pages."""
    for number in range(2 * count):
        decision, reason = (Decision.STORED, "new")
        if number >= count:
            decision, reason = OUTCOMES[number % len(OUTCOMES)]
        yield LedgerRow(
            institution=name, url=f"https://{name}.edu/story/{number}", decision=decision,
            reason=reason, detail="", depth=2, discovered_from=None, decided_at=START,
        )  # fmt: skip


def reports(name: str, count: int) -> Iterator[CrawlReport]:
    for day in range(20):
        started = START + timedelta(days=day)
        yield CrawlReport(
            institution=name, started_at=started, finished_at=started, stopped_by="finished",
            counters=CrawlCounters(pages_used=count, errors=day), decisions={"stored": count},
            reasons={}, languages={"en": count}, sample_urls=(), rendering="off",
            config_json="{}", code_version="0",
        )  # fmt: skip


def document(page: PageSnapshot) -> SearchDocument:
    return SearchDocument(
        page_id=page.page_id, institution=page.institution, url=page.url, title=page.title or "",
        text=page.text[:1000], language=page.lang, date=page.changed_at,
    )  # fmt: skip


def fill(settings: Settings, *, pages: int, institutions: int) -> None:
    """Write every table of every institution, a few thousand rows of memory at a time."""
    corpus, rng, lake = Corpus(), random.Random(8), Lake(settings.lake)
    index, each = SearchIndex(settings.search_index), pages // institutions
    settings.institutions.mkdir(parents=True, exist_ok=True)
    for number in range(institutions):
        name = f"u{number}"
        rows = list(corpus.snapshots(name, each))
        lake.write("page_snapshots", name, rows)
        lake.write("page_content", name, map(content, rows))
        lake.write("page_metadata", name, map(metadata, rows))
        lake.write("page_topics", name, (topic for row in rows for topic in topics(row, rng)))
        lake.write("url_ledger", name, ledger(name, each))
        lake.write("crawl_reports", name, reports(name, each))
        index.update(name, map(document, rows))
        text = f"institution_id: {name}\nseed_urls: [https://{name}.edu/]\n"
        domains = f"allowed_domains: [{name}.edu]\n"
        (settings.institutions / f"{name}.yaml").write_text(text + domains, "utf-8")
        print(f"  {name}: {each} pages", flush=True)


async def measure(settings: Settings, rounds: int) -> None:
    app = build_app(settings, enhance=lambda institution, progress: None)
    async with TestClient(TestServer(app)) as client:
        some = await (await client.get("/api/pages?institution=u1&limit=1")).json()
        page, words = some["pages"][0]["page_id"], some["pages"][0]["title"].split()[1]
        for label, path in addresses(page, words):
            changed, again = [], []
            for _ in range(rounds):
                change(settings)
                changed.append(await asked(client, path))
                again.append(await asked(client, path))
            print(f"{label:40} after a change {figures(changed)}   again {figures(again)}")


def change(settings: Settings) -> None:
    """As a crawl and its enhancement do, give every table of an institution another time stamp."""
    for partition in Path(settings.lake).glob("*/institution=u0/part-0.parquet"):
        partition.touch()


def figures(measured: list[tuple[float, float]]) -> str:
    wall, cpu = zip(*measured, strict=True)
    middle, worst, busy = (
        f"{1000 * seconds:5.0f}" for seconds in (statistics.median(wall), max(wall), min(cpu))
    )
    return f"median {middle} worst {worst} cpu {busy} ms"


def addresses(page: str, words: str) -> list[tuple[str, str]]:
    return [
        ("overview", "/"),
        ("explorer", "/pages"),
        ("explorer, one institution and language", "/pages?institution=u3&language=de"),
        ("explorer, topic and dates", "/pages?topic=topic+7&since=2025-01-02&until=2025-02-01"),
        ("explorer, decision", "/pages?decision=stored"),
        ("explorer, last screen", "/pages?page=3999"),
        ("explorer, search", f"/pages?q={words}"),
        ("URLs", "/urls?decision=http_error"),
        ("one page", f"/pages/{page}"),
        ("stored page", f"/pages/{page}/stored"),
        ("rules", "/rules"),
        ("rule preview, 20 pages", f"/api/rules/preview?page={page}&value=.related-articles"),
    ]


async def asked(client: TestClient, path: str) -> tuple[float, float]:  # type: ignore[type-arg]  # any application
    """Seconds until the whole answer is there, and of CPU meanwhile."""
    start, busy = time.perf_counter(), time.process_time()
    answer = await client.get(path)
    await answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    return time.perf_counter() - start, time.process_time() - busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--institutions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as made:
        settings = read_settings({"WEBMINE_DATA": str(options.folder or made)})
        if not Path(settings.lake).exists():
            fill(settings, pages=options.pages, institutions=options.institutions)
        asyncio.run(measure(settings, options.rounds))


if __name__ == "__main__":
    main()
