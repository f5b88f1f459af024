"""The crawl with a renderer: the seam to the browser is the `Renderer` protocol."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from webmine_assets.crawl.cache import InMemoryPrevious
from webmine_assets.crawl.exchange import (
    FetchRequest,
    FetchResponse,
    RenderedPage,
    RenderFailure,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    check_sums,
    crawl_site,
    html,
    institution,
    response,
)

SHELL = b'<html><body><div id="root"></div><script src="/app.bundle.js"></script></body></html>'


class FakeRenderer:
    """Renders every page to text that names its address, or fails."""

    def __init__(self, *, fails: bool = False, links: Sequence[str] = ("/b", "/#/view")) -> None:
        self.rendered: list[str] = []
        self._fails = fails
        self._links = links

    async def render(self, response: FetchResponse) -> RenderedPage | RenderFailure:
        self.rendered.append(response.requested_url)
        if self._fails:
            return RenderFailure(url=response.url, reason="timeout", detail="15 s")
        page = html(response.url, links=self._links).decode()
        return RenderedPage(url=response.url, html=page, title="", elapsed_ms=7)


async def test_page_without_text_is_rendered(tmp_path: Path) -> None:
    """Seed 004, third acceptance test, with a stand-in for the browser."""
    renderer = FakeRenderer()
    crawled = await crawl_site(
        {"/": SHELL, "/b": SHELL},
        tmp_path,
        config=institution(rendering={"mode": "auto"}),
        renderer=renderer,
    )
    check_sums(crawled)
    assert crawled.paths == ["/", "/b", "/#/view"]
    assert all(row.meta.rendered and row.text for row in crawled.rows)
    assert crawled.page("/").meta.render_reason == "empty_root"
    assert crawled.page("/").body.startswith(b"<html><head><title>")
    assert sorted(renderer.rendered) == [f"{ORIGIN}/", f"{ORIGIN}/#/view", f"{ORIGIN}/b"]
    assert crawled.report.counters.rendered == crawled.report.counters.heavyweight == 3
    assert crawled.report.counters.render_ms == 21


async def test_links_of_a_rendered_page_are_the_same_from_the_cache(tmp_path: Path) -> None:
    class Application:
        async def render(self, response: FetchResponse) -> RenderedPage:
            page = html(response.url, links=["/страница", "#/view"]).decode()
            return RenderedPage(url=response.url, html=page, title="", elapsed_ms=7)

    shell = response(f"{ORIGIN}/", SHELL, content_type="text/html; charset=windows-1251")
    pages = {"/": shell, "/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0": html("page")}
    config = institution(rendering={"mode": "auto"})
    first = await crawl_site(pages, tmp_path / "first", config=config, renderer=Application())
    again = await crawl_site(
        pages,
        tmp_path / "again",
        config=config,
        renderer=Application(),
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=1)),
    )
    found = [(row.url, row.discovered_from) for row in first.ledger]
    assert f"{ORIGIN}/#/view" in dict(found)
    assert [(row.url, row.discovered_from) for row in again.ledger] == found


async def test_view_of_a_confirmed_document_is_read_from_the_document(tmp_path: Path) -> None:
    def home(request: FetchRequest) -> FetchResponse:
        if request.etag:
            return response(request.url, b"", status=304)
        return response(request.url, html("home", links=["/#/view"]), etag='"h"')

    config = institution(rendering={"mode": "auto"}, ttl_days=1)
    first = await crawl_site(
        {"/": home}, tmp_path / "first", config=config, renderer=FakeRenderer()
    )
    again = await crawl_site(
        {"/": home},
        tmp_path / "again",
        config=config,
        renderer=FakeRenderer(),
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=30)),
    )
    assert first.decision("/#/view") == again.decision("/#/view") == "alias:checksum"
    assert again.decision("/") == "not_modified:304"


async def test_failed_rendering_of_an_empty_page_is_a_render_error(tmp_path: Path) -> None:
    crawled = await crawl_site(
        {"/": SHELL},
        tmp_path,
        config=institution(rendering={"mode": "auto"}),
        renderer=FakeRenderer(fails=True),
    )
    assert crawled.decision("/") == "render_error:timeout"
    assert crawled.report.counters.errors == 1


# What a server says of a page that only scripts fill: alone it would pass for a short page.
WORDY_SHELL = SHELL.replace(b"<body>", b"<body><p>Please turn on JavaScript.</p>")


@pytest.mark.parametrize(
    "shell",
    [
        SHELL,
        WORDY_SHELL,
        response(f"{ORIGIN}/b", SHELL, status=404),
    ],
    ids=["empty", "wordy", "error"],
)
async def test_a_browser_that_fails_takes_no_page_away_that_one_showed(
    tmp_path: Path, shell: bytes | FetchResponse
) -> None:
    pages = {"/": SHELL, "/b": shell, "/plain": html("plain")}
    config = institution(rendering={"mode": "auto"}, ttl_days=1)
    first = await crawl_site(
        pages, tmp_path / "first", config=config, renderer=FakeRenderer(links=["/b", "/plain"])
    )
    assert first.page("/b").meta.rendered
    again = await crawl_site(
        pages,
        tmp_path / "again",
        config=config,
        renderer=FakeRenderer(fails=True),
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=30)),
    )
    check_sums(again)
    assert [again.decision(path) for path in ("/", "/b")] == ["kept:timeout"] * 2
    assert again.decision("/plain").startswith("stored:")
    assert again.page("/b").text == first.page("/b").text
    assert again.page("/b").meta.rendered
    assert again.report.counters.render_failed == 2
    gone = await crawl_site(
        pages | {"/b": response(f"{ORIGIN}/b", html("404 not found"), status=404)},
        tmp_path / "gone",
        config=config,
        renderer=FakeRenderer(fails=True),
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=30)),
    )
    assert gone.decision("/b") == "http_error:gone"
