"""Our files through the tools of others: cdxj-indexer, and a real pywb on loopback.

They live in an environment of their own (`.venv/pywb`), which `make test` makes from
requirements-replay.lock: pywb's dependencies would replace some of the project's.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest
from warcio.archiveiterator import ArchiveIterator

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.index import index_path
from webmine_assets.archive.reader import read_archive
from webmine_assets_tests.archive.factories import story, write_file
from webmine_assets_tests.archive.test_index import KEYS

TOOLS = Path(sys.prefix) / "pywb" / "bin"
PAGE = "<html><head><title>Zoé</title></head><body><p>Grüße</p></body></html>"
URL = "http://www.u1.edu/caf%C3%A9/page?b=2&a=1"


def tool(name: str) -> str:
    path = TOOLS / name
    assert path.exists(), f"{path} is missing: run `make test`, or `tools/setup test`"
    return str(path)


def run_tool(name: str, *arguments: str) -> str:
    """What a tool prints; a tool that fails fails the test."""
    command = [tool(name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file in a pywb collection, with its own index."""
    folder = tmp_path_factory.mktemp("replay") / "collections" / "corpus"
    (folder / "indexes").mkdir(parents=True)
    latin = story("http://u1.edu/latin", body=PAGE.encode("latin-1"), encoding="iso-8859-1")
    pdf = story("http://u1.edu/f.pdf", body=b"%PDF-1.4", content_type="application/pdf")
    path = write_file(folder / "archive", story(URL, body=PAGE.encode()), latin, pdf)
    index_path(path).rename(folder / "indexes" / "index.cdxj")
    return path


@pytest.fixture(scope="module")
def pywb(archive: Path) -> Iterator[str]:
    """The address of a pywb that serves the collection."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [tool("wayback"), "--port", str(port), "--bind", "127.0.0.1"]
    root = archive.parents[3]
    with (root / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=root, stdout=log, stderr=log)
    try:
        wait_for(port, server)
        yield f"http://127.0.0.1:{port}/corpus"
    finally:
        server.terminate()
        server.wait(timeout=20)


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, "pywb did not start"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("pywb did not answer within a minute")


def fetch(url: str) -> tuple[str, bytes]:
    with build_opener(ProxyHandler({})).open(url, timeout=30) as answer:
        return answer.headers["content-type"], answer.read()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "kind", "body"),
    [
        (URL, "text/html; charset=utf-8; encoding=utf-8", PAGE.encode()),
        ("http://u1.edu/latin", "text/html; charset=iso-8859-1;", PAGE.encode("latin-1")),
        ("http://u1.edu/f.pdf", "application/pdf", b"%PDF-1.4"),
    ],
)
def test_pywb_serves_the_stored_bytes(pywb: str, url: str, kind: str, body: bytes) -> None:
    found_kind, found = fetch(f"{pywb}/2026id_/{url}")
    assert found == body
    assert found_kind.startswith(kind)


def test_pywb_replays_the_page_and_not_its_metadata(pywb: str) -> None:
    kind, page = fetch(f"{pywb}/2026mp_/{URL}")
    assert kind.startswith("text/html")
    assert "<p>Grüße</p>" in page.decode()
    assert "mediacloud" not in page.decode()


def indexed(path: Path) -> list[tuple[str, str, dict[str, str]]]:
    """What cdxj-indexer says of the response records of a file."""
    output = run_tool("cdxj-indexer", "--sort", "--records", "response", str(path))
    return [split(line) for line in output.splitlines()]


def split(line: str) -> tuple[str, str, dict[str, str]]:
    key, stamp, fields = line.split(" ", 2)
    return key, stamp, json.loads(fields)


def test_cdxj_indexer_makes_the_index_we_wrote(tmp_path: Path) -> None:
    path = write_file(tmp_path, *map(story, KEYS))
    ours = [split(line) for line in index_path(path).read_text("utf-8").splitlines()]
    assert sorted(map(repr, ours)) == sorted(map(repr, indexed(path)))


SAMPLES = ["dupes", "example", "example2", "example-wget-1-14", "example-wpull", "iana"]
SAMPLES += ["httpbin-resource", "post-test", "example-url-agnostic-revisit"]


@pytest.mark.parametrize("name", SAMPLES)
def test_files_of_other_crawlers_give_what_warcio_reads(name: str) -> None:
    path = TOOLS.parent / "sample_archive" / "warcs" / f"{name}.warc.gz"
    theirs = []
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            if record.rec_type in ("response", "resource"):
                body = record.content_stream().read()
                theirs.append((record.rec_headers["WARC-Target-URI"].strip("<>"), body))
    assert [(story.page.url, story.page.body) for story in read_archive(path)] == theirs
    assert {problem.kind for problem in check_archive(path)} <= {"order"}
