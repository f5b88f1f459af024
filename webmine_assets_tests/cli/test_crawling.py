"""`webmine crawl` over a real site: three files, and the folder is the cache of the next run."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from webmine_assets.settings import read_settings
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets_tests.cli.webmine import InItsOwnProcess, Webmine, assert_clear, file_of
from webmine_assets_tests.crawl.site import html

FEED = "<rss version='2.0'><channel><item><link>{origin}/announced</link></item></channel></rss>"
LINKS: dict[str, list[str]] = {"/": ["/a", "/b", "/missing"], "/a": ["/b"], "/b": ["/a"]}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        body = html(self.path, links=LINKS[self.path]) if self.path in LINKS else b"nothing here"
        if self.path == "/feed":
            body = FEED.format(origin=f"http://127.0.0.1:{self.server.server_address[1]}").encode()
        self.send_response(200 if self.path in {*LINKS, "/feed"} else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []

    def taken(self) -> list[str]:
        """What was asked for since the last call."""
        asked, self.asked = sorted(self.asked), []
        return asked


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def config(server: _Server, tmp_path: Path) -> Path:
    path = tmp_path / "u1.yaml"
    path.write_text(
        f"""\
institution_id: u1
seed_urls: ["http://127.0.0.1:{server.server_address[1]}/"]
allowed_domains: [127.0.0.1]
allow_networks: [127.0.0.0/8]
politeness: {{delay_ms: 0}}
rendering: {{mode: never}}
"""
    )
    return path


def _decisions(out: Path) -> dict[str, str]:
    rows = pq.read_table(out / "url_ledger.parquet", columns=["url", "decision"]).to_pylist()
    return {"/" + row["url"].rpartition("/")[2]: row["decision"] for row in rows}


@pytest.mark.slow
def test_second_crawl_into_a_folder_takes_its_pages_from_there(
    webmine: Webmine, server: _Server, config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = webmine("crawl", "--config", str(config), "--out", str(out))
    assert_clear(first, 0)
    assert server.taken() == ["/", "/a", "/b", "/missing", "/robots.txt"]
    assert _decisions(out) == {"/": "stored", "/a": "stored", "/b": "stored"} | {
        "/missing": "http_error"
    }
    assert pq.read_metadata(out / "page_snapshots.parquet").num_rows == 3

    again = webmine("crawl", "--config", str(config), "--out", str(out), "--json")
    assert_clear(again, 0)
    assert json.loads(again.stdout)["counters"]["cache_hits"] == 3
    assert server.taken() == ["/missing", "/robots.txt"]
    assert [_decisions(out)[path] for path in LINKS] == ["fresh"] * 3

    assert_clear(webmine("crawl", "--config", str(config), "--out", str(out), "--force"), 0)
    assert server.taken() == ["/", "/a", "/b", "/missing", "/robots.txt"]


@pytest.mark.slow
def test_another_institutions_results_are_not_written_over(
    webmine: Webmine, server: _Server, config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert_clear(webmine("crawl", "--config", str(config), "--out", str(out)), 0)
    before = (out / "page_snapshots.parquet").read_bytes()
    server.taken()
    other = config.with_name("u2.yaml")
    other.write_text(config.read_text().replace("institution_id: u1", "institution_id: u2"))
    refused = webmine("crawl", "--config", str(other), "--out", str(out))
    assert_clear(refused, 2, f"{out} holds the results of u1", "another folder for u2")
    assert server.taken() == []
    assert (out / "page_snapshots.parquet").read_bytes() == before


@pytest.mark.slow
def test_a_run_leaves_out_bad_files_and_shows_no_earlier_crawl_as_its_own(
    webmine: Webmine, config: Path
) -> None:
    file_of(webmine, config.read_text())
    file_of(webmine, "institution_id: u2\nseeds: []\n", "u2.yaml")
    apart = InItsOwnProcess(webmine.data)
    first = apart("run", "u1", "u2", "--json")
    assert_clear(first, 2, "skipped: ", "u2.yaml is not a valid institution file")
    assert [row["pages"] for row in json.loads(first.stdout)] == [3]
    assert_clear(webmine("run", "u2"), 2, "u2.yaml is not a valid institution file")

    settings = read_settings({"WEBMINE_DATA": str(webmine.data)})
    with writing_pages(settings, "u1"):
        busy = apart("run", "u1")
    assert_clear(busy, 1, "not run: u1: crawl_pages: another crawl or import of u1 is under way")
    assert busy.stdout == ""

    history = webmine.data / "dagster" / "history" / "runs.db"
    history.write_bytes(b"no database at all")
    assert_clear(apart("run", "u1"), 1, f"Dagster cannot use {history}: file is not a database")


@pytest.mark.slow
def test_a_crawl_takes_an_id_and_fails_without_a_page(
    webmine: Webmine, server: _Server, config: Path, tmp_path: Path
) -> None:
    file_of(webmine, config.read_text().replace("0}", "0}\npolicy: {min_text_length: 90000}"))
    done = webmine("crawl", "-c", "u1", "--out", str(tmp_path / "out"))
    assert_clear(done, 1, "no page was stored")
    unknown = webmine("crawl", "-c", "u2", "--out", str(tmp_path / "other"))
    assert_clear(unknown, 2, "there is no institution 'u2'", "known: u1")
    assert not (tmp_path / "other").exists()


def test_damaged_results_of_an_earlier_crawl_are_named(
    webmine: Webmine, config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "page_snapshots.parquet").write_bytes(b"not parquet")
    result = webmine("crawl", "--config", str(config), "--out", str(out))
    assert_clear(result, 1, "page_snapshots.parquet", "move it away")


@pytest.mark.slow
def test_why_answers_from_the_folder_of_a_crawl(
    webmine: Webmine, server: _Server, config: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    crawled = webmine("crawl", "--config", str(config), "--out", str(out))
    assert_clear(crawled, 0)
    assert f"webmine why URL --out {out}" in crawled.stdout
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    missing = webmine("why", f"{origin}/missing", "--out", str(out))
    assert_clear(missing, 0)
    for words in ("http_error: http_404", "what helps: ", f"found on {origin}/", "depth 1"):
        assert words in missing.stdout
    assert "tries again" not in missing.stdout
    assert "a starting point, in the file of u1" in webmine("why", origin, "-o", str(out)).stdout
    spelt = webmine("why", f"{origin}/a/?utm_source=x", "--out", str(out), "--json")
    assert [row["decision"] for row in json.loads(spelt.stdout)] == ["stored"]
    assert_clear(webmine("why", f"{origin}/never", "--out", str(out)), 1)
    elsewhere = webmine("why", f"{origin}/", "--out", str(tmp_path / "nowhere"))
    assert_clear(elsewhere, 2, "url_ledger.parquet is not there")


@pytest.mark.slow
def test_feeds_of_the_file_are_seeds_and_a_broken_one_is_told(
    webmine: Webmine, server: _Server, config: Path, tmp_path: Path
) -> None:
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    config.write_text(config.read_text() + f"feeds: ['{origin}/feed', '{origin}/missing']\n")
    LINKS["/announced"] = []
    try:
        done = webmine("crawl", "--config", str(config), "--out", str(tmp_path / "out"))
    finally:
        del LINKS["/announced"]
    assert_clear(done, 0)
    assert "/missing: the feed's server answered 404" in done.stderr
    assert _decisions(tmp_path / "out")["/announced"] == "stored"
