from collections.abc import Iterable

import pytest

from webmine_assets.crawl.rules import traps
from webmine_assets.crawl.rules.traps import TrapGuard

SITE = "https://u1.edu"


def refused(paths: Iterable[str]) -> list[str]:
    guard = TrapGuard()
    refusals = (guard.decide(SITE + path) for path in paths)
    return [refusal.reason for refusal in refusals if refusal]


@pytest.mark.parametrize(
    "paths",
    [
        [f"/news/{number}" for number in range(3000)],
        [f"/article.php?id={number}" for number in range(10_000)],
        [f"/courses?page={number}" for number in range(1, 51)],
        [f"/courses?page={page}&term={term}" for page in range(50) for term in range(20)],
        [f"/{year}/{month:02}/{day:02}/a-story-{day}" for year in range(2000, 2024)
         for month in range(1, 13) for day in range(1, 29, 3)],
        [f"/archive/{year}/{month:02}" for year in range(2000, 2025) for month in range(1, 13)],
        [f"/news/{year}/{month:02}" for year in range(2000, 2025) for month in range(1, 13)],
        [f"/local/{year}/{month:02}" for year in range(2000, 2025) for month in range(1, 13)],
        [f"/events/{number}" for number in range(3000)],
        [f"/events/2024/05/17/{number}" for number in range(500)],
        [f"/people/{number:08x}" for number in range(3000)],
        [f"/story?sid={number}" for number in range(2000)],
        [f"/search?s=word{number}" for number in range(3)],
        ["/en/en/news", "/a/b/a/b", "/2024/05/05/05/05", "/docs/v1/v1/v1"],
        [f"/page-{word}" for word in range(5000)],
    ],
)  # fmt: skip
def test_large_ordinary_sites_are_no_traps(paths: list[str]) -> None:
    assert refused(paths) == []


@pytest.mark.parametrize(
    ("paths", "reason", "taken"),
    [
        ([f"/calendar/{2000 + m // 12}/{m % 12 + 1}" for m in range(500)], "calendar",
         traps.CALENDAR_BUDGET),
        ([f"/calendar?year={2000 + m // 12}&month={m % 12}" for m in range(500)], "calendar",
         traps.CALENDAR_BUDGET),
        ([f"/events?date={2000 + d // 300}-{d % 12 + 1:02}-{d % 28 + 1:02}" for d in range(500)],
         "calendar", traps.CALENDAR_BUDGET),
        ([f"/kalender/2024-{d % 12 + 1:02}-{d % 28 + 1:02}" for d in range(500)], "calendar",
         traps.CALENDAR_BUDGET),
        ([f"/cal/{2000 + m // 12}/{m % 12 + 1}" for m in range(500)], "calendar",
         traps.CALENDAR_BUDGET),
        ([f"/en/events/{2000 + m // 12}/{m % 12 + 1}" for m in range(500)], "calendar",
         traps.CALENDAR_BUDGET),
        ([f"/cal/{1800 + y}" for y in range(500)], "calendar", traps.CALENDAR_BUDGET),
        ([f"/archive/{1800 + m // 12}/{m % 12 + 1:02}" for m in range(2000)], "calendar",
         traps.DATE_PATH_BUDGET),
        ([f"/shop?sessid2=ab{number:06}" for number in range(50)], "session_id",
         traps.SESSION_BUDGET),
        ([f"/shop?id=1&token={number:032x}f" for number in range(50)], "session_id",
         traps.SESSION_BUDGET),
        ([f"/find?a={n}&b={n}&c={n}" for n in range(2000)], "filters", traps.MANY_KEYS_BUDGET),
        ([f"/find?a={n}&b={n}&{'cdefghij'[n % 8]}={n}" for n in range(2000)], "filters",
         traps.MANY_KEYS_BUDGET),
        ([f"/find?a={n}&b={n}" for n in range(3000)], "pattern", traps.TWO_KEYS_BUDGET),
        ([f"/x/{n}" for n in range(21_000)], "pattern", traps.SHAPE_BUDGET),
    ],
)  # fmt: skip
def test_endless_shapes_end_at_their_budget(paths: list[str], reason: str, taken: int) -> None:
    reasons = refused(paths)
    assert set(reasons) == {reason}
    assert len(paths) - len(reasons) == taken


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/a/b/a/b/a/b", "repeated_segments"),
        ("/loop/loop/loop/loop", "repeated_segments"),
        ("/1/a/1/a/1/a/1/a/1", "repeated_segments"),
        ("/" + "/".join(f"d{number}" for number in range(30)), "too_deep"),
        ("/" + "x" * 2000, "too_long"),
    ],
)
def test_growing_addresses_are_traps_at_once(path: str, reason: str) -> None:
    assert refused([path]) == [reason]


def test_a_refusal_says_which_urls_are_too_many() -> None:
    guard = TrapGuard()
    answers = [
        guard.decide(f"{SITE}/calendar/{2000 + n}") for n in range(traps.CALENDAR_BUDGET + 1)
    ]
    last = answers[-1]
    assert last is not None
    assert last.decision == "trap"
    assert last.detail == "more than 60 URLs like u1.edu/calendar/#"


def test_hosts_are_counted_apart_and_runs_are_alike() -> None:
    urls = [f"https://{host}.u1.edu/calendar/{2000 + n}" for n in range(50) for host in "ab"]
    assert [TrapGuard().decide(url) for url in urls] == [None] * 100
    guards = TrapGuard(), TrapGuard()
    more = [f"{SITE}/calendar/{2000 + n}" for n in range(100)]
    assert [guards[0].decide(url) for url in more] == [guards[1].decide(url) for url in more]
