"""URLs out of CSV files and feeds: seeds once, the rest later, failures named."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.errors import StorageError
from webmine_assets.ingest.feeds import MAX_FEED_BYTES
from webmine_assets.progress import SilentProgress
from webmine_assets.records import LedgerRow, Seed
from webmine_assets.stages.imports import SEED_MARKS, SeedImport
from webmine_assets.stages.seeds import collect_seeds, read_feeds, waiting_seeds
from webmine_assets.storage.lake import Lake, PartitionWriter
from webmine_assets_tests.factories import NOON, ledger_row
from webmine_assets_tests.stages.pages import institution, settings_in

RSS = """<rss version="2.0"><channel><title>F</title>
<item><link>https://u1.edu/1</link><title>One</title>
<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate></item>
<item><link>https://u1.edu/2</link><title>Two</title></item>
<item><link>https://u1.edu/3</link><title>Three</title></item>
</channel></rss>"""


def importing(data: Path, *, lake: Lake | None = None, **options: Any) -> SeedImport:
    settings = settings_in(data)
    values: dict[str, Any] = {
        "institution": institution(allow_networks=["127.0.0.0/8"], politeness={"delay_ms": 0})
    } | options
    return SeedImport(
        lake=lake or Lake(settings.lake), settings=settings, progress=SilentProgress(), **values
    )


def seeds(data: Path) -> list[Seed]:
    return list(Lake(settings_in(data).lake).read(Seed, "seeds", "u1"))


@contextmanager
def served(pages: dict[str, str]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_csv_urls_become_seeds_once(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("title,url\nOne,https://u1.edu/1\nTwo,https://u1.edu/2\nBad,mailto:a@b\n")
    first = importing(tmp_path / "d").csv([str(file)])
    assert (first.added, dict(first.refused), first.taken) == (2, {"not_http": 1}, [str(file)])
    assert [(s.url, s.source, s.title) for s in seeds(tmp_path / "d")] == [
        ("https://u1.edu/", "config", None),
        ("https://u1.edu/1", "csv", "One"),
        ("https://u1.edu/2", "csv", "Two"),
    ]
    second = importing(tmp_path / "d").csv([str(file)])
    assert (second.added, second.skipped) == (0, [str(file)])


def test_a_csv_limit_is_held_and_the_next_run_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("".join(f"https://u1.edu/{n}\n" for n in range(5)))
    first = importing(tmp_path / "d", limit=3).csv([str(file)])
    assert (first.added, first.unfinished) == (3, [str(file)])
    second = importing(tmp_path / "d").csv([str(file)])
    assert (second.added, second.taken) == (2, [str(file)])
    assert len(seeds(tmp_path / "d")) == 6


def test_a_missing_file_is_named_and_the_others_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("https://u1.edu/1\n")
    outcome = importing(tmp_path / "d").csv([str(tmp_path / "none.csv"), str(file)])
    assert outcome.added == 1
    assert [name for name, _ in outcome.failed] == [str(tmp_path / "none.csv")]


class FailingLake(Lake):
    """A lake that cannot be written."""

    def writer(self, table: str, institution: str) -> PartitionWriter:
        raise StorageError("the disk is full")


def test_an_import_that_cannot_be_published_is_taken_again(tmp_path: Path) -> None:
    data, file = tmp_path / "d", tmp_path / "list.csv"
    file.write_text("https://u1.edu/1\n")
    dying = importing(data, lake=FailingLake(settings_in(data).lake))
    with pytest.raises(StorageError, match="full"):
        dying.csv([str(file)])
    assert importing(data).csv([str(file)]).added == 1


def decide(lake: Lake, count: int) -> None:
    rows: list[LedgerRow] = [ledger_row(f"https://u1.edu/{n}") for n in range(count)]
    lake.write("url_ledger", "u1", rows)


@pytest.mark.slow
def test_urls_are_taken_from_the_low_mark_to_the_high_one(tmp_path: Path) -> None:
    data, file = tmp_path / "d", tmp_path / "list.csv"
    low, high = SEED_MARKS.low, SEED_MARKS.high
    file.write_text("".join(f"https://u1.edu/{n}\n" for n in range(2 * high)))
    first = importing(data).csv([str(file)])
    assert (first.added, first.unfinished, first.waiting) == (high, [str(file)], 0)
    lake = Lake(settings_in(data).lake)
    decide(lake, high - low - 1)
    full = importing(data).csv([str(file)])
    assert (full.added, full.unfinished, full.waiting) == (0, [str(file)], low + 1)
    decide(lake, high - low)
    after = importing(data).csv([str(file)])
    assert (after.added, after.waiting) == (high - low, low)
    assert waiting_seeds(lake, "u1") == high


def test_the_day_in_the_name_of_a_list_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "urls-2022-01-25.csv"
    file.write_text("https://u1.edu/1\n")
    importing(tmp_path / "d").csv([str(file)])
    assert [str(seed.listed_on) for seed in seeds(tmp_path / "d")] == ["None", "2022-01-25"]


def test_a_feed_gives_no_more_than_its_fetch_limit(tmp_path: Path) -> None:
    few = institution(allow_networks=["127.0.0.0/8"], politeness={"delay_ms": 0}, fetchLimit=2)
    with served({"/feed": RSS}) as site:
        first = importing(tmp_path / "d", institution=few).feeds([f"{site}/feed"])
        assert (first.added, first.unfinished) == (2, [])
        wanted = few.model_copy(update={"feeds": (f"{site}/feed",)})
        settings = settings_in(tmp_path / "e")
        lake = Lake(settings.lake)
        found = collect_seeds(wanted, lake=lake, settings=settings, progress=SilentProgress())
    assert found.announced == 2


def test_feed_entries_become_seeds_and_an_unchanged_feed_is_skipped(tmp_path: Path) -> None:
    data = tmp_path / "d"
    with served({"/feed": RSS}) as site:
        first = importing(data).feeds([f"{site}/feed", f"{site}/none"])
        assert (first.added, first.taken) == (3, [f"{site}/feed"])
        assert [name for name, _ in first.failed] == [f"{site}/none"]
        second = importing(data).feeds([f"{site}/feed"])
        assert (second.added, second.skipped) == (0, [f"{site}/feed"])
    one = next(seed for seed in seeds(data) if seed.url == "https://u1.edu/1")
    assert (one.source, one.title, one.published_at) == ("feed", "One", "2026-03-02T10:00:00+00:00")


def test_a_feed_that_is_too_large_is_not_read_first(tmp_path: Path) -> None:
    with served({"/feed": RSS + " " * MAX_FEED_BYTES}) as site:
        imported = importing(tmp_path / "d").feeds([f"{site}/feed"])
        config = institution(allow_networks=["127.0.0.0/8"], feeds=[f"{site}/feed"])
        feeds = read_feeds(config, settings_in(tmp_path / "d"), now=NOON)
    problems = [problem for _, problem in imported.failed] + list(feeds.problems)
    assert [f"announced, {MAX_FEED_BYTES} allowed" in problem for problem in problems] == [True] * 2


def test_a_feed_with_more_entries_than_allowed_is_read_on(tmp_path: Path) -> None:
    with served({"/feed": RSS}) as site:
        first = importing(tmp_path / "d", limit=2).feeds([f"{site}/feed"])
        assert (first.added, first.unfinished) == (2, [f"{site}/feed"])
        second = importing(tmp_path / "d", limit=2).feeds([f"{site}/feed"])
        assert (second.added, second.known, second.taken) == (1, 2, [f"{site}/feed"])


def test_a_csv_file_can_be_fetched(tmp_path: Path) -> None:
    with served({"/urls.csv": "url\nhttps://u1.edu/1\n"}) as site:
        assert importing(tmp_path / "d").csv([f"{site}/urls.csv"]).added == 1


def test_two_imports_at_once_lose_none_of_their_urls(tmp_path: Path) -> None:
    class SlowLake(Lake):
        """Leaves time between reading the seeds and writing them."""

        def write(self, table: str, institution: str, records: Any) -> Any:
            time.sleep(0.3)
            return super().write(table, institution, records)

    lists = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in lists:
        path.write_text(f"url\nhttps://u1.edu/{path.stem}\n")
    lake = SlowLake(settings_in(tmp_path / "data").lake)
    imports = [
        threading.Thread(target=importing(tmp_path / "data", lake=lake).csv, args=([str(path)],))
        for path in lists
    ]
    for thread in imports:
        thread.start()
    for thread in imports:
        thread.join()
    found = {seed.url for seed in seeds(tmp_path / "data")}
    assert {"https://u1.edu/a", "https://u1.edu/b"} <= found
