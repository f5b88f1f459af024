"""A finished crawl: its rows as streams, its report, and when its journal may go."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from webmine_assets.crawl.cache import PreviousSnapshots
from webmine_assets.crawl.commit import SpooledRow
from webmine_assets.crawl.exchange import RenderedPage
from webmine_assets.crawl.identity import Identities
from webmine_assets.crawl.ledger import Ledger
from webmine_assets.crawl.outcome import Body
from webmine_assets.crawl.recovery.journal import Journal
from webmine_assets.crawl.recovery.spool import Spool
from webmine_assets.records import CrawlReport, LedgerRow, PageSnapshot


@dataclass(slots=True, kw_only=True)
class CrawlResult:
    """Streams that may be read again until `close`; `finish` says that the rows are published.

    As a context manager it closes; without `finish` the journal stays and the next run replays it.
    """

    report: CrawlReport
    page_count: int
    ledger_count: int
    _rows: Spool[SpooledRow]
    _ledger: Ledger
    _journal: Journal
    _previous: PreviousSnapshots
    _identities: Identities

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def snapshots(self) -> Iterator[PageSnapshot]:
        """The stored pages in the order of the crawl, one in memory at a time."""
        for row, body in self._rows:
            aliases = self._identities.aliases(row.url)
            meta = replace(
                row.meta,
                alias_urls=tuple(aliases),
                alias_reasons=tuple(aliases.values()),
                # A crawl that comes from the cache asks for no sitemap: what was known stays.
                sitemap_lastmod=self._identities.lastmod(row.url) or row.meta.sitemap_lastmod,
            )
            yield replace(row, body=self._read_body(body), meta=meta)

    def page_ids(self) -> Iterator[str]:
        """The ids of all stored pages, those from the cache too."""
        return (row.page_id for row, _ in self._rows)

    def screenshots(self) -> Iterator[tuple[str, bytes]]:
        """Page ids with the pictures that were taken of them in this crawl, as PNG."""
        for row, body in self._rows:
            entry = self._journal.find(body.place, body.url) if body.place == "render" else None
            if isinstance(entry, RenderedPage) and entry.screenshot_png:
                yield row.page_id, entry.screenshot_png

    def ledger(self) -> Iterator[LedgerRow]:
        """One row for every URL that was discovered, in the order of the decisions."""
        return iter(self._ledger)

    def finish(self) -> None:
        """The rows are published: remove the journal and everything beside it."""
        self._remove_spools()
        self._journal.remove()

    def close(self) -> None:
        """Let go of the files; the journal stays unless the crawl was finished."""
        self._remove_spools()
        self._journal.close()

    def _remove_spools(self) -> None:
        self._rows.remove()
        self._ledger.remove()

    def _read_body(self, body: Body) -> bytes:
        if body.place == "previous":
            return self._previous.read(body.url).body
        return self._journal.read_body(body.place, body.url)
