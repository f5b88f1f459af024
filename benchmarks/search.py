"""Search over many stories: CPU and wall time to index them, and the time of a query.

    python benchmarks/search.py [--stories 100000] [--queries 300]

The stories are made here from a fixed seed: four languages, words by frequency, 300 words each.
"""

import argparse
import random
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from webmine_assets.storage.search import SearchDocument, SearchIndex

LANGUAGES = ("en", "de", "fr", "ja")
INSTITUTIONS = 20
WORDS_EACH = 300
START = datetime(2020, 1, 1, tzinfo=UTC)


class Corpus:
    """Made-up stories over a vocabulary of 40,000 words with the frequencies of a language."""

    def __init__(self) -> None:
        self._rng = random.Random(11)
        self.words = [self._word() for _ in range(40_000)]
        # Summed up once: with plain weights `choices` sums 40,000 numbers for every story: 2.9
        # ms, against 0.6 for indexing it.
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(len(self.words))))

    def _word(self) -> str:
        return "".join(self._rng.choices("etaoinshrdlucmfwypvbgk", k=self._rng.randint(3, 11)))

    def stories(self, institution: str, count: int) -> Iterator[SearchDocument]:
        for number in range(count):
            words = self._rng.choices(self.words, cum_weights=self._weights, k=WORDS_EACH)
            yield SearchDocument(
                page_id=f"{institution}-{number}",
                institution=institution,
                url=f"https://{institution}.edu/{number}",
                title=" ".join(words[:6]),
                text=" ".join(words),
                topics=(words[0],),
                language=self._rng.choice(LANGUAGES),
                date=START + timedelta(hours=number),
            )

    def queries(self, count: int) -> list[str]:
        """One to three words, from common to rare."""
        common = self.words[20:8000]
        return [" ".join(self._rng.sample(common, self._rng.randint(1, 3))) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stories", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args()
    corpus = Corpus()
    with TemporaryDirectory() as folder:
        index = SearchIndex(Path(folder))
        wall_s, cpu_s = fill(index, corpus, options.stories // INSTITUTIONS)
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        print(
            f"{options.stories:,} stories indexed in {wall_s:.0f} s ({cpu_s:.0f} s of CPU), "
            f"{size / 1e6:.0f} MB",
            flush=True,
        )
        report(index, corpus.queries(options.queries))


def fill(index: SearchIndex, corpus: Corpus, count: int) -> tuple[float, float]:
    """Index `count` stories of each institution; the seconds of that, without making them."""
    wall_s = cpu_s = 0.0
    for number in range(INSTITUTIONS):
        name = f"u{number}"
        stories = list(corpus.stories(name, count))
        wall, cpu = time.perf_counter(), time.process_time()
        index.update(name, stories)
        wall_s += time.perf_counter() - wall
        cpu_s += time.process_time() - cpu
    return wall_s, cpu_s


def report(index: SearchIndex, queries: list[str]) -> None:
    kinds = {
        "words": {},
        "words, one institution": {"institution": "u3"},
        "words, since a date": {"since": datetime(2020, 6, 1, tzinfo=UTC).date()},
    }
    for name, filters in kinds.items():
        times, found = [], 0
        for words in queries:
            started = time.perf_counter()
            found += bool(index.search(words, **filters))
            times.append((time.perf_counter() - started) * 1000)
        times.sort()
        p95 = times[int(len(times) * 0.95)]
        print(
            f"{name:24} median {statistics.median(times):.1f} ms, p95 {p95:.1f} ms, "
            f"{found} of {len(queries)} queries found something"
        )


if __name__ == "__main__":
    main()
