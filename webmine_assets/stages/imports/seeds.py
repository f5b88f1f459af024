"""URLs out of feeds and CSV files into the seeds of an institution; the next crawl fetches them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.csv_urls import CsvUrl, RejectedLine, csv_seed, read_csv_urls
from webmine_assets.ingest.feeds import MAX_FEED_BYTES, feed_seeds, fetch_feed
from webmine_assets.ingest.inputs import Fetch, Input
from webmine_assets.ingest.intake import Intake, WaterMarks
from webmine_assets.ingest.tracker import Tracker
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import Seed
from webmine_assets.settings import Settings
from webmine_assets.stages.fetching import guarded_fetch
from webmine_assets.stages.imports.memory import DeferredMemory
from webmine_assets.stages.imports.outcome import ImportOutcome
from webmine_assets.stages.imports.sources import fetch_for, found_inputs
from webmine_assets.stages.seeds import KEPT_SEEDS, add_seeds, waiting_seeds
from webmine_assets.storage.lake import Lake

# As Media Cloud's queuers do it: nothing is taken while many wait for a crawl, so that a list of
# millions is worked off in few large helpings and never pushes out what waits already.
SEED_MARKS = WaterMarks(low=KEPT_SEEDS // 2, high=KEPT_SEEDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedImport:
    """How URLs are taken: at most `limit`, and only as many as `SEED_MARKS` has room for."""

    institution: Institution
    lake: Lake
    settings: Settings
    progress: Progress
    limit: int | None = None
    again: bool = False

    def csv(self, specs: Sequence[str]) -> ImportOutcome:
        """Take the URLs of CSV files; a file is taken once, and goes on where it stopped."""
        name = self.institution.institution_id
        outcome = ImportOutcome(institution=name, kind="csv", waiting=self._waiting())
        with (
            fetch_for(specs, self.institution, self.settings) as fetch,
            Tracker(self.settings.tracker) as tracker,
        ):
            memory = DeferredMemory(tracker, again=self.again)
            intake = Intake(
                found_inputs(specs, fetch, outcome.failed),
                _named_lines,
                kind=f"csv:{name}",
                tracker=memory,
                budget=self._room(outcome.waiting),
            )
            seeds = list(self._csv_seeds(intake, outcome))
            self._publish(seeds, outcome)
            memory.keep()
        outcome.add_inputs(intake.report)
        return outcome

    def feeds(self, urls: Sequence[str]) -> ImportOutcome:
        """Take what feeds announce; a feed that did not change since the last import is skipped."""
        name = self.institution.institution_id
        outcome = ImportOutcome(institution=name, kind="feed", waiting=self._waiting())
        with (
            guarded_fetch(self.institution, self.settings, max_bytes=MAX_FEED_BYTES) as fetch,
            Tracker(self.settings.tracker) as tracker,
            self.progress.task(f"{name}: feeds", len(urls)) as task,
        ):
            memory = DeferredMemory(tracker, again=self.again)
            news = _News(known=self._known_urls(), room=self._room(outcome.waiting))
            for number, url in enumerate(urls, 1):
                self._take_feed(url, fetch, memory=memory, news=news, outcome=outcome)
                task.update(number, len(urls))
            self._publish(list(news.found.values()), outcome)
            memory.keep()
        return outcome

    def _take_feed(
        self,
        url: str,
        fetch: Fetch,
        *,
        memory: DeferredMemory,
        news: "_News",
        outcome: ImportOutcome,
    ) -> None:
        # The institution's own feeds are remembered by their URL alone: what was announced to one
        # institution is news to another.
        name = self.institution.institution_id
        key = f"import:{name}:{url}"
        try:
            result = fetch_feed(
                url,
                fetch,
                state=memory.find_feed(key),
                fetch_limit=self.institution.fetch_limit,
            )
        except ImportSourceError as problem:
            outcome.failed.append((url, str(problem)))
            return
        if result.unchanged:
            outcome.skipped.append(url)
            return
        now = datetime.now(UTC)
        seeds = list(feed_seeds(result.entries, institution=name, feed_url=url, now=now))
        new = news.new_of(seeds)
        outcome.known += len(seeds) - len(new)
        if news.take(new):
            outcome.taken.append(url)
            memory.save_feed(key, result.state)
        else:
            outcome.unfinished.append(url)

    def _csv_seeds(
        self, intake: Intake[tuple[str, CsvUrl | RejectedLine]], outcome: ImportOutcome
    ) -> Iterator[Seed]:
        name, now = self.institution.institution_id, datetime.now(UTC)
        with self.progress.task(f"{name}: read csv", self.limit) as task:
            for done, (source, line) in enumerate(intake, 1):
                task.update(done, self.limit)
                if isinstance(line, RejectedLine):
                    outcome.refuse(line.reason, f"{source}, line {line.line}: {line.value}")
                else:
                    yield csv_seed(line, institution=name, name=source, now=now)

    def _publish(self, seeds: list[Seed], outcome: ImportOutcome) -> None:
        if not seeds:
            return
        known = self._known_urls()
        add_seeds(self.lake, self.institution, seeds, settings=self.settings)
        urls = {seed.url for seed in seeds}
        outcome.added = len(urls - known)
        outcome.known += len(urls & known)

    def _known_urls(self) -> set[str]:
        rows = self.lake.read(Seed, "seeds", self.institution.institution_id, size=1_000)
        return {seed.url for seed in rows}

    def _waiting(self) -> int:
        return waiting_seeds(self.lake, self.institution.institution_id)

    def _room(self, waiting: int) -> int:
        """How many URLs may be added."""
        room = SEED_MARKS.room(waiting)
        return min(room, self.limit) if self.limit is not None else room


@dataclass(slots=True)
class _News:
    """What feeds announced that was not known; no more than there is room for."""

    known: set[str]
    room: int
    found: dict[str, Seed] = field(default_factory=dict)

    def new_of(self, seeds: list[Seed]) -> list[Seed]:
        return [s for s in seeds if s.url not in self.known and s.url not in self.found]

    def take(self, new: list[Seed]) -> bool:
        """Add new seeds; whether there was room for all of them."""
        left = self.room - len(self.found)
        self.found |= {seed.url: seed for seed in new[: max(left, 0)]}
        return len(new) <= left


def _named_lines(stream: BinaryIO, entry: Input) -> Iterator[tuple[str, CsvUrl | RejectedLine]]:
    return ((entry.name, line) for line in read_csv_urls(stream, name=entry.name))
