"""Where a crawl stops cleanly: pages, requests, bytes and seconds. Pure; time is handed in.

Also how many URLs it may remember: memory is bounded whatever a site links to.
"""

from dataclasses import dataclass

from webmine_assets.institutions import Institution
from webmine_assets.records import Decision

# A site of nothing but copies and errors never fills its page budget: after this many requests for
# each page it may store, it has had its chance.
REQUESTS_PER_PAGE = 10
LEAST_REQUESTS = 200
# On a link farm of 20,000 new links a page a crawl took 565 MB with 1.2 million URLs known; these
# bounds keep any site below 600 MB.
LEAST_WAITING = 200_000
LEAST_DISCOVERED = 1_000_000


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Which budget ended the crawl: the decision for what was left, its reason and its figure."""

    decision: Decision
    reason: str
    detail: str


@dataclass(slots=True)
class Budget:
    """What an institution may spend and what is spent; pages and bytes count at the commit.

    `max_kept` is how many pages the partition may hold with those that go on unasked, where that
    is more than the crawl may take itself.
    """

    max_pages: int
    max_requests: int
    max_bytes: int | None
    max_seconds: float | None
    max_kept: int = 0
    max_waiting: int = LEAST_WAITING
    max_discovered: int = LEAST_DISCOVERED
    pages: int = 0
    requests: int = 0
    bytes: int = 0

    def can_take(self, under_way: int) -> bool:
        """Whether one more page may be asked for, if all that are under way were to be stored."""
        return (
            self.pages + under_way < self.max_pages
            and self.requests + under_way < self.max_requests
            and not self._is_full()
        )

    @property
    def has_place(self) -> bool:
        """Whether a page of the last crawl may go on unasked when this one has ended."""
        return self.pages < max(self.max_pages, self.max_kept)

    def exhausted(self) -> Exhausted | None:
        """The budget that is used up, time apart."""
        if self.pages >= self.max_pages:
            return Exhausted(Decision.OVER_PAGES, "max_pages", f"{self.max_pages} pages")
        if self.requests >= self.max_requests:
            limit = f"{self.max_requests} requests for {self.max_pages} pages"
            return Exhausted(Decision.OVER_PAGES, "max_requests", limit)
        if self._is_full():
            return Exhausted(Decision.OVER_BYTES, "max_bytes", f"{self.max_bytes} bytes")
        return None

    def out_of_time(self) -> Exhausted:
        """What is left when the clock ends a crawl."""
        return Exhausted(Decision.OVER_TIME, "max_seconds", f"{self.max_seconds:g} seconds")

    def remaining_s(self, spent_s: float) -> float | None:
        """Seconds left, None for no limit."""
        return None if self.max_seconds is None else max(0.0, self.max_seconds - spent_s)

    def _is_full(self) -> bool:
        return self.max_bytes is not None and self.bytes >= self.max_bytes


def budget_of(institution: Institution, *, max_kept: int = 0) -> Budget:
    max_requests = max(LEAST_REQUESTS, REQUESTS_PER_PAGE * institution.max_pages)
    return Budget(
        max_pages=institution.max_pages,
        max_requests=max_requests,
        max_bytes=institution.budgets.max_bytes,
        max_seconds=institution.budgets.max_seconds,
        max_kept=max_kept,
        # What waits behind more URLs than may be asked for has hardly a chance of its turn.
        max_waiting=max(LEAST_WAITING, max_requests),
        max_discovered=max(LEAST_DISCOVERED, REQUESTS_PER_PAGE * max_requests),
    )
