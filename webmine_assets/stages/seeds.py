"""The seeds of an institution: the URLs its file names, what its feeds announce, imported lists."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.feeds import MAX_FEED_BYTES, feed_seeds, fetch_feed
from webmine_assets.ingest.tracker import FeedState, Tracker
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.records import Seed, SeedSource
from webmine_assets.settings import Settings
from webmine_assets.stages.exclusive import writing_seeds
from webmine_assets.stages.fetching import guarded_fetch
from webmine_assets.storage.lake import Lake, Written
from webmine_assets.urls import canonicalise

KEPT_SEEDS = 20_000
"""Announced URLs remembered per institution; the newest stay. Pages outlive their seeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedSeeds:
    """What was published, and the feeds that could not be read, for a person to read."""

    table: Written
    announced: int
    problems: tuple[str, ...]


def collect_seeds(
    institution: Institution, *, lake: Lake, settings: Settings, progress: Progress
) -> CollectedSeeds:
    """Publish the seeds table; a feed that fails is told and does not stop the others."""
    now = datetime.now(UTC)
    name = institution.institution_id
    with progress.task(f"{name}: seeds") as task, Tracker(settings.tracker) as tracker:
        feeds = read_feeds(institution, settings, now=now, state_of=tracker.find_feed)
        with writing_seeds(settings, name):
            rows = list(configured_seeds(institution, now=now))
            rows += _announced(lake, name, feeds.seeds)
            written = lake.write("seeds", name, rows)
        for url, state in feeds.states.items():
            tracker.save_feed(url, state)
        task.update(written.rows, written.rows)
    for problem in feeds.problems:
        progress.say(f"{name}: {problem}")
    return CollectedSeeds(table=written, announced=len(feeds.seeds), problems=feeds.problems)


def add_seeds(
    lake: Lake, institution: Institution, new: Iterable[Seed], *, settings: Settings
) -> Written:
    """Add imported URLs to the seeds table, in front of those announced before.

    If there are too many, seeds that a crawl has decided about go first.
    """
    name = institution.institution_id
    configured = configured_seeds(institution, now=datetime.now(UTC))
    with writing_seeds(settings, name):
        waiting = _undecided(lake, name)
        return lake.write("seeds", name, [*configured, *_announced(lake, name, [*new, *waiting])])


def waiting_seeds(lake: Lake, institution: str) -> int:
    """How many announced URLs no crawl has decided about yet."""
    return len(_undecided(lake, institution))


def _undecided(lake: Lake, institution: str) -> list[Seed]:
    seeds = lake.read(Seed, "seeds", institution, size=1_000)
    waiting = {canonicalise(s.url): s for s in seeds if s.source is not SeedSource.CONFIG}
    for batch in lake.batches("url_ledger", institution, columns=["url"], size=10_000):
        for url in batch.column(0).to_pylist():
            waiting.pop(url, None)
    return list(waiting.values())


def configured_seeds(institution: Institution, *, now: datetime) -> Iterator[Seed]:
    """The seed URLs of the file, in its order, each once."""
    for url in dict.fromkeys(institution.seed_urls):
        yield Seed(
            institution=institution.institution_id,
            url=url,
            source=SeedSource.CONFIG,
            via=f"{institution.institution_id}.yaml",
            added_at=now,
        )


def _announced(lake: Lake, institution: str, new: Iterable[Seed]) -> list[Seed]:
    """New seeds and the earlier ones that no file configures, each URL once, newest first."""
    earlier = lake.read(Seed, "seeds", institution, size=1_000)
    known = (seed for seed in earlier if seed.source is not SeedSource.CONFIG)
    by_url: dict[str, Seed] = {}
    for seed in chain(new, known):
        by_url.setdefault(seed.url, seed)
    return list(islice(by_url.values(), KEPT_SEEDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedsRead:
    """What the feeds of an institution announce now; `states` are remembered once it is kept."""

    seeds: tuple[Seed, ...]
    states: dict[str, FeedState]
    problems: tuple[str, ...]


StateOf = Callable[[str], FeedState | None]


def read_feeds(
    institution: Institution,
    settings: Settings,
    *,
    now: datetime,
    state_of: StateOf = lambda _: None,
) -> FeedsRead:
    """Ask every feed in the order of the file; with its state a feed tells only what is new."""
    seeds: list[Seed] = []
    states: dict[str, FeedState] = {}
    problems: list[str] = []
    if institution.feeds:
        with guarded_fetch(institution, settings, max_bytes=MAX_FEED_BYTES) as fetch:
            for url in institution.feeds:
                try:
                    limit = institution.fetch_limit
                    result = fetch_feed(url, fetch, state=state_of(url), fetch_limit=limit)
                except ImportSourceError as problem:
                    problems.append(str(problem))
                    continue
                states[url] = result.state
                name = institution.institution_id
                seeds += feed_seeds(result.entries, institution=name, feed_url=url, now=now)
    return FeedsRead(seeds=tuple(seeds), states=states, problems=tuple(problems))
