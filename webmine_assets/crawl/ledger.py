"""One terminal decision for every discovered URL; rows go to disk as they are decided."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from webmine_assets.crawl.recovery.spool import Spool
from webmine_assets.records import Decision, LedgerRow

_BLOCK_ROWS = 512


class Ledger:
    """Who is known, who is decided. Discovered = decided + waiting, after every call.

    URLs are remembered by their 64-bit hash: half the memory of the strings, and two of a million
    URLs would share one in 1 of 30 million crawls.
    """

    def __init__(self, institution: str, path: Path) -> None:
        self.decisions: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._institution = institution
        self._waiting: dict[int, tuple[int, str | None]] = {}
        self._settled: set[int] = set()
        self._rows: Spool[LedgerRow] = Spool(path, block_rows=_BLOCK_ROWS)

    @property
    def discovered(self) -> int:
        return len(self._waiting) + len(self._settled)

    def discover(self, url: str, *, depth: int, discovered_from: str | None) -> bool:
        """Remember where a URL was first seen; False if it was known."""
        mark = hash(url)
        if mark in self._waiting or mark in self._settled:
            return False
        self._waiting[mark] = (depth, discovered_from)
        return True

    def is_known(self, url: str) -> bool:
        mark = hash(url)
        return mark in self._waiting or mark in self._settled

    def is_settled(self, url: str) -> bool:
        return hash(url) in self._settled

    def settle(
        self, url: str, decision: Decision, reason: str, *, detail: str, at: datetime
    ) -> None:
        """Write the one decision about a URL that was discovered and not decided yet."""
        depth, discovered_from = self._waiting.pop(hash(url))
        self._settled.add(hash(url))
        self.decisions[decision] += 1
        self.reasons[f"{decision}:{reason}"] += 1
        self._rows.append(
            LedgerRow(
                institution=self._institution,
                url=url,
                decision=decision,
                reason=reason,
                detail=detail,
                depth=depth,
                discovered_from=discovered_from,
                decided_at=at,
            )
        )

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[LedgerRow]:
        return iter(self._rows)

    def remove(self) -> None:
        self._rows.remove()
