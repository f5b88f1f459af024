"""What Dagster costs: the chain over tiny institutions, through `webmine run` and by plain calls.

    .venv/bin/python benchmarks/orchestration.py [--institutions 100]

Both crawl one page per institution from a loopback server; the difference, divided by the number of
institutions, is the orchestration of each (runs, events, checks, metadata). Promised: 0.5 s.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from webmine_assets.institutions import Institution, load_institutions
from webmine_assets.progress import SilentProgress
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.archive import archive_pages
from webmine_assets.stages.crawl import crawl_pages
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.search import index_pages
from webmine_assets.stages.seeds import collect_seeds
from webmine_assets.storage.lake import Lake

PAGE = (
    "<html lang=en><head><title>Institution {0}</title></head>"
    "<body><article><h1>No. {0}</h1>{1}</article></body></html>"
)
TEXT = (
    "<p>The library of this small institution opens at nine and lends books to everybody.</p>" * 4
)


class OnePage(BaseHTTPRequestHandler):
    """Every path is a page without links; there are no robots rules."""

    def do_GET(self) -> None:
        found = self.path.startswith("/i/")
        body = PAGE.format(self.path[3:], TEXT).encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def serving() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), OnePage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()


def prepare(data: Path, *, count: int, port: int) -> Settings:
    settings = read_settings({"WEBMINE_DATA": str(data)})
    settings.institutions.mkdir(parents=True)
    for number in range(count):
        name = f"tiny-{number:03}"
        (settings.institutions / f"{name}.yaml").write_text(
            f"institution_id: {name}\nseed_urls: ['http://127.0.0.1:{port}/i/{number}']\n"
            f"allowed_domains: ['127.0.0.1:{port}']\nallow_networks: [127.0.0.0/8]\n"
            "politeness: {delay_ms: 0}\nrendering: {mode: never}\n"
        )
    return settings


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds on the clock, and seconds of the processor, which other work on it cannot change."""

    wall_s: float
    cpu_s: float

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(self.wall_s - other.wall_s, self.cpu_s - other.cpu_s)

    @classmethod
    def now(cls) -> "Cost":
        times = os.times()
        return cls(time.perf_counter(), sum(times[:4]))


def run_plainly(settings: Settings) -> Cost:
    """The same stages, called one after the other."""
    loaded = load_institutions(settings.institutions).institutions
    began = Cost.now()
    for institution in loaded.values():
        _chain(institution, settings)
    return Cost.now() - began


def _chain(institution: Institution, settings: Settings) -> None:
    lake, progress = Lake(settings.lake), SilentProgress()
    collect_seeds(institution, lake=lake, settings=settings, progress=progress)
    crawl_pages(institution, lake=lake, settings=settings, progress=progress)
    enhance_pages(institution, lake=lake, progress=progress)
    archive_pages(institution, lake=lake, settings=settings, progress=progress)
    index_pages(institution, lake=lake, settings=settings, progress=progress)


def run_through_dagster(settings: Settings) -> Cost:
    environment = {k: v for k, v in os.environ.items() if k != "DAGSTER_HOME"}
    environment["WEBMINE_DATA"] = str(settings.data)
    command = [str(Path(sys.executable).with_name("webmine")), "run", "--json"]
    began = Cost.now()
    subprocess.run(
        command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    return Cost.now() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--institutions", type=int, default=100)
    count = parser.parse_args().institutions
    with serving() as port, tempfile.TemporaryDirectory() as folder:
        plain = run_plainly(prepare(Path(folder, "plain"), count=count, port=port))
        whole = run_through_dagster(prepare(Path(folder, "dagster"), count=count, port=port))
    print(f"{count} institutions of one page, seconds each")
    for name, cost in {
        "plain calls": plain,
        "webmine run": whole,
        "orchestration": whole - plain,
    }.items():
        print(f"{name:14} {cost.wall_s / count:6.3f} wall  {cost.cpu_s / count:6.3f} cpu")


if __name__ == "__main__":
    main()
