"""What is unusual: judged by the history of a site and its swings."""

from dataclasses import dataclass
from random import Random

import pytest

from webmine_assets.stages.quality.verdicts import (
    judge_blocking,
    judge_empty_text,
    judge_kept,
    judge_languages,
    judge_volume,
)


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
