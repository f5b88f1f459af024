"""Quality checks over a real lake: injected faults are flagged, ordinary variation is not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from webmine_assets.institutions import Institution
from webmine_assets.progress import SilentProgress
from webmine_assets.records import (
    CrawlReport,
    Decision,
    FieldProvenance,
    LedgerRow,
    PageContent,
    PageMetadata,
    PageSnapshot,
)
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.archive import archive_pages
from webmine_assets.stages.quality import CHECKS, judge
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import crawl_report, ledger_row, snapshot

NOW = datetime.now(UTC)


PAGES = 20


def page(number: int, **fields: object) -> PageSnapshot:
    text = f"Page {number} tells of the library, its opening hours and what it lends to readers."
    values = {"fetched_at": NOW - timedelta(hours=1), "text": text, "checksum": f"sha256:{number}"}
    return snapshot(f"https://u1.edu/{number}", **(values | fields))


def content(of: PageSnapshot) -> PageContent:
    return PageContent(
        institution=of.institution,
        page_id=of.page_id,
        url=of.url,
        checksum=of.checksum,
        title=of.title,
        text=of.text,
        raw_markdown=of.text,
        fit_markdown=of.text,
        full_content=of.text,
        selected="fit",
        selection_reason="longer",
        text_source="article",
        word_count=12,
        extractor_version="1",
        extracted_at=NOW,
    )


def metadata(of: PageSnapshot) -> PageMetadata:
    return PageMetadata(
        institution=of.institution,
        page_id=of.page_id,
        url=of.url,
        title="A page of the library",
        description=None,
        image_url=None,
        authors=("Ada Byron",),
        published_at="2024-05-01",
        published_on=date(2024, 5, 1),
        modified_at=None,
        modified_on=None,
        content_text=None,
        word_count=12,
        language="en",
        language_confidence=0.99,
        declared_language="en",
        provenance=tuple(
            FieldProvenance(field=field, source=f"{field}:test", raw="x")
            for field in ("title", "author", "date")
        ),
        extraction_log="",
        extractor_version="1",
        metadata_scraped_at=NOW,
    )


def report(pages: int, *, days_ago: int, languages: dict[str, int] | None = None) -> CrawlReport:
    return crawl_report(
        started_at=NOW - timedelta(days=days_ago),
        finished_at=NOW - timedelta(days=days_ago),
        decisions={"stored": pages, "out_of_scope": 7},
        languages=languages or {"en": pages},
    )


@dataclass(slots=True)
class Corpus:
    """The rows of a healthy institution with a month of weekly crawls; tests spoil them."""

    pages: list[PageSnapshot]
    ledger: list[LedgerRow]
    reports: list[CrawlReport]
    content: list[PageContent]
    metadata: list[PageMetadata]

    @classmethod
    def healthy(cls, count: int = PAGES) -> "Corpus":
        pages = [page(number) for number in range(count)]
        ledger = [ledger_row(item.url) for item in pages]
        ledger += [
            ledger_row(f"https://other.org/{n}", Decision.OUT_OF_SCOPE, reason="host")
            for n in range(7)
        ]
        return cls(
            pages=pages,
            ledger=ledger,
            reports=[report(count if week == 0 else PAGES, days_ago=7 * week) for week in range(4)],
            content=[content(item) for item in pages],
            metadata=[metadata(item) for item in pages],
        )

    def write(self, lake: Lake) -> None:
        rows: dict[str, Iterable[object]] = {
            "page_snapshots": self.pages,
            "url_ledger": self.ledger,
            "crawl_reports": self.reports,
            "page_content": self.content,
            "page_metadata": self.metadata,
        }
        for table, records in rows.items():
            lake.write(table, "u1", records)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"WEBMINE_DATA": str(tmp_path)})


@pytest.fixture
def institution() -> Institution:
    return Institution(
        institution_id="u1", seed_urls=("https://u1.edu/",), allowed_domains=("u1.edu",), ttl_days=7
    )


def failed(corpus: Corpus, settings: Settings, institution: Institution) -> set[str]:
    lake = Lake(settings.lake)
    corpus.write(lake)
    verdicts = judge(CHECKS, institution, lake=lake, settings=settings)
    assert verdicts.keys() == {check.name for check in CHECKS}
    return {name for name, verdict in verdicts.items() if not verdict.passed}


def refuse(corpus: Corpus, count: int, status: int) -> None:
    corpus.ledger += [
        ledger_row(
            f"https://u1.edu/no/{status}/{n}",
            Decision.HTTP_ERROR,
            reason=f"http_{status}",
            detail=f"status {status}",
        )
        for n in range(count)
    ]


def collapse(corpus: Corpus) -> None:
    corpus.reports[0] = report(9, days_ago=0)


def empty_crawl(corpus: Corpus) -> None:
    corpus.reports[0] = crawl_report(started_at=NOW, decisions={"http_error": 1}, languages={})


def captchas(corpus: Corpus) -> None:
    wall = "Please verify you are a human to continue to the site you asked for."
    corpus.pages[:6] = [page(n, text=wall, title="Just a moment...") for n in range(6)]


def unreachable_robots(corpus: Corpus) -> None:
    corpus.ledger += [
        ledger_row(f"https://u1.edu/r/{n}", Decision.ROBOTS_BLOCKED, reason="robots_unreachable")
        for n in range(10)
    ]


def outage(corpus: Corpus) -> None:
    keep(corpus, PAGES, "timeout")


def part_outage(corpus: Corpus) -> None:
    keep(corpus, 8, "timeout")


def keep(corpus: Corpus, count: int, reason: str) -> None:
    """So many pages stay from the last crawl."""
    corpus.ledger[:count] = [
        replace(row, decision=Decision.KEPT, reason=reason) for row in corpus.ledger[:count]
    ]
    decisions = {"kept": count, "stored": PAGES - count, "out_of_scope": 7}
    corpus.reports[0] = replace(corpus.reports[0], decisions=decisions)


def stale(corpus: Corpus) -> None:
    corpus.pages[3] = page(3, fetched_at=NOW - timedelta(days=40))


def other_language(corpus: Corpus) -> None:
    corpus.reports[0] = report(PAGES, days_ago=0, languages={"en": 8, "zh": 12})


def lost_page(corpus: Corpus) -> None:
    corpus.pages.pop()
    corpus.content.pop()
    corpus.metadata.pop()


def two_decisions(corpus: Corpus) -> None:
    corpus.ledger.append(ledger_row(corpus.pages[0].url, Decision.ALIAS))


def no_text(corpus: Corpus) -> None:
    corpus.content[:8] = [replace(row, text=" ") for row in corpus.content[:8]]


def bad_rule(corpus: Corpus) -> None:
    corpus.content[0] = replace(corpus.content[0], rules_invalid=("css_selector: ((",))


def failed_page(corpus: Corpus) -> None:
    corpus.content[0] = replace(corpus.content[0], error="Traceback …")


def future_date(corpus: Corpus) -> None:
    corpus.metadata[2] = replace(corpus.metadata[2], published_on=date(2999, 1, 1))


def ancient_date(corpus: Corpus) -> None:
    corpus.metadata[2] = replace(corpus.metadata[2], modified_on=date(1970, 1, 1))


def no_source(corpus: Corpus) -> None:
    corpus.metadata[2] = replace(corpus.metadata[2], description="A description out of nowhere.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "check"),
    [
        (collapse, "page_volume"),
        (empty_crawl, "page_volume"),
        (outage, "page_volume"),
        (part_outage, "page_volume"),
        (lambda corpus: refuse(corpus, 12, 403), "not_blocked"),
        (lambda corpus: refuse(corpus, 12, 429), "not_blocked"),
        (captchas, "not_blocked"),
        (unreachable_robots, "not_blocked"),
        (stale, "fresh"),
        (other_language, "language_mix"),
        (lost_page, "ledger_adds_up"),
        (two_decisions, "ledger_adds_up"),
        (no_text, "text_present"),
        (bad_rule, "extraction_rules_valid"),
        (failed_page, "pages_extracted"),
        (future_date, "dates_possible"),
        (ancient_date, "dates_possible"),
        (no_source, "provenance_complete"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_an_injected_fault_is_flagged_by_its_check_alone(
    fault: Callable[[Corpus], None], check: str, settings: Settings, institution: Institution
) -> None:
    corpus = Corpus.healthy()
    fault(corpus)
    assert failed(corpus, settings, institution) == {check}


def some_ordinary_weeks() -> list[Corpus]:
    fewer, more, refused = Corpus.healthy(16), Corpus.healthy(26), Corpus.healthy()
    refuse(refused, 3, 403)
    refuse(refused, 9, 404)
    blank = Corpus.healthy()
    blank.content[:3] = [replace(row, text="") for row in blank.content[:3]]
    mixed = Corpus.healthy()
    mixed.reports[0] = report(PAGES, days_ago=0, languages={"en": 17, "fr": 3})
    dated = Corpus.healthy()
    dated.metadata[0] = replace(dated.metadata[0], published_on=NOW.date())
    late = Corpus.healthy()
    late.pages[0] = page(0, fetched_at=NOW - timedelta(days=9))
    about = Corpus.healthy()
    about.pages[1] = page(1, text="How a captcha works. " * 100, title="On captchas")
    cached = Corpus.healthy()
    cached.ledger = [replace(row, decision=Decision.FRESH) for row in cached.ledger[:PAGES]]
    refuse(cached, 5, 403)
    return [cached, Corpus.healthy(), fewer, more, refused, blank, mixed, dated, late, about]


@pytest.mark.slow
@pytest.mark.parametrize("week", range(len(some_ordinary_weeks())))
def test_ordinary_variation_is_not_flagged(
    week: int, settings: Settings, institution: Institution
) -> None:
    assert failed(some_ordinary_weeks()[week], settings, institution) == set()


def test_a_first_crawl_has_nothing_to_be_compared_with(
    settings: Settings, institution: Institution
) -> None:
    corpus = Corpus.healthy(1)
    corpus.reports = [report(1, days_ago=0)]
    assert failed(corpus, settings, institution) == set()


def test_an_institution_without_any_table_fails_only_where_pages_are_missing(
    settings: Settings, institution: Institution
) -> None:
    lake = Lake(settings.lake)
    verdicts = judge(CHECKS, institution, lake=lake, settings=settings)
    assert {n for n, v in verdicts.items() if not v.passed} == {"page_volume", "fresh"}


def archived(settings: Settings, institution: Institution) -> Path:
    lake = Lake(settings.lake)
    Corpus.healthy().write(lake)
    outcome = archive_pages(institution, lake=lake, settings=settings, progress=SilentProgress())
    return settings.archives / "u1" / outcome.files[-1]


def archives_verdict(settings: Settings, institution: Institution) -> str | None:
    (check,) = (check for check in CHECKS if check.name == "archives_sound")
    lake = Lake(settings.lake)
    verdict = judge([check], institution, lake=lake, settings=settings)[check.name]
    return None if verdict.passed else str(verdict.numbers["examples"])


def test_a_sound_archive_passes(settings: Settings, institution: Institution) -> None:
    archived(settings, institution)
    assert archives_verdict(settings, institution) is None


def test_a_flipped_byte_in_an_archive_is_flagged(
    settings: Settings, institution: Institution
) -> None:
    path = archived(settings, institution)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    path.write_bytes(damaged)
    assert path.name in (archives_verdict(settings, institution) or "")


def test_a_missing_archive_is_flagged(settings: Settings, institution: Institution) -> None:
    path = archived(settings, institution)
    path.unlink()
    assert path.name in (archives_verdict(settings, institution) or "")


def test_the_history_of_empty_pages_reaches_its_check(
    settings: Settings, institution: Institution
) -> None:
    corpus = Corpus.healthy()
    no_text(corpus)
    lake = Lake(settings.lake)
    corpus.write(lake)
    checks = [check for check in CHECKS if check.name == "text_present"]
    for earlier, passed in (({}, False), ({"empty_text_share": [0.4, 0.38]}, True)):
        verdicts = judge(checks, institution, lake=lake, settings=settings, earlier=earlier)
        assert verdicts["text_present"].passed is passed
