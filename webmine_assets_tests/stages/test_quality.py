"""Quality checks over a real lake: injected faults are flagged, ordinary variation is not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

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
from webmine_assets.stages.quality.verdicts import (
    judge_blocking,
    judge_empty_text,
    judge_kept,
    judge_languages,
    judge_volume,
)
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


def test_a_collapse_is_severe_and_does_not_excuse_the_next_one() -> None:
    history = [100, 98, 103, 101]
    first = judge_volume(30, history)
    assert (first.passed, first.severe) == (False, True)
    again = judge_volume(30, [30, *history])
    assert (again.passed, again.severe) == (False, True)


@pytest.mark.parametrize(
    ("pages", "history", "passed", "severe"),
    [
        (100, [], True, True),
        (60, [100, 101, 99, 100], False, False),  # a third of a steady site is gone: look at it
        (80, [100, 101, 99, 100], True, False),
        (45, [100, 101, 99, 100], False, True),
        (250, [100, 101, 99, 100], False, False),  # it more than doubled: look at it
        (30, [20, 80, 30, 70, 25, 75], True, False),  # it always swings like that
        (5, [20, 80, 30, 70, 25, 75], False, True),  # but that is not the site
        (1, [4, 4, 4], True, True),  # too small to judge
        (0, [4, 4, 4], False, True),
    ],
)
def test_the_volume_is_judged_by_the_site_s_own_swings(
    pages: int, history: list[int], passed: bool, severe: bool
) -> None:
    verdict = judge_volume(pages, history)
    assert verdict.passed is passed
    assert passed or verdict.severe is severe


@pytest.mark.parametrize(
    ("kept", "failed", "passed", "severe"),
    [
        (0, 0, True, True),
        (100, 100, False, True),  # nothing could be asked for
        (100, 0, False, True),  # also where the time was up before the first answer
        (40, 40, False, False),  # a part is down: look at it
        (20, 20, True, False),
        (97, 0, True, False),  # the run was to take three pages
    ],
)
def test_pages_of_which_nothing_was_heard_do_not_count_as_heard_of(
    kept: int, failed: int, passed: bool, severe: bool
) -> None:
    says = "pages kept from 2026-01-01: timeout"
    verdict = judge_kept(judge_volume(100, [100, 100]), 100, kept, failed, says=says)
    assert verdict.passed is passed
    assert passed or verdict.severe is severe
    assert (says in verdict.summary) is (kept > 0)
    collapsed = judge_kept(judge_volume(20, [100, 100]), 20, 4, 4, says=says)
    assert (collapsed.passed, collapsed.severe) == (False, True)


def test_fewer_pages_because_the_file_asks_for_fewer_are_no_loss() -> None:
    assert judge_volume(50, [500, 500, 490], max_pages=50).passed
    assert not judge_volume(20, [500, 500, 490], max_pages=50).passed


@pytest.mark.parametrize(
    ("share", "history", "passed"),
    [
        (0.25, [], False),
        (0.25, [0.24, 0.26, 0.25], True),  # a site that shows many links behind its login
        (0.45, [0.24, 0.26, 0.25], False),
        (0.60, [0.60, 0.58, 0.61], False),  # blocked for months is blocked
        (0.10, [0.0, 0.0], True),
    ],
)
def test_refusals_are_judged_by_what_is_usual(
    share: float, history: list[float], passed: bool
) -> None:
    assert judge_blocking(int(share * 100), 100, 0, history=history).passed is passed


def test_a_picture_site_may_stay_without_text() -> None:
    assert not judge_empty_text(50, 100).passed
    assert judge_empty_text(50, 100, history=[0.48, 0.5, 0.52]).passed
    assert not judge_empty_text(90, 100, history=[0.48, 0.5, 0.52]).passed


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


@dataclass(frozen=True)
class Site:
    """A site that changes by chance from crawl to crawl, as sites do."""

    pages: int
    swing: float
    refused: float
    languages: tuple[float, float]

    def crawl(self, chance: Random) -> tuple[int, int, dict[str, int]]:
        """Pages, refusals among the URLs asked for, and pages by language."""
        count = max(1, round(chance.gauss(self.pages, self.swing * self.pages)))
        refused = sum(chance.random() < self.refused for _ in range(count))
        names = chance.choices(("en", "fr"), self.languages, k=count)
        return count, refused, {name: names.count(name) for name in ("en", "fr")}


SITES = [
    Site(20, 0.05, 0.02, (0.9, 0.1)),
    Site(60, 0.15, 0.05, (0.6, 0.4)),
    Site(300, 0.10, 0.12, (0.5, 0.5)),
    Site(1000, 0.02, 0.0, (0.99, 0.01)),
]
WEEKS = 400


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site.pages}-pages")
def test_ordinary_variation_is_flagged_less_than_once_in_a_hundred_crawls(site: Site) -> None:
    chance = Random(site.pages)  # seeded: the same weeks in every run of the test
    crawls = [site.crawl(chance) for _ in range(WEEKS)]
    alarms = {"volume": 0, "blocking": 0, "languages": 0}
    for week in range(10, WEEKS):
        (pages, refused, mix), history = crawls[week], crawls[week - 10 : week]
        shares = [n / (n + count) for count, n, _ in history]
        alarms["volume"] += not judge_volume(pages, [count for count, _, _ in history]).passed
        alarms["blocking"] += not judge_blocking(refused, refused + pages, 0, history=shares).passed
        alarms["languages"] += not judge_languages(mix, [m for _, _, m in history]).passed
    assert {name: count <= WEEKS // 100 for name, count in alarms.items()} == {
        "volume": True,
        "blocking": True,
        "languages": True,
    }


@pytest.mark.parametrize("site", SITES, ids=lambda site: f"{site.pages}-pages")
def test_a_fault_is_flagged_in_the_next_crawl_whatever_the_variation(site: Site) -> None:
    chance = Random(site.pages + 1)
    for _ in range(100):
        history = [site.crawl(chance) for _ in range(10)]
        pages, refused, mix = site.crawl(chance)
        lost = judge_volume(pages // 4, [count for count, _, _ in history])
        assert (lost.passed, lost.severe) == (False, True)
        shares = [n / (n + count) for count, n, _ in history]
        assert not judge_blocking(pages * 2 // 3, pages, refused, history=shares).passed
        other = {"zh": round(pages * 0.7), **{k: round(n * 0.3) for k, n in mix.items()}}
        assert not judge_languages(other, [m for _, _, m in history]).passed
