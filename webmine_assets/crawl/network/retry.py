"""Whether and when a fetch is tried again. Pure: the fetcher sleeps, this only says how long."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from webmine_assets.crawl.exchange import FetchFailure, FetchReason, FetchResponse

BUSY = frozenset({429, 503})
"""The statuses that say when to come back, by Retry-After (RFC 6585 section 4, RFC 9110 15.6.4)."""
_SERVER_ERRORS = frozenset({500, 502, 504})
# Thirty years: longer figures say no more.
_MAX_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """`max_attempts` counts the first; a time-out and a plain server error get fewer.

    A Retry-After over `max_retry_after_s` is not waited for: the answer is then final.
    """

    max_attempts: int = 3
    max_slow_attempts: int = 2
    first_wait_s: float = 0.5
    max_wait_s: float = 30.0
    max_retry_after_s: float = 60.0

    def wait_s(
        self,
        outcome: FetchResponse | FetchFailure,
        *,
        attempt: int,
        random: Random,
        now: datetime,
    ) -> float | None:
        """Seconds until the next attempt, or None if `outcome` is final."""
        if attempt >= self._attempts(outcome):
            return None
        wait_s = self._backoff_s(attempt, random)
        asked_s = _asked_wait_s(outcome, now)
        if asked_s is None:
            return wait_s
        return None if asked_s > self.max_retry_after_s else max(asked_s, wait_s)

    def _attempts(self, outcome: FetchResponse | FetchFailure) -> int:
        if isinstance(outcome, FetchFailure):
            if not outcome.retryable:
                return 1
            is_slow = outcome.reason is FetchReason.TIMEOUT
            return min(self.max_slow_attempts, self.max_attempts) if is_slow else self.max_attempts
        if outcome.status in BUSY:
            return self.max_attempts
        if outcome.status in _SERVER_ERRORS:
            return min(self.max_slow_attempts, self.max_attempts)
        return 1

    def _backoff_s(self, attempt: int, random: Random) -> float:
        # Half fixed, half random: hosts are not asked in step, and a wait is never near zero.
        full = min(self.first_wait_s * 2.0 ** (attempt - 1), self.max_wait_s)
        return full * (0.5 + random.random() / 2)


NO_RETRY = RetryPolicy(max_attempts=1)


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait by a Retry-After header: a number of seconds or a date (RFC 9110, 10.2.3)."""
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:_MAX_DIGITS])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _asked_wait_s(outcome: FetchResponse | FetchFailure, now: datetime) -> float | None:
    if isinstance(outcome, FetchResponse) and outcome.status in BUSY:
        return parse_retry_after(outcome.headers.get("retry-after"), now)
    return None
