"""Writing and reading archives against warcio and fastwarc: pages of about 170 kB, same gzip level.

    python benchmarks/archives.py [--pages 181] [--rounds 5]

The pages are made here from a fixed seed. The tools take turns; the fastest round of each counts.
"""

import argparse
import io
import json
import random
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import warcio.warcwriter
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecord as FastRecord
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders

from webmine_assets.archive.container import read_records
from webmine_assets.archive.reader import read_archive
from webmine_assets.archive.story import METADATA_TYPE, ContentMetadata, HttpMetadata, Story
from webmine_assets.archive.warc import ArchiveWriter
from webmine_assets.records import RssEntry

PAGE_BYTES = 170_000
LETTERS = "etaoinshrdlucmfwypvbgk"
FETCHED_AT = datetime(2026, 5, 1, tzinfo=UTC)


def build_pages(count: int) -> list[bytes]:
    """Pages as servers send them: a menu on each, class lists, inline JSON, words by frequency.

    They compress about five to one, as the pages of news sites and universities do.
    """
    rng = random.Random(7)
    words = ["".join(rng.choices(LETTERS, k=rng.randint(2, 11))) for _ in range(6000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    classes = [f"{a}-{b} {a}__{b}" for a in words[:20] for b in ("item", "link", "wrap", "text")]
    return [_page(rng, words, weights, classes) for _ in range(count)]


def _page(rng: random.Random, words: list[str], weights: list[float], classes: list[str]) -> bytes:
    parts, size = ["<!doctype html><html><head><title>t</title></head><body>"], 0
    while size < PAGE_BYTES:
        sentence = " ".join(rng.choices(words, weights, k=rng.randint(4, 30)))
        style = rng.choice(classes)
        link = f"/{rng.choice(words[:200])}/{rng.choice(words[:400])}.html"
        frame = f'<div class="column {style}" role="listitem" data-track="click" tabindex="0">'
        part = rng.choice(
            (
                f'{frame}<a class="link {style}" href="{link}">{sentence[:30]}</a></div>\n',
                f'{frame}<p class="text {style}">{sentence}</p></div>\n',
                f'<script>window.queue.push({{"event":"view","path":"{link}"}})</script>\n',
                f'<li class="menu-item {style}"><a href="{link}"><span>{link}</span></a></li>\n',
            )
        )
        parts.append(part)
        size += len(part)
    return "".join(parts).encode()


def story(number: int, page: bytes) -> Story:
    url = f"http://www.example.edu/page/{number}"
    return Story(
        rss_entry=RssEntry(link=url, via="benchmark"),
        http_metadata=HttpMetadata(
            response_code=200,
            fetch_timestamp=FETCHED_AT.timestamp(),
            final_url=url,
            encoding="utf-8",
        ),
        content_metadata=ContentMetadata(url=url, text_content=page[:4000].decode()),
        body=page,
    )


def write_ours(pages: list[bytes], folder: Path, level: int) -> Path:
    with ArchiveWriter(folder, prefix="ours", level=level) as writer:
        for _ in writer.write_all(story(number, page) for number, page in enumerate(pages)):
            pass
    return writer.finished[0]


def write_ours_one_thread(pages: list[bytes], folder: Path, level: int) -> Path:
    with ArchiveWriter(folder, prefix="ours", level=level) as writer:
        for number, page in enumerate(pages):
            writer.write(story(number, page))
    return writer.finished[0]


def write_warcio(pages: list[bytes], folder: Path, level: int) -> Path:
    path = folder / f"warcio{level}.warc.gz"
    with path.open("wb") as file, warcio_level(level):
        writer = warcio.warcwriter.WARCWriter(file, gzip=True)
        for number, page in enumerate(pages):
            url = f"http://www.example.edu/page/{number}"
            http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.0")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(page), http_headers=http
            )
            writer.write_record(record)
            block = json.dumps(story(number, page).metadata_json(), indent=2).encode()
            headers = {
                "Content-Type": METADATA_TYPE,
                "WARC-Refers-To": record.rec_headers["WARC-Record-ID"],
            }
            about = writer.create_warc_record(
                url,
                "metadata",
                payload=io.BytesIO(block),
                length=len(block),
                warc_headers_dict=headers,
            )
            writer.write_record(about)
    return path


@contextmanager
def warcio_level(level: int) -> Iterator[None]:
    """Warcio's level is written into its code as 9; a stand-in for its zlib changes it."""

    class Zlib:
        DEFLATED, MAX_WBITS = zlib.DEFLATED, zlib.MAX_WBITS

        @staticmethod
        def compressobj(_: int, *rest: Any) -> Any:
            return zlib.compressobj(level, *rest)

    warcio.warcwriter.zlib = Zlib
    try:
        yield
    finally:
        warcio.warcwriter.zlib = zlib


def write_fastwarc(pages: list[bytes], folder: Path, level: int) -> Path:
    path = folder / f"fastwarc{level}.warc.gz"
    with path.open("wb") as file:
        stream = GzipWriter(file, compression_level=level)
        for number, page in enumerate(pages):
            url = f"http://www.example.edu/page/{number}"
            record = FastRecord()
            record.init_headers(record_type=WarcRecordType.response)
            record.headers["WARC-Target-URI"] = url
            record.headers["Content-Type"] = "application/http; msgtype=response"
            record.set_bytes_content(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page)
            record.write(stream, checksum_data=True)
            about = FastRecord()
            about.init_headers(record_type=WarcRecordType.metadata)
            about.headers["WARC-Target-URI"] = url
            about.set_bytes_content(json.dumps(story(number, page).metadata_json()).encode())
            about.write(stream, checksum_data=True)
    return path


def read_ours(path: Path) -> int:
    """The same work as the others do: bodies of responses, JSON of metadata."""
    size = 0
    with path.open("rb") as file:
        for record in read_records(file, path.name):
            if record.kind == "response":
                size += len(record.body or b"")
            elif record.kind == "metadata":
                json.loads(record.body or b"")
    return size


def read_our_stories(path: Path) -> int:
    """More work: codings undone, metadata checked field by field and joined to its page."""
    return sum(len(story.page.body) for story in read_archive(path))


def read_warcio(path: Path) -> int:
    """What Media Cloud's reader does: bodies of responses, JSON of metadata."""
    size = 0
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type == "response":
                size += len(record.content_stream().read())
            elif record.rec_type == "metadata":
                json.loads(record.content_stream().read())
    return size


def read_fastwarc(path: Path) -> int:
    size = 0
    with path.open("rb") as file:
        for record in FastIterator(file, parse_http=True):
            if record.record_type == WarcRecordType.response:
                size += len(record.reader.read())
            elif record.record_type == WarcRecordType.metadata:
                json.loads(record.reader.read())
    return size


def race(
    rounds: int,
    runs: dict[str, Callable[[], Any]],
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, tuple[float, Any]]:
    """Seconds of each one's fastest round, and what it returned; they take turns."""
    results: dict[str, tuple[float, Any]] = {}
    for _ in range(rounds):
        for name, run in runs.items():
            started = clock()
            value = run()
            seconds = clock() - started
            if name not in results or seconds < results[name][0]:
                results[name] = (seconds, value)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=181)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pages = build_pages(options.pages)
    print(f"{len(pages)} stories of {sum(map(len, pages)) / len(pages):,.0f} bytes, digests on")
    with TemporaryDirectory() as folder:
        for level in (6, 9):
            compare(pages, Path(folder), level, options.rounds)


def compare(pages: list[bytes], folder: Path, level: int, rounds: int) -> None:
    writers = {"warcio": write_warcio, "fastwarc": write_fastwarc, "ours": write_ours}
    writers["ours, one thread"] = write_ours_one_thread
    written = race(rounds, {k: partial(w, pages, folder, level) for k, w in writers.items()})
    for name, (seconds, path) in written.items():
        rate, size = len(pages) / seconds, path.stat().st_size / len(pages)
        times = written["warcio"][0] / seconds
        print(f"write level {level} {name:16} {rate:7,.0f}/s  x{times:.2f}  {size:,.0f} B each")
    readers = {"warcio": read_warcio, "fastwarc": read_fastwarc, "ours": read_ours}
    readers["ours, stories"] = read_our_stories
    source = written["warcio"][1]
    # Readers have one thread each: seconds of CPU, which other work on the machine disturbs less.
    runs = {name: partial(reader, source) for name, reader in readers.items()}
    read = race(rounds, runs, time.process_time)
    for name, (seconds, size) in read.items():
        assert size == sum(map(len, pages))
        rate = len(pages) / seconds
        print(f"read  level {level} {name:16} {rate:7,.0f}/s  x{read['warcio'][0] / seconds:.2f}")


if __name__ == "__main__":
    main()
