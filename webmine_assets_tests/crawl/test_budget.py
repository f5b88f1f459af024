import pytest

from webmine_assets.crawl.budget import (
    LEAST_DISCOVERED,
    LEAST_REQUESTS,
    LEAST_WAITING,
    Budget,
    budget_of,
)
from webmine_assets_tests.crawl.site import institution


def _budget(**spent: int) -> Budget:
    return Budget(max_pages=10, max_requests=200, max_bytes=1000, max_seconds=5, **spent)


@pytest.mark.parametrize(
    ("spent", "reason", "detail"),
    [
        ({}, None, None),
        ({"pages": 9}, None, None),
        ({"pages": 10}, "max_pages", "10 pages"),
        ({"requests": 199}, None, None),
        ({"requests": 200}, "max_requests", "200 requests for 10 pages"),
        ({"bytes": 999}, None, None),
        ({"bytes": 1000}, "max_bytes", "1000 bytes"),
        ({"pages": 10, "bytes": 1000}, "max_pages", "10 pages"),
    ],
)
def test_budget_that_is_used_up_is_named(
    spent: dict[str, int], reason: str | None, detail: str | None
) -> None:
    exhausted = _budget(**spent).exhausted()
    assert (exhausted.reason if exhausted else None) == reason
    assert (exhausted.detail if exhausted else None) == detail


@pytest.mark.parametrize(
    ("spent", "under_way", "expected"),
    [
        ({}, 9, True),
        ({}, 10, False),
        ({"pages": 4}, 5, True),
        ({"pages": 4}, 6, False),
        ({"requests": 198}, 1, True),
        ({"requests": 198}, 2, False),
        ({"bytes": 1000}, 0, False),
    ],
)
def test_no_more_is_asked_for_than_may_be_stored(
    spent: dict[str, int], under_way: int, expected: bool
) -> None:
    assert _budget(**spent).can_take(under_way) is expected


@pytest.mark.parametrize(("spent_s", "left_s"), [(0, 5.0), (4.5, 0.5), (5, 0.0), (9, 0.0)])
def test_time_left_is_never_negative(spent_s: float, left_s: float) -> None:
    assert _budget().remaining_s(spent_s) == left_s
    assert _budget().out_of_time().detail == "5 seconds"


def test_limits_grow_with_the_pages_that_may_be_stored() -> None:
    small, large = (budget_of(institution(max_pages=pages)) for pages in (3, 100_000))
    assert (small.max_requests, small.max_waiting) == (LEAST_REQUESTS, LEAST_WAITING)
    assert small.max_discovered == LEAST_DISCOVERED
    assert small.remaining_s(1e9) is None
    assert (large.max_requests, large.max_waiting) == (1_000_000, 1_000_000)
    assert large.max_discovered == 10_000_000
