"""Our renderer beside the plain way to render, on a client-rendered site of 48 routes.

    python benchmarks/rendering.py [--repeat 3] [--soak 1000]

The plain way is a new context for each page, which waits for the network to be idle and has no
cache but its own. Both load the same pages from a server in a process of its own; the plain way is
measured one page at a time, as a crawler that awaits each page does, and six at a time, as ours
works. Bars: 5 pages/s, and 3 times the plain way.
`--soak N` renders N pages in one go and prints the memory of the browser's processes on the way.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

from aiohttp import web
from playwright.async_api import Browser, async_playwright

from webmine_assets.crawl.exchange import FetchRequest, FetchResponse, RenderedPage
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.network.fetcher import HttpFetcher, user_agent
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.rendering.chromium import find_chromium
from webmine_assets.crawl.rendering.renderer import ChromiumRenderer, RenderOptions

ROUTES = 48
PAGES_AT_A_TIME = 6
LEAST_PAGES_S = 5.0
LEAST_FACTOR = 3.0
_SENTENCE = "The river gauge at the mill was read every morning and the level written down. "
_SHELL = """<!doctype html><html><head><meta charset="utf-8"><title>Basin portal</title>
<link rel="stylesheet" href="/assets/portal.css"></head>
<body><div id="root"></div><script src="/assets/app.bundle.js"></script></body></html>"""
_APP = """
const read = (path) => fetch(path).then((response) => response.json());
const start = async () => {
  const menu = await read('/api/navigation.json');
  const page = await read('/api' + location.pathname + '.json');
  document.title = page.title;
  const links = menu.items.map((item) => `<li><a href="${item.path}">${item.label}</a></li>`);
  const text = page.paragraphs.map((words) => `<p>${words}</p>`);
  document.getElementById('root').innerHTML =
    `<nav><ul>${links.join('')}</ul></nav><main><h1>${page.title}</h1>` +
    `<img src="/assets/picture.png" alt="">${text.join('')}</main>`;
};
start();
"""
# About what a small framework and its router weigh; parsed as code, so it costs what code costs.
_LIBRARY = "".join(
    f"function part{n}(a, b) {{ const c = [a, b, {n}]; return c.map((x) => x * {n}).join('-'); }}\n"
    for n in range(3500)
)


def build_site() -> dict[str, tuple[bytes, str]]:
    """Every path of the site with its body and type, the same in every run."""
    items = [{"path": f"/station/{n}", "label": f"Station {n}"} for n in range(ROUTES)]
    site = {
        "/assets/app.bundle.js": ((_LIBRARY + _APP).encode(), "text/javascript"),
        "/assets/portal.css": (b"p { margin: 1em }\n" * 1000, "text/css"),
        "/assets/picture.png": (b"\x89PNG" + bytes(20_000), "image/png"),
        "/api/navigation.json": (json.dumps({"items": items}).encode(), "application/json"),
    }
    for n in range(ROUTES):
        page = {"title": f"Station {n}", "paragraphs": [_SENTENCE * 6] * 12}
        site[f"/api/station/{n}.json"] = (json.dumps(page).encode(), "application/json")
        site[f"/station/{n}"] = (_SHELL.encode(), "text/html")
    return site


def serve(port_to: Connection) -> None:
    """Serve the site until the process is ended; the port is sent through the pipe."""
    site = build_site()

    async def respond(request: web.Request) -> web.Response:
        body, content_type = site.get(request.path, (b"", ""))
        if not content_type:
            return web.Response(status=404)
        return web.Response(body=body, content_type=content_type)

    async def run() -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", respond)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port_to.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(run())


async def timed_pages_s(render: Callable[[int], Awaitable[str]], *, at_a_time: int) -> float:
    """Render each route once; pages per second that came with their text.

    A page without it is said and not counted: on a busy machine the network may be idle for half a
    second before the page has asked for its data.
    """
    slots = asyncio.Semaphore(at_a_time)

    async def one(number: int) -> bool:
        async with slots:
            html = await render(number)
        return f"<h1>Station {number}</h1>" in html

    started = time.perf_counter()
    complete = sum(await asyncio.gather(*(one(number) for number in range(ROUTES))))
    elapsed_s = time.perf_counter() - started
    if complete < ROUTES:
        print(f"  {ROUTES - complete} of {ROUTES} pages came without their text")
    return complete / elapsed_s


async def render_plainly(browser: Browser, base: str, number: int) -> str:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(f"{base}/station/{number}", wait_until="networkidle")
    html = await page.content()
    await context.close()
    return html


async def measure_plain(base: str, executable: str, *, at_a_time: int) -> float:
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=executable)
        await render_plainly(browser, base, 0)
        pages_s = await timed_pages_s(
            lambda number: render_plainly(browser, base, number), at_a_time=at_a_time
        )
        await browser.close()
    return pages_s


class Ours:
    """Our renderer with the live fetcher, as a crawl has it."""

    def __init__(self, base: str, executable: str) -> None:
        clock = SystemClock()
        self._base = base
        self._fetcher = HttpFetcher(
            guard=Guard(allow_networks=("127.0.0.0/8",)),
            politeness=Politeness(PolitenessLimits(delay_s=0, concurrency=16), clock),
            clock=clock,
            user_agent=user_agent(None),
        )
        self.renderer = ChromiumRenderer(
            self._fetcher,
            executable=executable,
            is_in_scope=lambda url: url.startswith(base),
            options=RenderOptions(pages=PAGES_AT_A_TIME),
        )

    async def __aenter__(self) -> "Ours":
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(self, *details: object) -> None:
        await self.renderer.__aexit__(None, None, None)
        await self._fetcher.__aexit__(None, None, None)

    async def render(self, number: int) -> str:
        response = await self._fetcher.fetch(FetchRequest(url=f"{self._base}/station/{number}"))
        assert isinstance(response, FetchResponse), response
        page = await self.renderer.render(response)
        assert isinstance(page, RenderedPage), page
        return page.html


async def measure_ours(base: str, executable: str) -> float:
    async with Ours(base, executable) as ours:
        await ours.render(0)
        return await timed_pages_s(ours.render, at_a_time=PAGES_AT_A_TIME * 2)


async def soak(base: str, executable: str, renders: int) -> None:
    """Print the memory of all browser processes after each hundred renders."""
    async with Ours(base, executable) as ours:
        done = 0
        while done < renders:
            await timed_pages_s(ours.render, at_a_time=PAGES_AT_A_TIME * 2)
            done += ROUTES
            if done % (ROUTES * 2) == 0 or done >= renders:
                print(f"  {done:5} renders  {tree_bytes() / 1e6:7.0f} MB", flush=True)


def tree_bytes() -> int:
    """Proportional memory of this process's descendants: shared pages are counted once."""
    parents: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    family = {os.getpid()}
    while grown := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= grown
    return sum(_pss_bytes(pid) for pid in family - {os.getpid()})


def _pss_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


async def compare(base: str, executable: str, repeat: int) -> bool:
    ours, alone, together = [], [], []
    for _ in range(repeat):
        alone.append(await measure_plain(base, executable, at_a_time=1))
        together.append(await measure_plain(base, executable, at_a_time=PAGES_AT_A_TIME))
        ours.append(await measure_ours(base, executable))
        print(
            f"  plain {alone[-1]:5.2f}  plain x6 {together[-1]:5.2f}  ours {ours[-1]:5.2f} pages/s"
        )
    mine = statistics.median(ours)
    for name, rates in (("one at a time", alone), ("six at a time", together)):
        plain = statistics.median(rates)
        print(f"plain, {name}: {plain:.2f} pages/s; ours is {mine / plain:.1f} times that")
    print(f"ours: {mine:.2f} pages/s at {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores")
    return mine >= LEAST_PAGES_S and mine >= LEAST_FACTOR * statistics.median(alone)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--soak", type=int, default=0, metavar="N")
    parser.add_argument("--chromium", default=None)
    options = parser.parse_args()
    found = find_chromium(options.chromium)
    if found.path is None:
        print(found.detail)
        return 2
    port_from, port_to = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(port_to,), daemon=True
    )
    server.start()
    base = f"http://127.0.0.1:{port_from.recv()}"
    try:
        if options.soak:
            asyncio.run(soak(base, found.path, options.soak))
            return 0
        return 0 if asyncio.run(compare(base, found.path, options.repeat)) else 1
    finally:
        server.terminate()


if __name__ == "__main__":
    sys.exit(main())
