from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import FetchFailure, FetchReason, FetchResponse
from webmine_assets.crawl.network.retry import NO_RETRY, RetryPolicy, parse_retry_after

NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "http://u1.edu/"


def response(status: int, retry_after: str | None = None) -> FetchResponse:
    headers = {"retry-after": retry_after} if retry_after is not None else {}
    return FetchResponse(
        requested_url=URL, url=URL, status=status, headers=headers, body=b"", fetched_at=NOW
    )


def failure(reason: FetchReason, *, retryable: bool) -> FetchFailure:
    return FetchFailure(
        requested_url=URL, reason=reason, detail="", fetched_at=NOW, retryable=retryable
    )


def attempts(policy: RetryPolicy, outcome: FetchResponse | FetchFailure) -> int:
    random = Random(1)
    attempt = 1
    while policy.wait_s(outcome, attempt=attempt, random=random, now=NOW) is not None:
        attempt += 1
    return attempt


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (response(200), 1),
        (response(404), 1),
        (response(501), 1),
        (response(500), 2),
        (response(502), 2),
        (response(429), 3),
        (response(503, "60"), 3),
        (response(503, "61"), 1),
        (response(500, "86400"), 2),
        (failure(FetchReason.RESET, retryable=True), 3),
        (failure(FetchReason.TIMEOUT, retryable=True), 2),
        (failure(FetchReason.TLS, retryable=False), 1),
    ],
)
def test_each_outcome_has_its_number_of_attempts(
    outcome: FetchResponse | FetchFailure, expected: int
) -> None:
    assert attempts(RetryPolicy(), outcome) == expected
    assert attempts(NO_RETRY, outcome) == 1


def test_waits_grow_with_jitter_up_to_their_limit() -> None:
    policy = RetryPolicy(max_attempts=10, first_wait_s=1, max_wait_s=8)
    outcome = failure(FetchReason.RESET, retryable=True)
    random = Random(1)
    for attempt, full in enumerate((1, 2, 4, 8, 8, 8), start=1):
        wait_s = policy.wait_s(outcome, attempt=attempt, random=random, now=NOW)
        assert wait_s is not None
        assert full / 2 <= wait_s <= full


def test_same_seed_gives_the_same_waits() -> None:
    outcome = response(503)
    waits = [RetryPolicy().wait_s(outcome, attempt=1, random=Random(3), now=NOW) for _ in range(2)]
    assert waits[0] == waits[1]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("0", 0),
        ("Thu, 01 Jan 2026 00:01:00 GMT", 60),
        ("Thu, 01 Jan 2026 01:00:30 +0100", 30),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0),
        ("9" * 400, 999_999_999),
        ("-5", None),
        ("soon", None),
        ("١٢", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_raises(value: str) -> None:
    seconds = parse_retry_after(value, NOW)
    assert seconds is None or seconds >= 0
