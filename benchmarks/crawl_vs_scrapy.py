"""Our crawl beside a lean Scrapy spider on the same local site: pages/s, CPU and memory.

    pip install scrapy            # only for this comparison
    python benchmarks/crawl_vs_scrapy.py [--pages 3000] [--repeat 3]

The site has N server-rendered pages of about 40 kB that link as a tree; it is served by its own
process. Both crawlers use 16 connections and no delay. Ours stores text, language, checksum,
SimHash, journal and ledger; the spider takes links, title and text by XPath and writes JSON lines.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

CONNECTIONS = 16
FAN_OUT = 12
_SUBJECTS_TEXT = (
    "the faculty|the department of chemistry|our research group|the student council|"
    "the library|the graduate school|a team of engineers|the admissions office|the museum|"
    "the observatory|the centre for climate studies|the board of trustees|"
    "the school of music|the alumni network|the language institute|"
    "an interdisciplinary panel|the medical campus|the botanical garden"
)
_VERBS_TEXT = (
    "announced|reviewed|published|opened|extended|supports|describes|measured|proposed|"
    "completed|prepares|celebrates|evaluated|presented|coordinates|redesigned|archived|"
    "questions"
)
_OBJECTS_TEXT = (
    "a new programme in data science|the results of a five-year survey|"
    "an exhibition of early maps|the timetable for the coming term|"
    "a scholarship for first-generation students|open positions for doctoral candidates|"
    "the renovation of the main hall|guidelines for responsible research|"
    "a series of public lectures|the harvest of the test fields|"
    "an agreement with partner universities|a laboratory for quantum optics|"
    "the collection of medieval manuscripts|a workshop on scientific writing"
)
_ENDINGS_TEXT = (
    "after two years of preparation|in cooperation with the city|"
    "according to the annual report|with funding from the national academy|"
    "for the first time since 1998|before the summer break|despite a tight budget|"
    "as part of the jubilee|to the surprise of many visitors|at the request of its members|"
    "in three languages|under the direction of Professor Lindqvist"
)

_SUBJECTS, _VERBS, _OBJECTS, _ENDINGS = (
    text.split("|") for text in (_SUBJECTS_TEXT, _VERBS_TEXT, _OBJECTS_TEXT, _ENDINGS_TEXT)
)


def build_page(number: int, pages: int) -> bytes:
    """One page of the site, the same in every run."""
    rng = random.Random(number)
    children = [n for n in range(number * FAN_OUT + 1, number * FAN_OUT + FAN_OUT + 1) if n < pages]
    navigation = "".join(
        f'<li class="menu-item level-{n % 3}"><a class="menu-link" '
        f'href="/section/{n % pages}.html" title="Section {n}">'
        f"{rng.choice(_SUBJECTS).title()}</a></li>"
        for n in range(1, 25)
    )
    links = "".join(
        f'<article class="teaser"><h3><a href="/section/{n}.html">{_sentence(rng)}</a></h3>'
        f'<p class="teaser-text">{_sentence(rng)}</p></article>'
        for n in children
    )
    body = "".join(_paragraph(rng, part) for part in range(50))
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>{_sentence(rng)[:70]} | University {number}</title>
<meta name="description" content="{_sentence(rng)}"><link rel="stylesheet" href="/style.css">
<link rel="canonical" href="/section/{number}.html">
<script>window.dataLayer = window.dataLayer || []; function track(){{dataLayer.push(arguments);}}
</script></head><body class="page page-{number}"><header class="site-header"><nav class="main-nav">
<ul>{navigation}</ul></nav></header><main id="content"><h1>{_sentence(rng)}</h1>{body}
<section class="related">{links}</section></main>
<aside class="sidebar"><ul>{navigation}</ul></aside><footer class="site-footer"><p>
Contact: office@university.example, 12 College Road</p></footer></body></html>""".encode()


def _sentence(rng: random.Random) -> str:
    parts = (rng.choice(_SUBJECTS), rng.choice(_VERBS), rng.choice(_OBJECTS), rng.choice(_ENDINGS))
    return f"{parts[0].capitalize()} {parts[1]} {parts[2]} {parts[3]}"


def _paragraph(rng: random.Random, part: int) -> str:
    text = ". ".join(_sentence(rng) for _ in range(rng.randint(3, 6)))
    heading = f'<h2 id="part-{part}">{_sentence(rng)}</h2>' if part % 5 == 0 else ""
    return (
        f'{heading}<div class="text-block"><p class="body-text">{text}. See the '
        f'<a href="#part-{part}">details</a> and <em>{rng.choice(_OBJECTS)}</em>.</p></div>'
    )


class _Connection(asyncio.Protocol):
    """Just enough HTTP to keep two crawlers busy without costing a core."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            self._transport.write(self._answers.get(path, _NOT_FOUND))


_OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"


def serve(pages: int, port_pipe: "multiprocessing.connection.Connection") -> None:
    answers = {}
    for number in range(pages):
        body = build_page(number, pages)
        head = f"{_OK}Content-Length: {len(body)}\r\n\r\n"
        answers[f"/section/{number}.html".encode()] = head.encode() + body
    answers[b"/"] = answers[b"/section/0.html"]

    async def run() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(answers), "127.0.0.1", 0)
        port_pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def run_ours(port: int, pages: int, folder: str) -> None:
    """Crawl and read out every row, as a publisher would."""
    from webmine_assets.crawl.miner import WebMiner
    from webmine_assets.institutions import Institution

    institution = Institution.model_validate(
        {
            "institution_id": "bench",
            "seed_urls": [f"http://127.0.0.1:{port}/section/0.html"],
            "allowed_domains": ["127.0.0.1"],
            "allow_networks": ["127.0.0.0/8"],
            "max_pages": pages,
            "max_depth": 20,
            "politeness": {"delay_ms": 0, "concurrency": CONNECTIONS},
            "rendering": {"mode": "never"},
        }
    )
    miner = WebMiner(journals=Path(folder), workers=int(os.environ.get("BENCH_WORKERS", "1")))
    with asyncio.run(miner.mine(institution)) as result:
        crawled = result.report.counters.time_spent_s
        stored = sum(1 for _ in result.snapshots())
        rows = sum(1 for _ in result.ledger())
        result.finish()
    print(json.dumps({"pages": stored, "ledger": rows, "crawl_s": crawled}))


def run_scrapy(port: int, pages: int, folder: str) -> None:
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Spider(scrapy.Spider):
        name = "bench"
        start_urls = (f"http://127.0.0.1:{port}/section/0.html",)

        def parse(self, response):  # type: ignore[no-untyped-def]
            text = response.xpath("//body//text()[not(parent::script)]").getall()
            yield {
                "url": response.url,
                "title": response.xpath("//title/text()").get(),
                "text": " ".join(part.strip() for part in text if part.strip()),
            }
            for href in dict.fromkeys(response.xpath("//a/@href").getall()):
                if not href.startswith("#"):
                    yield response.follow(href, self.parse)

    out = Path(folder) / "items.jsonl"
    started = time.monotonic()
    process = CrawlerProcess(
        {
            "LOG_ENABLED": False,
            "CONCURRENT_REQUESTS": CONNECTIONS,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONNECTIONS,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
            "FEEDS": {str(out): {"format": "jsonlines"}},
        }
    )
    process.crawl(Spider)
    process.start()
    crawled = time.monotonic() - started
    with out.open(encoding="utf-8") as lines:
        stored = sum(1 for _ in lines)
    print(json.dumps({"pages": stored, "ledger": 0, "crawl_s": crawled}))


def measure(engine: str, port: int, pages: int) -> dict[str, float]:
    """Run one engine in a process of its own; CPU and memory are those of its whole tree."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--engine", engine, "--port", str(port)]
        process = subprocess.Popen(
            [*command, "--pages", str(pages), "--folder", folder], stdout=subprocess.PIPE
        )
        peak = 0
        started = time.monotonic()
        while True:
            done, _, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            peak = max(peak, sum(_rss(pid) for pid in _tree(process.pid)))
            time.sleep(0.05)
        wall = time.monotonic() - started
        assert process.stdout is not None
        result = json.loads(process.stdout.read())
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "pages": result["pages"],
        "crawl_s": result["crawl_s"],
        "pages_per_s": result["pages"] / result["crawl_s"],
        "wall_s": wall,
        "cpu_per_1000": cpu / max(1, result["pages"]) * 1000,
        "peak_mb": peak / 1e6,
    }


def _tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        try:
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def _rss(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def compare(pages: int, repeat: int, engines: list[str]) -> None:
    """Alternate the engines, print the medians and the ratios."""
    runs: dict[tuple[str, int], list[dict[str, float]]] = {}
    for size in (min(300, pages), pages):
        ours, theirs = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(size, theirs), daemon=True)
        server.start()
        port = ours.recv()
        for _ in range(repeat if size == pages else 1):
            for engine in engines:
                run = measure(engine, port, size)
                runs.setdefault((engine, size), []).append(run)
                print(f"{engine:7} {size:6}", {k: round(v, 2) for k, v in run.items()}, flush=True)
        server.terminate()
        server.join()
    medians = {
        key: {name: statistics.median(run[name] for run in group) for name in group[0]}
        for key, group in runs.items()
    }
    small = min(300, pages)
    for engine in engines:
        growth = medians[engine, pages]["peak_mb"] / medians[engine, small]["peak_mb"]
        print(f"{engine}: peak memory at {pages} is {growth:.2f} x that at {small}")
    if len(engines) == 2:
        first, second = (medians[engine, pages] for engine in engines)
        print(f"pages/s: {first['pages_per_s'] / second['pages_per_s']:.2f} x Scrapy")
        print(f"CPU: {first['cpu_per_1000'] / second['cpu_per_1000']:.2f} x Scrapy")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pages", type=int, default=3000)
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--only", choices=["ours", "scrapy"])
    arguments.add_argument("--engine", choices=["ours", "scrapy"], help=argparse.SUPPRESS)
    arguments.add_argument("--port", type=int, help=argparse.SUPPRESS)
    arguments.add_argument("--folder", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if "ours" not in (given.only, given.engine) and find_spec("scrapy") is None:
        sys.exit("Scrapy is not installed: pip install scrapy, or compare nothing with --only ours")
    if given.engine:
        run = run_ours if given.engine == "ours" else run_scrapy
        run(given.port, given.pages, given.folder)
    else:
        compare(given.pages, given.repeat, [given.only] if given.only else ["ours", "scrapy"])


if __name__ == "__main__":
    main()
