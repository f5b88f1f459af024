"""Pages shown one after another in one seat of real Chromium: none notices the one before."""

import asyncio
from dataclasses import replace

import pytest
from playwright.async_api import Route

from webmine_assets.crawl.rendering.render_requests import PageRequests
from webmine_assets_tests.browser import IN_CHROMIUM
from webmine_assets_tests.crawl.rendering.browser_site import (
    PATIENT,
    SHELL,
    SITE,
    TEXT,
    Site,
    opened,
)
from webmine_assets_tests.crawl.rendering.processes import ticks

pytestmark = IN_CHROMIUM


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


ROAMING = {
    "history.back()": "history.back()",
    "history.go()": "history.go(-2); history.go(-1)",
    "navigation.back()": "navigation.back().finished?.catch(() => 0)",
    "past its own entry": "history.pushState(0, '', '?own'); history.back(); history.back()",
}


@pytest.mark.parametrize("script", ROAMING.values(), ids=ROAMING.keys())
async def test_first_page_of_a_seat_has_nothing_to_go_back_to(site: Site, script: str) -> None:
    async with opened(site) as browser:
        page = await browser.render(site.page("/0", f"<p>{TEXT}</p><script>{script}</script>"))
    assert TEXT in page.html
    assert not page.timed_out


@pytest.mark.parametrize("is_emptied", [False, True], ids=["at once", "after a while"])
async def test_pages_have_a_history_of_their_own(site: Site, *, is_emptied: bool) -> None:
    async with opened(site) as browser:
        await browser.render(site.page("/first", f"<p>{TEXT}</p>"))
        for number, (name, script) in enumerate(ROAMING.items()):
            if is_emptied:
                await asyncio.sleep(1)
            html = (
                f"<title>none</title><p>{TEXT}</p>"
                f"<script>document.title = history.length; {script}</script>"
            )
            page = await browser.render(site.page(f"/{number}", html))
            assert TEXT in page.html, name
            assert page.url.removesuffix("?own") == f"{SITE}/{number}", name
            assert (page.title, page.moved_to, page.blocked) == ("1", None, ()), name
    assert browser.fetcher.urls == []


async def test_page_asks_for_nothing_after_its_visit(site: Site) -> None:
    polls = "setTimeout(() => setInterval(() => fetch('/x/' + Math.random()), 20), 500)"
    async with opened(site) as browser:
        await browser.render(site.page("/polls", f"<p>{TEXT}</p><script>{polls}</script>"))
        asked = len(browser.fetcher.urls)
        await asyncio.sleep(1)
        assert len(browser.fetcher.urls) == asked


BUSY_LATER = {
    "timers": "setTimeout(() => setInterval(() => { const t = Date.now(); while (Date.now() < t +"
    " 50); }, 1), 400)",
    "loop": "setTimeout(() => { while (true); }, 400)",
    "loops": "setTimeout(() => setInterval(() => { while (true); }, 1), 400)",
}


async def test_idle_seats_cost_no_processor(site: Site) -> None:
    async with opened(site, PATIENT) as browser, asyncio.timeout(60):
        for name, script in BUSY_LATER.items():
            await browser.render(
                replace(
                    site.page("/busy", f"<p>{TEXT}</p><script>{script}</script>"),
                    url=f"https://{name}.example/",
                )
            )
        [pid] = browser.renderer.browser_pids
        await asyncio.sleep(1)
        while not await is_still(pid):
            pass
        after = await browser.render(site.page("/p/a", SHELL))
    assert after.title == "Page a"


async def is_still(browser_pid: int) -> bool:
    """Whether no page of the browser computes for a second."""
    before = ticks(browser_pid)
    await asyncio.sleep(1)
    return sum(ticks(browser_pid).values()) - sum(before.values()) < 10


async def test_seat_is_taken_while_it_is_emptied(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the next page comes, and however many come at once."""
    monkeypatch.setattr("webmine_assets.crawl.rendering.idle_seats._IDLE_S", 0.0)
    async with opened(site, PATIENT) as browser:
        for pause_s in (0, 0.001, 0.003, 0.006, 0.01, 0.02, 0.05):
            pages = await asyncio.gather(
                *(browser.render(site.page(f"/p/{name}", SHELL)) for name in "abc")
            )
            assert [page.title for page in pages] == ["Page a", "Page b", "Page c"]
            await asyncio.sleep(pause_s)
        mine = asyncio.current_task()
    assert [task for task in asyncio.all_tasks() if task is not mine] == []


async def test_page_without_end_is_no_burden_to_its_neighbours(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answer = PageRequests.answer

    async def note(requests: PageRequests, route: Route) -> None:
        asked.append(route.request.url)
        await answer(requests, route)

    monkeypatch.setattr(PageRequests, "answer", note)
    fetches = "for (let n = 0; n < 5000; n++) fetch('/f/' + n).catch(() => 0);"
    posts = """for (let n = 0; n < 5000; n++) {
      const call = new XMLHttpRequest();
      call.onerror = () => { document.title = Number(document.title) + 1; };
      call.open('GET', '/x/' + n); call.send();
    }"""
    moves = "setInterval(() => { for (let k = 0; k < 50; k++) location.hash = n++ }, 1)"
    async with opened(site, PATIENT) as browser:
        moving, *_ = await asyncio.gather(
            browser.render(site.page("/m", f"<p>{TEXT}</p><script>let n = 0; {moves}</script>")),
            browser.renderer.render(site.page("/f", f"<p>{TEXT}</p><script>{fetches}</script>")),
        )
        before = len(asked)
        calls = await browser.render(
            site.page("/x", f"<title>0</title><p>{TEXT}</p><script>{posts}</script>")
        )
    assert int(moving.url.partition("#")[2]) < 100
    assert before < 1100
    # The document, and what is not refused within it.
    assert len(asked) - before == 1001
    assert int(calls.title) >= 4000
