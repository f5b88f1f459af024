"""`webmine run` over a real site that goes down and comes back: nothing of it is lost."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from webmine_assets.settings import read_settings
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchIndex
from webmine_assets_tests.cli.webmine import Result, Webmine, assert_clear, file_of
from webmine_assets_tests.crawl.site import html

# All of it starts Dagster.
pytestmark = pytest.mark.slow

NAMES = [f"/p{number}" for number in range(11)]
TABLES = ("page_snapshots", "page_content", "page_metadata", "page_archives")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        failing: set[str] = self.server.failing  # type: ignore[attr-defined]
        links = NAMES if self.path == "/" else []
        status = 403 if self.path in failing else 200 if self.path in {"/", *NAMES} else 404
        body = html(self.path, links=links) if status == 200 else b"nothing here"
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{self.path}"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.failing: set[str] = set()


@contextmanager
def _serving(port: int) -> Iterator[_Server]:
    with _Server(port) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


def _institution(webmine: Webmine, port: int) -> None:
    file_of(
        webmine,
        f"""\
institution_id: u1
seed_urls: ["http://127.0.0.1:{port}/"]
allowed_domains: [127.0.0.1]
allow_networks: [127.0.0.0/8]
ttl_days: 0
politeness: {{delay_ms: 0}}
rendering: {{mode: never}}
""",
    )


def _rows(webmine: Webmine, sql: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = warehouse.query(Lake(str(webmine.data / "lake")), sql).to_pylist()
    return rows


def _stored(webmine: Webmine) -> list[dict[str, Any]]:
    columns = "url, md5(body) as body, etag, first_seen_at, changed_at"
    return _rows(webmine, f"select {columns} from page_snapshots order by url")


def _counts(webmine: Webmine) -> list[int]:
    index = SearchIndex(read_settings({"WEBMINE_DATA": str(webmine.data)}).search_index)
    tables = [_rows(webmine, f"select count(*) as n from {table}")[0]["n"] for table in TABLES]
    return [*tables, index.counts()["u1"]]


def _reasons(webmine: Webmine) -> set[tuple[str, str]]:
    rows = _rows(webmine, "select distinct decision, reason from url_ledger")
    return {(row["decision"], row["reason"]) for row in rows}


def _run(webmine: Webmine, code: int, *options: str) -> Result:
    result = webmine("run", "u1", *options)
    assert_clear(result, code)
    return result


def test_a_site_that_goes_down_and_comes_back_keeps_its_pages_and_their_history(
    webmine: Webmine, port: int
) -> None:
    _institution(webmine, port)
    with _serving(port):
        _run(webmine, 0)
    first = _stored(webmine)
    assert _counts(webmine) == [12] * 5

    down = _run(webmine, 1)
    assert "nothing could be asked for; 12 pages kept from 20" in down.stderr
    assert "robots_unreachable (12); ask: webmine why http://127.0.0.1" in down.stderr
    assert _stored(webmine) == first
    assert _counts(webmine) == [12] * 5
    assert _reasons(webmine) == {("kept", "robots_unreachable")}
    why = webmine("why", f"http://127.0.0.1:{port}/p3")
    assert "The page of the last crawl stays." in why.stdout

    with _serving(port) as server:
        server.failing = {"/p3"}
        partly = _run(webmine, 0)
        assert "u1: 1 page kept from 20" in partly.stderr
        assert _stored(webmine) == first
        assert (
            _rows(
                webmine,
                "select url from page_archives where record_type = 'revisit' and url like '%/p3'",
            )
            == []
        )

        few = _run(webmine, 0, "--max-pages", "3")
        assert "9 pages kept from 20" in few.stderr
        assert _stored(webmine) == first
        assert _counts(webmine)[:3] == [12] * 3

        server.failing = set()
        _run(webmine, 0)
    assert _stored(webmine) == first
    assert _reasons(webmine) == {("stored", "unchanged")}
