"""A whole crawl with a real browser: applications, mixed and plain sites, hostile pages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webmine_assets.crawl.miner import WebMiner
from webmine_assets.institutions import Institution
from webmine_assets.records import CrawlReport, LedgerRow, PageSnapshot
from webmine_assets_tests.browser import CHROMIUM, IN_CHROMIUM

pytestmark = IN_CHROMIUM

TEXT = "The faculty publishes its research reports every spring and keeps them for everyone. " * 4
SHELL = '<!doctype html><title>Portal</title><div id="root"></div>'
# Routes as applications have them: links that scripts answer with history.pushState.
ROUTER = f"""
const show = () => {{
  document.title = 'Route ' + location.pathname + location.hash;
  root.innerHTML = `<h1>${{location.pathname}}${{location.hash}}</h1>
    <p>${{location.pathname}}${{location.hash}} {TEXT}</p>` + links;
  for (const a of root.querySelectorAll('a')) a.onclick = (event) => {{
    event.preventDefault(); history.pushState(null, '', a.href); show();
  }};
}};
addEventListener('hashchange', show); show();
"""
PUSH = """<script>const links = '<a href="/app/one">1</a><a href="/app/two">2</a>';"""
HASH = """<script>const links = '<a href="#/guide">1</a><a href="#/guide/deep">2</a>';"""


def plain(*links: str) -> str:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<!doctype html><title>Plain</title><main><p>{links} {TEXT}</p>{anchors}</main>"


class Served(ThreadingHTTPServer):
    """Pages by path; `asked` is what came in."""

    daemon_threads = True

    def __init__(self, pages: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = pages
        self.asked: list[str] = []

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        page = self.server.pages.get(self.path)
        body = (page or "nothing here").encode()
        self.send_response(200 if page else 404)
        kind = "javascript" if self.path.endswith(".js") else "html; charset=utf-8"
        self.send_header("Content-Type", f"text/{kind}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(pages: dict[str, str]) -> Iterator[Served]:
    with Served(pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class Crawled:
    def __init__(self, rows: list[PageSnapshot], ledger: list[LedgerRow], report: CrawlReport):
        self.rows = {_path(row.url): row for row in rows}
        self.ledger = {_path(row.url): row for row in ledger}
        self.counters = report.counters

    def decision(self, path: str) -> str:
        return f"{self.ledger[path].decision}:{self.ledger[path].reason}"


def _path(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"#{parts.fragment}" if parts.fragment else "")


async def crawl(server: Served, folder: Path, **rendering: object) -> Crawled:
    institution = Institution.model_validate(
        {
            "institution_id": "u1",
            "seed_urls": [f"{server.origin}/"],
            "allowed_domains": ["127.0.0.1"],
            "allow_networks": ["127.0.0.1/32"],
            "politeness": {"delay_ms": 0},
            "rendering": rendering,
        }
    )
    miner = WebMiner(journals=folder, chromium=CHROMIUM.path)
    with await miner.mine(institution) as result:
        rows, ledger = list(result.snapshots()), list(result.ledger())
        result.finish()
    return Crawled(rows, ledger, result.report)


async def test_routes_of_applications_are_pages_and_their_bundle_is_fetched_once(
    tmp_path: Path,
) -> None:
    script = '<script src="/bundle.js"></script>'
    pages = {
        "/": plain("/app", "/docs"),
        "/app": f"{SHELL}{PUSH}</script>{script}",
        "/docs": f"{SHELL}{HASH}</script>{script}",
        "/bundle.js": ROUTER,
    }
    pages |= {f"/app/{name}": pages["/app"] for name in ("one", "two")}
    with serving(pages) as server:
        crawled = await crawl(server, tmp_path)
        asked = server.asked
    routes = ["/app", "/app/one", "/app/two", "/docs", "/docs#/guide", "/docs#/guide/deep"]
    assert sorted(crawled.rows) == ["/", *routes]
    for route in routes:
        row = crawled.rows[route]
        assert (row.meta.rendered, row.meta.render_reason) == (True, "empty_root")
        assert row.title == f"Route {route}"
        assert f"{route} The faculty" in row.text
    assert asked.count("/bundle.js") == 1
    assert asked.count("/docs") == 1
    counters = crawled.counters
    assert (counters.lightweight, counters.heavyweight, counters.rendered) == (1, 6, 6)
    assert counters.render_ms >= sum(row.meta.render_ms for row in crawled.rows.values()) > 0


async def test_mixed_site_is_rendered_where_it_has_to_be(tmp_path: Path) -> None:
    plains = [f"/plain/{number}" for number in range(40)]
    shells = [f"/app/{number}" for number in range(4)]
    pages = {"/": plain(*plains, *shells)}
    pages |= {path: plain(path) + "<script>go = 1</script>" for path in plains}
    pages |= dict.fromkeys(shells, f"{SHELL}<script>const links = '';{ROUTER}</script>")
    with serving(pages) as server:
        crawled = await crawl(server, tmp_path)
    assert len(crawled.rows) == len(pages)
    rendered = [path for path, row in crawled.rows.items() if row.meta.rendered]
    assert sorted(rendered) == shells
    assert crawled.counters.heavyweight <= len(shells) + 2


async def test_server_rendered_site_costs_at_most_one_probe(tmp_path: Path) -> None:
    links = [f"/note/{number}" for number in range(40)]
    note = "A short note of the day, number {}, which says all it has to say."
    pages = {"/": plain(*links)}
    pages |= {
        path: f"<title>Note</title><p>{note.format(path)}</p><script>track = 1</script>"
        for path in links
    }
    with serving(pages) as server:
        crawled = await crawl(server, tmp_path)
    assert len(crawled.rows) == len(pages)
    assert crawled.counters.heavyweight <= 1
    assert crawled.counters.rendered == 0


HOSTILE = {
    "/loop": "while (1);",
    "/dialogs": "onbeforeunload = () => 'stay'; for (;;) { alert(1); confirm(2); prompt(3); }",
    "/private": "location = 'http://169.254.169.254/latest/meta-data/'",
    "/neighbour": "location = 'http://10.0.0.1/'",
    "/other": "fetch('http://10.0.0.2/data').then((r) => r.text()).then((t) => {"
    " document.body.append(t) })",
    "/memory": "const all = []; for (;;) all.push(new Array(1e6).fill({}))",
    "/crash": "location = 'chrome://crash'",
}
# What each may end as: how far a script gets that holds the page is up to the machine.
HELD = {"content_policy:min_text"} | {
    f"render_error:{reason}" for reason in ("unresponsive", "timeout", "crash", "browser_crash")
}


async def test_hostile_pages_are_rows_of_their_own_and_the_next_page_works(tmp_path: Path) -> None:
    pages = {"/": plain(*HOSTILE, "/after")}
    pages |= {path: f"{SHELL}<script>{script}</script>" for path, script in HOSTILE.items()}
    pages["/after"] = f"{SHELL}<script>const links = '';{ROUTER}</script>"
    with serving(pages) as server:
        crawled = await crawl(server, tmp_path, timeout_s=3)
    assert sorted(crawled.rows) == ["/", "/after"]
    assert crawled.rows["/after"].meta.rendered
    for path in HOSTILE:
        assert crawled.decision(path) in HELD, (path, crawled.ledger[path])
    for path, refused in {
        "/private": "http://169.254.169.254/latest/meta-data/ out_of_scope",
        "/neighbour": "http://10.0.0.1/ out_of_scope",
        "/other": "http://10.0.0.2/data blocked_address",
    }.items():
        assert refused in crawled.ledger[path].detail
