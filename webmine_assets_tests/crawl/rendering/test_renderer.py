"""Real Chromium over a site in a fake fetcher: pages that misbehave, and browsers that go."""

import asyncio
import os
import signal
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from webmine_assets.crawl.exchange import FetchResponse, RenderedPage, RenderFailure
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.rendering.render_requests import RequestLimits
from webmine_assets.crawl.rendering.renderer import ChromiumRenderer
from webmine_assets_tests.browser import IN_CHROMIUM
from webmine_assets_tests.crawl.rendering.browser_site import (
    FAST,
    PATIENT,
    SHELL,
    SITE,
    SLOW,
    TEXT,
    Site,
    opened,
)
from webmine_assets_tests.crawl.rendering.processes import is_running, renderer_processes

pytestmark = IN_CHROMIUM


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
