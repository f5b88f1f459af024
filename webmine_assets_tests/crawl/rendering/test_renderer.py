"""Real Chromium over a site that exists only in a fake fetcher, and pages that misbehave."""

import asyncio
import os
import signal
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchResponse,
    Refusal,
    RenderedPage,
    RenderFailure,
)
from webmine_assets.crawl.network.fake import Answer, FakeFetcher, Responder
from webmine_assets.crawl.rendering.render_requests import RequestLimits
from webmine_assets.crawl.rendering.renderer import ChromiumRenderer, RenderOptions
from webmine_assets_tests.browser import CHROMIUM

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM.path is None, reason=CHROMIUM.detail),
]

SITE = "https://portal.example"
TEXT = "The faculty publishes its research reports every spring. " * 5
APP = f"""
fetch('/api' + location.pathname + '.json').then((r) => r.json()).then((page) => {{
  document.title = page.title;
  document.getElementById('root').innerHTML =
    `<h1>${{page.title}}</h1><p>{TEXT}</p><a href="/p/next">next</a>`;
}});
"""
SHELL = '<!doctype html><title>…</title><div id="root"></div><script src="/app.js"></script>'
SLOW = "<p>x</p><script>setTimeout(() => { document.title = 'late'; }, 1000)</script>"
FAST = RenderOptions(timeout_s=3.0, quiet_ms=100)
# For pages that must not run out of time, however busy the machine is.
PATIENT = replace(FAST, timeout_s=20.0)


class Site:
    """A fake site; `page` makes the response that a renderer is given."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Responder] = {}
        self.serve("/app.js", APP, "text/javascript")
        for name in ("a", "b", "c", "d"):
            self.serve(f"/api/p/{name}.json", f'{{"title": "Page {name}"}}', "application/json")

    def serve(self, path: str, body: str, content_type: str = "text/html; charset=utf-8") -> None:
        self.answers[SITE + path] = self.page(path, body, content_type)

    def page(
        self, path: str, body: str, content_type: str = "text/html; charset=utf-8"
    ) -> FetchResponse:
        return FakeFetcher({}).response(SITE + path, body=body.encode(), content_type=content_type)


@pytest.fixture
def site() -> Site:
    return Site()


class Opened:
    """A renderer over the site, and the log of what its fetcher was asked."""

    def __init__(self, renderer: ChromiumRenderer, fetcher: FakeFetcher) -> None:
        self.renderer = renderer
        self.fetcher = fetcher

    async def render(self, response: FetchResponse) -> RenderedPage:
        page = await self.renderer.render(response)
        assert isinstance(page, RenderedPage), page
        return page

    async def fail(self, response: FetchResponse) -> RenderFailure:
        failure = await self.renderer.render(response)
        assert isinstance(failure, RenderFailure), failure
        return failure


@asynccontextmanager
async def opened(site: Site, options: RenderOptions = FAST) -> AsyncIterator[Opened]:
    async def check_robots(url: str) -> Refusal | None:
        is_private = "/private/" in url
        return Refusal(decision="robots_blocked", reason="rule") if is_private else None

    fetcher = FakeFetcher(site.answers)
    assert CHROMIUM.path is not None
    async with ChromiumRenderer(
        fetcher,
        executable=CHROMIUM.path,
        is_in_scope=lambda url: url.startswith(SITE),
        check_robots=check_robots,
        options=options,
    ) as renderer:
        yield Opened(renderer, fetcher)


def blocked_address(url: str) -> FetchFailure:
    return FetchFailure(
        requested_url=url,
        reason=FetchReason.BLOCKED_ADDRESS,
        detail="private address",
        fetched_at=FakeFetcher({}).response(url).fetched_at,
    )


async def test_client_rendered_pages_come_back_with_text(site: Site) -> None:
    async with opened(site, PATIENT) as browser:
        names = ["a", "b", "c", "d"] * 2
        pages = await asyncio.gather(
            *(browser.render(site.page(f"/p/{name}", SHELL)) for name in names)
        )
        again = await browser.render(site.page("/p/a", SHELL))
    assert [page.title for page in pages] == [f"Page {name}" for name in names]
    assert all(TEXT in page.html and 'href="/p/next"' in page.html for page in pages)
    assert not any(page.timed_out or page.blocked for page in pages)
    assert again.html == pages[0].html == pages[4].html
    # The document was there already; the bundle and each page's data are fetched once.
    assert sorted(browser.fetcher.urls) == [
        *(f"{SITE}/api/p/{name}.json" for name in ("a", "b", "c", "d")),
        f"{SITE}/app.js",
    ]


HOSTILE = {
    "dialogs": "<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'</script>",
    "popup": "<script>open('/p/a'); const a = document.createElement('a'); a.target = '_blank';"
    "a.href = '/p/b'; document.body.append(a); a.click()</script>",
    "download": "<script>const a = document.createElement('a'); a.download = 'x.txt';"
    "a.href = 'data:text/plain,hello'; document.body.append(a); a.click()</script>",
    "endless requests": "<script>let n = 0; const go = () => fetch('/x/' + n++).finally(go); go()"
    "</script>",
    "endless reloads": "<script>location.reload()</script>",
    "endless mutations": "<script>setInterval(() => document.body.append(new Date()), 5)</script>",
    "endless history": "<script>setInterval(() => history.pushState(0, '', '#' + Math.random()), 1)"
    "</script>",
    "closing itself": "<script>window.close(); self.close()</script>",
    "leaving": "<script>onbeforeunload = (e) => e.preventDefault(); location = 'about:blank'"
    "</script>",
}
# These hold the page or the memory; how far they get before they are stopped is the machine's.
HOLDING = {
    "loop": "<script>while (1);</script>",
    "late loop": "<script>setTimeout(() => { while (1); }, 50)</script>",
    "stubborn loop": "<script>setInterval(() => { while (1); }, 1)</script>",
    "loop in a worker": "<script>new Worker(URL.createObjectURL(new Blob(['while (1);'])))"
    "</script>",
    "memory": "<script>const all = []; for (;;) all.push(new Array(1e6).fill({}))</script>",
    "endless document": "<script>for (;;) document.write('<p>more</p>')</script>",
}


def hostile_page(site: Site, script: str) -> FetchResponse:
    return site.page("/hostile", f"<p>{TEXT}</p>{script}")


async def test_pages_that_mislead_the_browser_are_read_all_the_same(site: Site) -> None:
    options = replace(FAST, timeout_s=10.0, limits=RequestLimits(max_requests=30))
    async with opened(site, options) as browser, asyncio.timeout(90):
        pages = await asyncio.gather(
            *(browser.render(hostile_page(site, script)) for script in HOSTILE.values())
        )
        after = await browser.render(site.page("/p/a", SHELL))
    for name, page in zip(HOSTILE, pages, strict=True):
        assert TEXT in page.html or name == "leaving", name
        assert page.moved_to is None, name
    assert after.title == "Page a"


async def test_pages_that_hold_the_browser_cost_their_time_limit(site: Site) -> None:
    async with opened(site, replace(FAST, timeout_s=2.0)) as browser, asyncio.timeout(90):
        outcomes = await asyncio.gather(
            *(browser.renderer.render(hostile_page(site, script)) for script in HOLDING.values())
        )
        after = await browser.render(site.page("/p/a", SHELL))
    for name, outcome in zip(HOLDING, outcomes, strict=True):
        if isinstance(outcome, RenderedPage):
            assert TEXT in outcome.html, name
        else:
            assert outcome.reason in ("unresponsive", "timeout", "crash"), name
        # What is over the limit: stopping the script, reading what is there, closing the page.
        assert outcome.elapsed_ms < 15_000, name
    assert after.title == "Page a"


async def test_script_redirect_within_scope_is_followed(site: Site) -> None:
    site.serve("/target", f"<title>Target</title><p>{TEXT}</p>")
    moved = site.page("/moved", "x")
    site.answers[f"{SITE}/old"] = replace(moved, requested_url=f"{SITE}/old", redirects=("/old",))
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<script>location = '/target'</script>"))
        refreshed = await browser.render(
            site.page("/r", '<meta http-equiv="refresh" content="0; url=/target">')
        )
        twice = await browser.render(site.page("/p/b", "<script>location = '/old'</script>"))
    assert (page.url, page.title) == (f"{SITE}/target", "Target")
    assert page.moved_to == refreshed.moved_to == refreshed.url == f"{SITE}/target"
    assert twice.moved_to == twice.url == f"{SITE}/moved"


async def test_page_that_moved_carries_the_answer_of_where_it_led(site: Site) -> None:
    target = site.page("/target", f"<title>Target</title><p>{TEXT}</p>")
    headers = {**target.headers, "x-robots-tag": "noindex", "etag": '"target"'}
    site.answers[f"{SITE}/old"] = replace(
        target, requested_url=f"{SITE}/old", headers=headers, redirects=(f"{SITE}/old",)
    )
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<script>location = '/old'</script>"))
        stayed = await browser.render(site.page("/p/b", SHELL))
    assert page.document is not None
    assert (page.document.headers, page.document.body) == (headers, b"")
    assert (page.moved_to, page.document.redirects) == (f"{SITE}/target", (f"{SITE}/old",))
    assert stayed.document is None


MODULES = {
    "named": ("import {text} from './dep.js';\nexport const shown = text;", "{shown}"),
    "default": ("/* licence */import{text}from'./dep.js';export{text as default};", "shown"),
    "after a directive": (
        "'use strict'; import * as dep from './dep.js'; export let shown = dep.text",
        "{shown}",
    ),
}


@pytest.mark.parametrize(("body", "names"), MODULES.values(), ids=MODULES.keys())
async def test_a_redirected_module_finds_its_own_parts(site: Site, body: str, names: str) -> None:
    final = f"{SITE}/lib/v2/main.js"
    site.serve("/lib/v2/main.js", body, "text/javascript")
    site.serve("/lib/v2/dep.js", f"export const text = {TEXT!r}", "text/javascript")
    moved = site.page("/lib/v2/main.js", body, "text/javascript")
    site.answers[f"{SITE}/lib"] = replace(
        moved, requested_url=f"{SITE}/lib", url=final, redirects=(f"{SITE}/lib",)
    )
    script = f"import {names} from '/lib'; document.body.append(shown)"
    async with opened(site, PATIENT) as browser:
        page = await browser.render(
            site.page("/p/a", f"<body><script type=module>{script}</script>")
        )
    assert TEXT in page.html.replace("\\n", "")
    assert page.blocked == ()


async def test_a_redirected_script_that_is_no_module_is_taken_as_it_is(site: Site) -> None:
    body = f"const words = 'import or export'; document.body.append({TEXT!r})"
    moved = site.page("/app/v2.js", body, "text/javascript")
    site.answers[f"{SITE}/app"] = replace(moved, redirects=(f"{SITE}/app",))
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<body><script src=/app></script>"))
    assert TEXT in page.html
    assert browser.fetcher.urls == [f"{SITE}/app"]


async def test_scripts_that_are_not_there_are_in_the_log(site: Site) -> None:
    site.answers[f"{SITE}/late.js"] = replace(site.page("/late.js", "down"), status=503)
    scripts = "<script src=/gone.js></script><script type=module src=/late.js></script>"
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p>{scripts}<script>fetch('/no-data')</script>")
        )
    assert set(page.blocked) == {f"{SITE}/gone.js http_404", f"{SITE}/late.js http_503"}


async def test_a_file_that_a_page_leads_to_is_a_link_of_it(site: Site) -> None:
    site.serve("/doc.pdf", "%PDF-1.4", "application/pdf")
    site.serve("/data.bin", "\x00\x01", "application/octet-stream")
    leads = f"<p>{TEXT}</p><script>location = '/doc.pdf'</script>"
    framed = f"<p>{TEXT}</p><iframe src=/data.bin></iframe>"
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", leads))
        frames = await browser.render(site.page("/p/b", framed))
    assert TEXT in page.html
    assert (page.moved_to, page.links_to) == (None, (f"{SITE}/doc.pdf",))
    assert page.blocked == (f"{SITE}/doc.pdf not_html",)
    assert (frames.links_to, frames.blocked) == ((), (f"{SITE}/data.bin not_html",))


async def test_only_another_document_is_a_move(site: Site) -> None:
    site.serve("/target", f"<p>{TEXT}</p><script>history.replaceState(0, '', '?view=1')</script>")
    # A static host's error page hands the route to the application's start, which puts it back.
    site.serve("/start", f"<p>{TEXT}</p><script>history.replaceState(0, '', '/p/c')</script>")
    push = f"<p>{TEXT}</p><script>history.pushState(0, '', '/elsewhere')</script>"
    async with opened(site) as browser:
        pushed = await browser.render(site.page("/p/a", push))
        replaced = await browser.render(site.page("/p/b", "<script>location = '/target'</script>"))
        detour = await browser.render(site.page("/p/c", "<script>location = '/start'</script>"))
    assert (pushed.url, pushed.moved_to) == (f"{SITE}/elsewhere", None)
    assert (replaced.url, replaced.moved_to) == (f"{SITE}/target?view=1", f"{SITE}/target")
    assert (detour.url, detour.moved_to) == (f"{SITE}/p/c", None)


async def test_page_that_leads_to_an_error_keeps_what_it_has(site: Site) -> None:
    missing = f"{SITE}/missing"
    site.answers[missing] = replace(site.page("/missing", "<h1>Not found</h1>"), status=404)
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p><script>location = '/missing'</script>")
        )
    assert TEXT in page.html
    assert (page.moved_to, page.blocked) == (None, (f"{missing} http_404",))


async def test_page_that_was_not_opened_in_time_is_not_the_one_before(site: Site) -> None:
    """A browser that is too busy to open a page still shows the last one in its seat."""
    async with opened(site) as browser:
        first = await browser.render(site.page("/p/a", SHELL))
        assert first.title == "Page a"
        [pid] = browser.renderer.browser_pids
        stopped = [pid, *renderer_processes(pid)]
        for each in stopped:
            os.kill(each, signal.SIGSTOP)
        rendering = asyncio.create_task(browser.renderer.render(site.page("/p/b", SHELL)))
        await asyncio.sleep(FAST.timeout_s + 0.5)
        for each in stopped:
            os.kill(each, signal.SIGCONT)
        outcome = await rendering
    assert isinstance(outcome, RenderFailure) or outcome.title != "Page a", outcome


REFUSED_TARGETS = {
    "http://169.254.169.254/latest/meta-data/": "out_of_scope",
    "http://127.0.0.1:1/": "out_of_scope",
    "https://elsewhere.example/": "out_of_scope",
    f"{SITE}/private/page": "robots_blocked",
    f"{SITE}/internal": "blocked_address",
}


async def test_script_redirects_out_of_bounds_are_refused(site: Site) -> None:
    site.answers[f"{SITE}/internal"] = blocked_address(f"{SITE}/internal")
    async with opened(site) as browser:
        for target, reason in REFUSED_TARGETS.items():
            page = await browser.render(
                site.page("/p/a", f"<p>{TEXT}</p><script>location = '{target}'</script>")
            )
            assert (page.url, page.blocked) == (f"{SITE}/p/a", (f"{target} {reason}",))
            assert TEXT in page.html
        after = await browser.render(site.page("/p/b", SHELL))
    assert (after.title, after.blocked) == ("Page b", ())


async def test_requests_of_a_page_pass_the_guard(site: Site) -> None:
    other = "http://10.0.0.1/secret"
    site.answers[other] = blocked_address(other)
    script = f"""
      fetch('{other}').catch(() => {{ document.title = 'refused'; }});
      fetch('/form', {{ method: 'POST', body: 'x' }}).catch(() => 0);
      fetch('/private/data').catch(() => 0);
      navigator.sendBeacon('/beacon', 'x');
      new EventSource('/events');
    """
    frame = '<iframe src="https://elsewhere.example/embed"></iframe>'
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p>{frame}<script>{script}</script>")
        )
    assert page.title == "refused"
    assert {
        f"{other} blocked_address",
        f"{SITE}/form method",
        f"{SITE}/private/data robots_blocked",
        f"{SITE}/events type_eventsource",
        "https://elsewhere.example/embed out_of_scope",
    } <= set(page.blocked)
    assert browser.fetcher.urls == [other]


class Datagrams(asyncio.DatagramProtocol):
    """Counts what arrives by UDP."""

    def __init__(self) -> None:
        self.received = 0

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        self.received += 1


async def test_browser_has_no_network_of_its_own(site: Site) -> None:
    """Every way out of a page that is known, tried on ports where someone listens."""
    connections: list[object] = []
    server = await asyncio.start_server(
        lambda reader, writer: connections.append(writer.close()), "127.0.0.1", 0
    )
    port = server.sockets[0].getsockname()[1]
    udp, datagrams = await asyncio.get_running_loop().create_datagram_endpoint(
        Datagrams, local_addr=("127.0.0.1", port)
    )
    there = f"http://127.0.0.1:{port}"
    worker = f"fetch('{there}/w'); new WebSocket('ws://127.0.0.1:{port}/w')"
    script = f"""
      new WebSocket('ws://127.0.0.1:{port}/socket');
      new Worker(URL.createObjectURL(new Blob([`{worker}`])));
      new Image().src = '{there}/image';
      new EventSource('{there}/events');
      navigator.sendBeacon('{there}/beacon', 'x');
      navigator.serviceWorker?.register('/worker.js').catch(() => 0);
      open('{there}/popup');
      document.title = typeof RTCPeerConnection + typeof WebTransport;
      for (const rel of ['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'modulepreload',
                         'icon', 'stylesheet']) {{
        const link = document.createElement('link');
        link.rel = rel; link.href = '{there}/' + rel; document.head.append(link);
      }}
      const rules = document.createElement('script');
      rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({{ prefetch: [{{ urls: ['{there}/rules'] }}] }});
      document.head.append(rules);
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const Peer = frame.contentWindow.RTCPeerConnection;
      if (Peer) {{
        const peer = new Peer({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }}] }});
        peer.createDataChannel('x');
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      }}
      const form = document.createElement('form');
      form.action = '{there}/form'; form.method = 'post'; document.body.append(form);
      form.submit();
    """
    async with opened(site, replace(FAST, quiet_ms=500)) as browser:
        page = await browser.render(
            replace(
                site.page("/p/a", f"<head></head><p>{TEXT}</p><script>{script}</script>"),
                url="http://portal.example/p/a",
            )
        )
        asked = browser.fetcher.urls
    udp.close()
    server.close()
    await server.wait_closed()
    assert connections == []
    assert datagrams.received == 0
    assert page.title == "undefinedundefined"
    assert {
        f"ws://127.0.0.1:{port}/socket type_websocket",
        f"{there}/events type_eventsource",
        f"{there}/form method",
    } <= set(page.blocked)
    # What was not refused went to the fetcher, behind which the guard stands.
    assert f"{there}/w" in asked


async def test_crashed_page_costs_itself_only(site: Site) -> None:
    async with opened(site) as browser:
        await browser.render(site.page("/p/a", SHELL))
        [pid] = browser.renderer.browser_pids
        failing = asyncio.gather(browser.fail(site.page("/slow", SLOW)))
        await asyncio.sleep(0.5)
        for renderer_pid in renderer_processes(pid):
            os.kill(renderer_pid, signal.SIGKILL)
        [failure] = await failing
        after = await browser.render(site.page("/p/c", SHELL))
        assert browser.renderer.browser_pids == [pid]
    assert failure.reason == "crash"
    assert after.title == "Page c"


async def test_browser_that_dies_is_replaced_and_its_pages_are_rendered(site: Site) -> None:
    async with opened(site) as browser:
        await browser.render(site.page("/p/a", SHELL))
        [pid] = browser.renderer.browser_pids
        rendering = asyncio.gather(
            *(browser.render(site.page(f"/slow/{number}", SLOW)) for number in range(2))
        )
        await asyncio.sleep(0.5)
        os.kill(pid, signal.SIGKILL)
        pages = await rendering
        after = await browser.render(site.page("/p/b", SHELL))
    assert [page.title for page in pages] == ["late", "late"]
    assert after.title == "Page b"


async def test_recycled_browsers_leave_no_process_behind(site: Site) -> None:
    pids: set[int] = set()
    async with opened(site, replace(FAST, recycle_after=2)) as browser:
        for name in ("a", "b", "c"):
            await browser.render(site.page(f"/p/{name}", SHELL))
            pids.update(browser.renderer.browser_pids)
        assert len(browser.renderer.browser_pids) == 1
    assert len(pids) == 2
    assert not any(is_running(pid) for pid in pids)


def renderer_processes(browser_pid: int) -> list[int]:
    """The processes that show pages, told by their command lines: all descend from the browser."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in pids if is_renderer(pid) and browser_pid in ancestors(pid)]


def is_renderer(pid: int) -> bool:
    try:
        return b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def ancestors(pid: int) -> list[int]:
    found: list[int] = []
    while pid > 1:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            break
        pid = int(stat.rsplit(")", 1)[1].split()[1])
        found.append(pid)
    return found


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] != "Z"


async def test_nothing_is_left_for_the_next_page(site: Site) -> None:
    leave = """<script>
      localStorage.a = sessionStorage.a = window.name = 'left'; document.cookie = 'a=left';
      addEventListener('pagehide', () => { sessionStorage.b = localStorage.b = 'left'; });
    </script>"""
    look = """<p id="p"></p><script>
      p.textContent = JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage),
        window.name, document.cookie, Math.random()]);
    </script>"""
    async with opened(site) as browser:
        fresh = await browser.render(site.page("/look", TEXT + look))
        await browser.render(site.page("/leave", TEXT + leave))
        after = await browser.render(site.page("/look", TEXT + look))
    assert '[[],[],"",""' in fresh.html
    assert after.html == fresh.html


async def test_page_that_hangs_after_its_visit_does_not_hold_the_next_one(site: Site) -> None:
    hangs = f"<p>{TEXT}</p><script>setTimeout(() => {{ while (true) {{}} }}, 600)</script>"
    async with opened(site, PATIENT) as browser:
        first = await browser.render(site.page("/hangs-later", hangs))
        await asyncio.sleep(1.5)
        pages = [
            await browser.render(site.page("/p/a", SHELL)),
            await browser.render(site.page("/hangs-later", hangs)),
        ]
        await asyncio.sleep(1.5)
        again = await browser.render(site.page("/hangs-later#other", hangs))
    assert TEXT in first.html
    assert pages[0].title == "Page a"
    assert all(TEXT in page.html for page in (*pages, again))


async def test_slow_content_is_awaited_and_endless_waiting_is_cut(site: Site) -> None:
    slow = "<p>Loading</p><script>setTimeout(() => { document.body.append('x'.repeat(500)) }, 900)"
    async with opened(site) as browser:
        page = await browser.render(site.page("/slow", f"{slow}</script>"))
        ticking = await browser.render(site.page("/tick", f"{TEXT}{HOSTILE['endless mutations']}"))
    assert "x" * 500 in page.html
    assert not page.timed_out
    assert ticking.timed_out
    assert TEXT in ticking.html


async def test_what_the_cache_answers_is_awaited_too(site: Site) -> None:
    """Requests that follow each other with pauses: on the second page none of them is fetched."""
    script = """<script>(async () => {
      for (let n = 0; n < 12; n++) {
        await fetch('/part/' + n);
        await new Promise((go) => setTimeout(go, 60));
      }
      const last = new XMLHttpRequest();
      last.onload = () => { document.body.append('the end'); };
      last.open('GET', '/part/last');
      last.send();
    })()</script>"""
    for name in (*range(12), "last"):
        site.serve(f"/part/{name}", "part", "text/plain")
    async with opened(site, PATIENT) as browser:
        pages = [await browser.render(site.page(f"/{n}", f"{TEXT}{script}")) for n in "ab"]
    assert ["the end</body>" in page.html for page in pages] == [True, True]
    assert len(browser.fetcher.urls) == 13


@pytest.mark.parametrize(
    "router",
    [
        pytest.param("", id="plain"),
        pytest.param("navigation.onnavigate = () => fetch('/told');", id="told of changes"),
        pytest.param(
            "for (let n = 0; n < 200; n++) history.replaceState(n, '');", id="changing for ever"
        ),
        pytest.param(
            "const before = history.replaceState; history.replaceState = function (...given) "
            "{ fetch('/told'); return before.apply(this, given); };",
            id="counting changes",
        ),
    ],
)
async def test_hash_routes_reach_the_page(site: Site, router: str) -> None:
    """One seat shows them in turn, and no page notices that it is left."""
    html = f"<p>{TEXT}</p><script>document.title = location.hash; {router}</script>"
    response = site.page("/docs", html)
    routes = [f"{SITE}/docs#/{name}" for name in "abcd"]
    async with opened(site) as browser:
        pages = [await browser.render(replace(response, requested_url=route)) for route in routes]
    assert [page.url for page in pages] == routes
    assert [page.title for page in pages] == [f"#/{name}" for name in "abcd"]
    assert browser.fetcher.urls == []


async def test_shadow_roots_are_part_of_the_page(site: Site) -> None:
    html = f"""<x-card><b>slotted</b></x-card><p>{TEXT}</p><script>
      document.querySelector('x-card').attachShadow({{ mode: 'closed' }}).innerHTML =
        '<h2>inside</h2><slot></slot>';
    </script>"""
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", html))
    assert "<x-card><h2>inside</h2><b>slotted</b></x-card>" in page.html


async def test_screenshot_is_a_png_640_pixels_wide(site: Site) -> None:
    async with opened(site, replace(FAST, screenshots=True)) as browser:
        page = await browser.render(site.page("/p/a", SHELL))
    assert page.screenshot_png is not None
    assert page.screenshot_png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", page.screenshot_png[16:24]) == (640, 480)


async def test_a_file_to_save_is_no_page(site: Site) -> None:
    async with opened(site) as browser:
        failure = await browser.fail(site.page("/data", "\x00\x01", "application/octet-stream"))
        after = await browser.render(site.page("/p/a", SHELL))
    assert failure.reason == "download"
    assert after.title == "Page a"


async def test_browser_that_does_not_start_is_a_reason() -> None:
    renderer = ChromiumRenderer(
        FakeFetcher({}), executable="/bin/false", is_in_scope=lambda url: True
    )
    async with renderer:
        failure = await renderer.render(Site().page("/", SHELL))
    assert isinstance(failure, RenderFailure)
    assert failure.reason == "unavailable"
    assert "/bin/false does not start" in failure.detail


async def test_nothing_is_written_into_the_home(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    # One that a killed owner left: no process has a number this high.
    (temporary / "webmine-browser-999999999-x").mkdir()
    async with opened(site) as browser:
        await browser.render(site.page("/p/a", SHELL))
        [folder] = temporary.glob("webmine-*")
        assert folder.name.startswith(f"webmine-browser-{os.getpid()}-")
    assert list(home.rglob("*")) == []
    assert not list(temporary.glob("webmine-*"))
