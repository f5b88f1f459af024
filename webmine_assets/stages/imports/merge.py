"""Imported pages and what is stored already, as one partition and one ledger.

URLs are held in memory; bodies never more than one batch of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from webmine_assets.crawl.cache import Previous, PreviousSnapshots
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.records import Decision, LedgerRow, PageSnapshot, SnapshotMeta, page_id
from webmine_assets.stages.imports.shelf import PageShelf
from webmine_assets.storage.lake import Lake

REASON = "imported"
_SAME_PAGE = frozenset({"redirect", "canonical", "normalised"})
_UNDATED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Version:
    """The best copy of a page so far; `place` is None for the one that is stored already."""

    place: tuple[int, int] | None
    at: datetime
    first_seen_at: datetime
    changed_at: datetime
    checksum: str
    depth: int
    discovered_from: str | None


def _stored(known: Previous) -> _Version:
    return _Version(
        place=None,
        at=known.fetched_at,
        first_seen_at=known.first_seen_at,
        changed_at=known.changed_at,
        checksum=known.checksum,
        depth=known.depth,
        discovered_from=None,
    )


def _newer(one: _Version, other: _Version) -> _Version:
    """The newer copy with the history of both; the first of two of the same time."""
    best = other if other.at > one.at else one
    is_same = one.checksum == other.checksum
    return replace(
        best,
        first_seen_at=min(one.first_seen_at, other.first_seen_at),
        changed_at=min(one.changed_at, other.changed_at) if is_same else best.changed_at,
    )


class Arrivals:
    """Pages and refusals of one import, gathered until they are published."""

    def __init__(
        self, institution: str, previous: PreviousSnapshots, shelf: PageShelf, *, now: datetime
    ) -> None:
        self._institution = institution
        self._previous = previous
        self._shelf = shelf
        self._now = now
        self._pages: dict[str, _Version] = {}
        self._aliases: dict[str, tuple[str, str]] = {}
        self._refusals: dict[str, Refusal] = {}

    def __bool__(self) -> bool:
        return bool(self._pages or self._refusals)

    def add(self, row: PageSnapshot, *, is_dated: bool) -> None:
        """Take a page; of several copies the newest stays, an undated one only if it is alone."""
        url = self._identity(row.url)
        self._note_aliases(row, url)
        known = self._pages.get(url) or self._known(url)
        version = _Version(
            place=None,
            at=row.fetched_at if is_dated else _UNDATED,
            first_seen_at=row.first_seen_at,
            changed_at=row.changed_at,
            checksum=row.checksum,
            depth=row.depth,
            discovered_from=row.discovered_from,
        )
        best = _newer(known, version) if known else version
        if known is None or best.at > known.at:
            best = replace(best, place=self._put(row, url))
        self._pages[url] = best

    def refuse(self, url: str, refusal: Refusal) -> None:
        self._refusals.setdefault(url, refusal)

    def counts(self) -> tuple[int, int, int]:
        """New pages, pages renewed, and pages of which nothing newer came."""
        new = sum(self._known(url) is None for url in self._pages)
        placed = sum(version.place is not None for version in self._pages.values())
        return new, placed - new, len(self._pages) - placed

    def snapshots(self, lake: Lake) -> Iterator[PageSnapshot]:
        """The stored rows, renewed where something newer came, then the new ones."""
        waiting = dict(self._pages)
        for row in lake.read(PageSnapshot, "page_snapshots", self._institution, size=16):
            version = waiting.pop(row.url, None)
            yield self._settled(version, row) if version else row
        for version in waiting.values():
            if version.place is not None:
                yield self._settled(version, None)

    def ledger(self, lake: Lake) -> Iterator[LedgerRow]:
        """The decisions so far; a stored page replaces what was decided, a refusal does not."""
        stored = {url: v for url, v in self._pages.items() if v.place is not None}
        others = self._other_rows()
        for row in lake.read(LedgerRow, "url_ledger", self._institution, size=1_000):
            others.pop(row.url, None)
            version = stored.pop(row.url, None)
            yield self._renewed(row, version) if version else row
        for url, version in stored.items():
            yield self._row(
                url,
                Refusal(decision=Decision.STORED, reason=REASON, detail=version.checksum),
                depth=version.depth,
                discovered_from=version.discovered_from,
            )
        yield from others.values()

    def _identity(self, url: str) -> str:
        """The stored page that this URL is another address of."""
        known = self._previous.find(url)
        if known is None or known.url == url or url in self._pages:
            return url
        return known.url if known.aliases.get(url, "redirect") in _SAME_PAGE else url

    def _known(self, url: str) -> _Version | None:
        known = self._previous.find(url)
        return _stored(known) if known and known.url == url else None

    def _note_aliases(self, row: PageSnapshot, url: str) -> None:
        """Every address a copy came under is told in the ledger, if the copy is stored or not."""
        meta = row.meta
        for alias, reason in zip(meta.alias_urls, meta.alias_reasons, strict=True):
            self._aliases[alias] = (url, reason)

    def _put(self, row: PageSnapshot, url: str) -> tuple[int, int]:
        return self._shelf.add(replace(row, url=url, page_id=page_id(self._institution, url)))

    def _settled(self, version: _Version, stored: PageSnapshot | None) -> PageSnapshot:
        row = stored if version.place is None else self._shelf.read(version.place)
        assert row is not None  # noqa: S101  # a version without a place is that of a stored row
        row = replace(row, first_seen_at=version.first_seen_at, changed_at=version.changed_at)
        if stored is None or version.place is None:
            return row
        return replace(
            row,
            depth=stored.depth,
            discovered_from=stored.discovered_from,
            meta=_with_aliases(row, stored),
        )

    def _other_rows(self) -> dict[str, LedgerRow]:
        """Rows for aliases and refused URLs, unless something is known of them already."""
        rows: dict[str, LedgerRow] = {}
        for url, (owner, reason) in self._aliases.items():
            rows[url] = self._row(
                url, Refusal(decision=Decision.ALIAS, reason=reason, detail=owner)
            )
        for url, refusal in self._refusals.items():
            rows.setdefault(url, self._row(url, refusal))
        return {url: row for url, row in rows.items() if url not in self._pages}

    def _renewed(self, row: LedgerRow, version: _Version) -> LedgerRow:
        return replace(
            row,
            decision=Decision.STORED,
            reason=REASON,
            detail=version.checksum,
            decided_at=self._now,
        )

    def _row(
        self, url: str, decided: Refusal, *, depth: int = 0, discovered_from: str | None = None
    ) -> LedgerRow:
        return LedgerRow(
            institution=self._institution,
            url=url,
            decision=Decision(decided.decision),
            reason=decided.reason,
            detail=decided.detail,
            depth=depth,
            discovered_from=discovered_from,
            decided_at=self._now,
        )


def _with_aliases(row: PageSnapshot, stored: PageSnapshot) -> SnapshotMeta:
    aliases = dict(zip(stored.meta.alias_urls, stored.meta.alias_reasons, strict=True))
    aliases |= dict(zip(row.meta.alias_urls, row.meta.alias_reasons, strict=True))
    aliases.pop(row.url, None)
    return replace(row.meta, alias_urls=tuple(aliases), alias_reasons=tuple(aliases.values()))
