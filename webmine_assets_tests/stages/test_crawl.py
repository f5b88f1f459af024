"""A crawl that dies after publishing is finished, not crawled again; no imported page is lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.institutions import Institution, load_institution
from webmine_assets.progress import SilentProgress
from webmine_assets.records import LedgerRow, PageSnapshot, RssEntry
from webmine_assets.settings import Settings
from webmine_assets.stages.copies import newest_copy
from webmine_assets.stages.crawl import CrawlOutcome, crawl_pages
from webmine_assets.storage.lake import Lake, PartitionWriter, Written
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus
from webmine_assets_tests.factories import snapshot

NAME = "demo-newsroom"


class KilledError(Exception):
    """Stands for the end of the process."""


class DyingWriter(PartitionWriter):
    """Publishes, and never comes back."""

    def publish(self, note: Any = None) -> Written:
        super().publish(note)
        raise KilledError


class DyingLake(Lake):
    """A lake whose process dies when a table was just published."""

    def __init__(self, url: str, table: str) -> None:
        super().__init__(url)
        self._table = table

    def writer(self, table: str, institution: str) -> PartitionWriter:
        kind = DyingWriter if table == self._table else PartitionWriter
        return kind(self, table, institution)


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[DemoCorpus]:
    with demo_corpus(tmp_path) as opened:
        yield opened


def institution(corpus: DemoCorpus, **fields: Any) -> Institution:
    loaded = load_institution(corpus.settings.institutions / f"{NAME}.yaml")
    return loaded.model_copy(update={"max_pages": 5, "ttl_days": 0, **fields})


def crawl(wanted: Institution, lake: Lake, settings: Settings) -> CrawlOutcome:
    return crawl_pages(wanted, lake=lake, settings=settings, progress=SilentProgress())


@contextmanager
def killed_after(corpus: DemoCorpus, table: str, wanted: Institution) -> Iterator[None]:
    with pytest.raises(KilledError):
        crawl(wanted, DyingLake(corpus.settings.lake, table), corpus.settings)
    assert (corpus.settings.journals / f"{NAME}.journal").exists()
    yield
    assert not list(corpus.settings.journals.glob(f"{NAME}.[!l]*"))


def decisions(lake: Lake) -> list[tuple[str, str, str]]:
    rows = lake.read(LedgerRow, "url_ledger", NAME)
    return [(row.url, row.decision, row.reason) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("ttl_days", [0, 7])
def test_killed_after_publishing_the_next_run_only_lets_the_journal_go(
    corpus: DemoCorpus, ttl_days: int
) -> None:
    wanted = institution(corpus, ttl_days=ttl_days)
    with killed_after(corpus, "page_snapshots", wanted):
        before = decisions(corpus.lake)
        outcome = crawl(wanted, corpus.lake, corpus.settings)
    assert decisions(corpus.lake) == before
    assert {decision for _, decision, _ in before} >= {"stored"}
    assert outcome.snapshots == corpus.lake.published("page_snapshots", NAME)
    assert outcome.snapshots.rows == outcome.report.counters.pages_used == 5
    assert outcome.ledger.rows == len(before)


@pytest.mark.slow
def test_killed_before_the_pages_are_published_the_crawl_is_replayed(corpus: DemoCorpus) -> None:
    wanted = institution(corpus)
    with killed_after(corpus, "crawl_reports", wanted):
        outcome = crawl(wanted, corpus.lake, corpus.settings)
    assert outcome.report.counters.replayed == outcome.report.counters.urls_fetched
    assert outcome.reports.rows == 1


@pytest.mark.slow
def test_other_settings_crawl_again_after_a_published_crawl(corpus: DemoCorpus) -> None:
    with killed_after(corpus, "page_snapshots", institution(corpus)):
        outcome = crawl(institution(corpus, max_pages=3), corpus.lake, corpus.settings)
    assert outcome.snapshots.rows == 3
    assert outcome.report.counters.replayed == 0
    assert outcome.reports.rows == 2


@pytest.mark.slow
def test_an_imported_page_that_the_site_no_longer_has_is_archived_before_it_goes(
    corpus: DemoCorpus,
) -> None:
    wanted = institution(corpus, max_pages=50)
    lake, url = Lake(corpus.settings.lake), f"{wanted.seed_urls[0]}long-gone"
    imported = snapshot(url, institution=NAME, rss_entry=RssEntry(via="old.csv"))
    lake.write("page_snapshots", NAME, [imported])
    crawl(wanted, lake, corpus.settings)
    assert url not in {row.url for row in lake.read(PageSnapshot, "page_snapshots", NAME)}
    assert (url, "http_error", "gone") in decisions(lake)
    copy = newest_copy(lake, corpus.settings, url)
    assert copy is not None
    assert copy.read() == imported.body
    files = set(corpus.settings.archives.rglob("*.warc.gz"))
    crawl(wanted, lake, corpus.settings)
    assert set(corpus.settings.archives.rglob("*.warc.gz")) == files
