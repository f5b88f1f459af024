"""Pages out of WARC files and older systems into an institution's tables, with no crawl."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from webmine_assets.archive.listing import WARC_SUFFIXES
from webmine_assets.archive.reader import read_archive
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.historical import RejectedRow, html_in, read_historical
from webmine_assets.ingest.inputs import Input
from webmine_assets.ingest.intake import Intake, Parse
from webmine_assets.ingest.tracker import Tracker
from webmine_assets.ingest.warc import RejectedPage, usable_pages
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.reading.stored import StoredPage
from webmine_assets.settings import Settings
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets.stages.imports.admission import Admission, key_of_stored, page_input
from webmine_assets.stages.imports.memory import DeferredMemory
from webmine_assets.stages.imports.merge import Arrivals
from webmine_assets.stages.imports.outcome import ImportOutcome
from webmine_assets.stages.imports.reader import PageReader
from webmine_assets.stages.imports.shelf import PageShelf
from webmine_assets.stages.imports.sources import fetch_for, found_inputs
from webmine_assets.stages.previous import previous_snapshots
from webmine_assets.storage.lake import Lake

Item = StoredPage | RejectedPage | RejectedRow

# Pages handed to the readers together: enough to keep them busy, and little memory.
_BATCH_PAGES = 16
_BATCH_BYTES = 32_000_000
# Pages are published in rounds, and what a kill costs is one round. Publishing writes the whole
# partition anew, so a round grows with it: all rounds together write each page about five times.
_ROUND_PAGES = 2_000
_ROUND_SHARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImport:
    """How pages are taken: at most `limit` items, of the institution's hosts or of any.

    `again` takes inputs that were taken before: the institution's rules may be others now.
    """

    institution: Institution
    lake: Lake
    settings: Settings
    progress: Progress
    limit: int | None = None
    again: bool = False
    any_host: bool = False

    def warc(self, specs: Sequence[str]) -> ImportOutcome:
        """Take the pages of WARC files."""
        admission = self._admission()

        def parse(stream: BinaryIO, entry: Input) -> Iterator[Item]:
            stories = read_archive(stream, name=entry.name, max_body_bytes=admission.max_body_bytes)
            return usable_pages(story.page for story in stories)

        return self._take("warc", specs, parse, admission, endings=WARC_SUFFIXES)

    def historical(self, specs: Sequence[str], html: str) -> ImportOutcome:
        """Take the pages that CSV files list and whose HTML is stored in a folder or store."""
        if "://" not in html and not Path(html).is_dir():
            raise ImportSourceError(f"{html}: there is no such folder of stored pages")
        read_html = html_in(html)

        def parse(stream: BinaryIO, entry: Input) -> Iterator[Item]:
            return read_historical(stream, read_html, name=entry.name)

        return self._take("historical", specs, parse, self._admission())

    def _admission(self) -> Admission:
        return Admission(self.institution, any_host=self.any_host, now=datetime.now(UTC))

    def _take(
        self,
        kind: str,
        specs: Sequence[str],
        parse: Parse[Item],
        admission: Admission,
        *,
        endings: tuple[str, ...] = (),
    ) -> ImportOutcome:
        name = self.institution.institution_id
        outcome = ImportOutcome(institution=name, kind=kind)
        with (
            writing_pages(self.settings, name),
            fetch_for(specs, self.institution, self.settings) as fetch,
            Tracker(self.settings.tracker) as tracker,
            PageReader() as reader,
        ):
            memory = DeferredMemory(tracker, again=self.again)
            intake = Intake(
                found_inputs(specs, fetch, outcome.failed, endings=endings),
                parse,
                kind=self._memory_kind(kind),
                tracker=memory,
                budget=self.limit,
            )
            batches = _batches(intake)
            while not self._take_round(batches, admission, reader, outcome):
                memory.keep()
            # Only after publication: an import that is cut off before takes its last round again.
            memory.keep()
        outcome.add_inputs(intake.report)
        return outcome

    def _take_round(
        self,
        batches: Iterator[list[Item]],
        admission: Admission,
        reader: PageReader,
        outcome: ImportOutcome,
    ) -> bool:
        """Gather and publish one round of pages; whether it was the last."""
        name = outcome.institution
        size = max(_ROUND_PAGES, self.lake.count("page_snapshots", name) // _ROUND_SHARE)
        with (
            previous_snapshots(self.lake, name) as previous,
            PageShelf(self.settings.data) as shelf,
        ):
            arrivals = Arrivals(name, previous, shelf, now=datetime.now(UTC))
            done = self._gather(batches, size, admission, reader, arrivals, outcome)
            self._publish(arrivals, outcome)
        return done < size

    def _memory_kind(self, kind: str) -> str:
        """Under which name inputs are remembered: any host gives more of the same file."""
        name = f"{kind}:{self.institution.institution_id}"
        return f"{name}:any-host" if self.any_host else name

    def _gather(
        self,
        batches: Iterator[list[Item]],
        size: int,
        admission: Admission,
        reader: PageReader,
        arrivals: Arrivals,
        outcome: ImportOutcome,
    ) -> int:
        """Take batches until a round is full; how many items there were."""
        done = 0
        with self.progress.task(f"{outcome.institution}: read {outcome.kind}", self.limit) as task:
            for batch in batches:
                _take_batch(batch, admission, reader, arrivals, outcome)
                done += len(batch)
                task.update(done, self.limit, f"{sum(outcome.refused.values())} refused")
                if done >= size:
                    break
        return done

    def _publish(self, arrivals: Arrivals, outcome: ImportOutcome) -> None:
        """Pages come last, as in a crawl: they are what others wait for."""
        if not arrivals:
            return
        name = outcome.institution
        with self.progress.task(f"{name}: publish") as task:
            self.lake.write("url_ledger", name, arrivals.ledger(self.lake))
            written = self.lake.write("page_snapshots", name, arrivals.snapshots(self.lake))
            task.update(written.rows, written.rows)
        added, renewed, known = arrivals.counts()
        outcome.added += added
        outcome.renewed += renewed
        outcome.known += known


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.body) if isinstance(item, StoredPage) else 0
        if len(batch) >= _BATCH_PAGES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _take_batch(
    batch: list[Item],
    admission: Admission,
    reader: PageReader,
    arrivals: Arrivals,
    outcome: ImportOutcome,
) -> None:
    readable: list[StoredPage] = []
    for item in batch:
        if isinstance(item, RejectedRow):
            outcome.refuse(item.reason, f"{item.name}, line {item.line}: {item.value}")
        elif isinstance(item, RejectedPage):
            _refuse(item.url, admission.refuse_record(item), arrivals, outcome)
        elif refusal := admission.refuse(item):
            _refuse(item.url, refusal, arrivals, outcome)
        else:
            readable.append(item)
    answers = reader.read([page_input(page) for page in readable])
    for page, parsed in zip(readable, answers, strict=True):
        found = admission.admit(page, parsed)
        if isinstance(found, Refusal):
            _refuse(page.url, found, arrivals, outcome)
        else:
            arrivals.add(found, is_dated=page.fetched_at is not None)


def _refuse(url: str, refusal: Refusal, arrivals: Arrivals, outcome: ImportOutcome) -> None:
    outcome.refuse(f"{refusal.decision}:{refusal.reason}", url)
    if (key := key_of_stored(url)) is not None:
        arrivals.refuse(key, refusal)
