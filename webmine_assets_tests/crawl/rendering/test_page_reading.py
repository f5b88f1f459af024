"""What is read of a page in real Chromium, and how long it is waited for."""

import asyncio
import struct
from dataclasses import replace
from typing import Any

import pytest

from webmine_assets.crawl.rendering.seat import PageScriptError, Seat
from webmine_assets_tests.browser import IN_CHROMIUM
from webmine_assets_tests.crawl.rendering.browser_site import (
    FAST,
    PATIENT,
    SHELL,
    SITE,
    TEXT,
    Site,
    opened,
)

pytestmark = IN_CHROMIUM


async def test_slow_content_is_awaited_and_endless_waiting_is_cut(site: Site) -> None:
    slow = "<p>Loading</p><script>setTimeout(() => { document.body.append('x'.repeat(500)) }, 900)"
    ticks = "<script>setInterval(() => document.body.append(new Date()), 5)"
    async with opened(site) as browser:
        page = await browser.render(site.page("/slow", f"{slow}</script>"))
        ticking = await browser.render(site.page("/tick", f"{TEXT}{ticks}</script>"))
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


async def test_shadow_roots_are_part_of_the_page(site: Site) -> None:
    html = f"""<x-card><b>slotted</b></x-card><p>{TEXT}</p><script>
      document.querySelector('x-card').attachShadow({{ mode: 'closed' }}).innerHTML =
        '<h2>inside</h2><slot></slot>';
    </script>"""
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", html))
    assert "<x-card><h2>inside</h2><b>slotted</b></x-card>" in page.html


async def test_text_in_shadow_roots_is_text_that_shows(site: Site) -> None:
    """A page that shows nearly nothing would be given more time than there is here."""
    html = f"""<x-card></x-card><script>
      document.querySelector('x-card').attachShadow({{ mode: 'closed' }}).innerHTML = '<p>{TEXT}';
    </script>"""
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", html))
    assert TEXT in page.html
    assert not page.timed_out


async def test_screenshot_is_a_png_640_pixels_wide(site: Site) -> None:
    async with opened(site, replace(FAST, screenshots=True)) as browser:
        page = await browser.render(site.page("/p/a", SHELL))
    assert page.screenshot_png is not None
    assert page.screenshot_png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", page.screenshot_png[16:24]) == (640, 480)


async def test_slow_data_is_awaited_as_long_as_the_page_shows_little(site: Site) -> None:
    """A first request that is pending, in each of the ways to ask."""
    ways = {
        "fetch": "fetch('/data').then((r) => r.text()).then((t) => document.body.append(t))",
        "script": "document.body.append(Object.assign(document.createElement('script'),"
        "{ src: '/data.js' }))",
        "busy": "document.body.append(Object.assign(document.createElement('p'),"
        "{ className: 'spinner' })); setTimeout(() => document.body.append('late '.repeat(60)),"
        "5500)",
    }
    site.serve("/data", "late " * 60, "text/plain")
    site.serve("/data.js", "document.body.append('late '.repeat(60))", "text/javascript")
    async with opened(site, PATIENT, latency_s=lambda url: 5.5 if "/data" in url else 0) as browser:
        pages = await asyncio.gather(
            *(
                browser.render(site.page(f"/{name}", f"<p>…</p><script>{script}</script>"))
                for name, script in ways.items()
            )
        )
    assert ["late late" in page.html.rpartition("</script>")[2] for page in pages] == [True] * 3
    assert not any(page.timed_out for page in pages)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(
            "<p class=spinner>Loading</p><script>new WebSocket('wss://a.example/')</script>",
            id="refused a WebSocket",
        ),
        pytest.param(
            f"<p>{TEXT}</p><script>fetch('/never')</script>", id="text and a request without end"
        ),
        pytest.param(
            "<p>Short</p><script>const ask = () => fetch('/again').then(ask); ask()</script>",
            id="polling",
        ),
    ],
)
async def test_what_will_not_come_is_not_awaited(site: Site, html: str) -> None:
    site.serve("/again", "nothing new", "text/plain")

    def latency_s(url: str) -> float:
        return {f"{SITE}/never": 60.0, f"{SITE}/again": 0.1}.get(url, 0.0)

    async with opened(site, PATIENT, latency_s=latency_s) as browser:
        page = await browser.render(site.page("/p", html))
    assert not page.timed_out


NAMES = (
    "title",
    "body",
    "links",
    "documentElement",
    "doctype",
    "readyState",
    "querySelector",
    "createTreeWalker",
    "getElementsByTagName",
)
CLOBBERED = {
    "form": "".join(f"<form name={name}><input></form>" for name in NAMES),
    "image": "".join(f"<img name={name}>" for name in NAMES),
    "inside a form": "<form>"
    + "".join(
        f"<input name={name}>"
        for name in ("childNodes", "shadowRoot", "parentElement", "tagName", "textContent")
    )
    + "</form>",
}
REPLACED = (
    "Map = undefined",
    "Set = Promise = Error = undefined",
    "setTimeout = () => 0; requestAnimationFrame = () => 0",
    "performance.now = () => 0",
    "document.createTreeWalker = null",
    "JSON.stringify = () => '{}'; Array.prototype.toJSON = () => 'x'",
    "Array.prototype[Symbol.iterator] = null",
    "Promise.prototype.then = Function.prototype.call = Function.prototype.apply = null",
    "Object.prototype.then = () => {}",
)


async def test_pages_whose_names_or_globals_hide_the_browser_s_are_read(site: Site) -> None:
    pages = {
        **CLOBBERED,
        **{script: f"<script>{script}</script>" for script in REPLACED},
    }
    async with opened(site, PATIENT) as browser:
        for name, html in pages.items():
            page = await browser.render(
                site.page("/p", f"<title>Named</title><p>{TEXT}</p><div>{html}</div>")
            )
            assert TEXT in page.html, name
            assert (page.title, page.timed_out) == ("Named", False), name


async def test_page_that_cannot_be_read_is_a_reason_of_its_own(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Seat.ask

    async def ask_in_vain(seat: Seat, expression: str) -> Any:
        if "read(" in expression:
            raise PageScriptError("RangeError: Invalid string length\n    at read")
        return await ask(seat, expression)

    monkeypatch.setattr(Seat, "ask", ask_in_vain)
    async with opened(site) as browser:
        failure = await browser.fail(site.page("/p/a", SHELL))
    assert (failure.reason, failure.detail) == ("unreadable", "RangeError: Invalid string length")


COMPONENTS = f"""<script>
  class Inner extends HTMLElement {{
    connectedCallback() {{ this.append('shown once '); }}
    disconnectedCallback() {{ this.textContent = 'moved'; }}
  }}
  customElements.define('x-inner', Inner);
  class Outer extends HTMLElement {{
    connectedCallback() {{
      this.attachShadow({{ mode: 'open' }}).innerHTML =
        '<h1>outer</h1><x-middle><i>through</i><slot></slot></x-middle><x-inner></x-inner>' +
        '<slot name="none">instead</slot>';
      this.shadowRoot.querySelector('x-middle').attachShadow({{ mode: 'open' }}).innerHTML =
        '<u><slot></slot></u><template><b>kept</b></template>';
    }}
  }}
  customElements.define('x-outer', Outer);
</script><p>{TEXT}</p><x-outer>light<s slot="other">not shown</s></x-outer>"""


async def test_reading_components_changes_nothing(site: Site) -> None:
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", COMPONENTS))
    assert page.html.partition("<x-outer>")[2].endswith(
        "<h1>outer</h1><x-middle><u><i>through</i>light</u><template><b>kept</b></template>"
        "</x-middle><x-inner>shown once </x-inner>instead</x-outer></body></html>"
    )


async def test_deep_trees_with_components_are_read(site: Site) -> None:
    script = """
      document.body.attachShadow({ mode: 'open' }).innerHTML = '<div></div>';
      let at = document.body.shadowRoot.firstChild;
      for (let n = 0; n < 3000; n++) at = at.appendChild(document.createElement('i'));
      at.append('the end');
    """
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", f"<p><script>{script}</script>"))
    assert "<i>the end</i>" in page.html


async def test_screenshot_shows_what_components_show(site: Site) -> None:
    block = "<div style='background: #123; height: 400px'>words</div>"
    component = f"""<x-y></x-y><script>
      document.querySelector('x-y').attachShadow({{ mode: 'open' }}).innerHTML = `{block}`;
    </script>"""
    async with opened(site, replace(FAST, screenshots=True)) as browser:
        plain = await browser.render(site.page("/p/a", block))
        shadow = await browser.render(site.page("/p/b", component))
    assert plain.screenshot_png is not None
    assert shadow.screenshot_png == plain.screenshot_png
