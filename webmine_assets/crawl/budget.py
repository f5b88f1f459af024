"""Where a crawl stops cleanly: pages, requests, bytes and seconds. Pure; time is handed in."""

from dataclasses import dataclass

from webmine_assets.institutions import Institution
from webmine_assets.records import Decision

# A site of nothing but copies and errors never fills its page budget: after this many requests for
# each page it may store, it has had its chance.
REQUESTS_PER_PAGE = 10
LEAST_REQUESTS = 200


@dataclass(frozen=True, slots=True)
class Exhausted:
    """Which budget ended the crawl: the decision for what was left, and the reason."""

    decision: Decision
    reason: str


@dataclass(slots=True)
class Budget:
    """What an institution may spend and what is spent; pages and bytes count at the commit."""

    max_pages: int
    max_requests: int
    max_bytes: int | None
    max_seconds: float | None
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

    def exhausted(self) -> Exhausted | None:
        """The budget that is used up, time apart."""
        if self.pages >= self.max_pages:
            return Exhausted(Decision.OVER_PAGES, "max_pages")
        if self.requests >= self.max_requests:
            return Exhausted(Decision.OVER_PAGES, "max_requests")
        if self._is_full():
            return Exhausted(Decision.OVER_BYTES, "max_bytes")
        return None

    def remaining_s(self, spent_s: float) -> float | None:
        """Seconds left, None for no limit."""
        return None if self.max_seconds is None else max(0.0, self.max_seconds - spent_s)

    def _is_full(self) -> bool:
        return self.max_bytes is not None and self.bytes >= self.max_bytes


OUT_OF_TIME = Exhausted(Decision.OVER_TIME, "max_seconds")


def budget_of(institution: Institution) -> Budget:
    return Budget(
        max_pages=institution.max_pages,
        max_requests=max(LEAST_REQUESTS, REQUESTS_PER_PAGE * institution.max_pages),
        max_bytes=institution.budgets.max_bytes,
        max_seconds=institution.budgets.max_seconds,
    )
