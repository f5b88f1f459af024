"""What a browser brings into a crawl, and what each row says of it; the browser is a stand-in."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from webmine_assets.crawl.cache import InMemoryPrevious
from webmine_assets.crawl.exchange import FetchResponse, RenderedPage, RenderFailure
from webmine_assets.crawl.rendering.absent import AbsentRenderer
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    crawl_site,
    html,
    institution,
    prose,
    response,
)

SHELL = b'<html><body><div id="root"></div><script src="/bundle.js"></script></body></html>'
LOADING = SHELL.replace(b"</div>", b"Loading the portal</div>")
AUTO = institution(rendering={"mode": "auto"})
NO_BROWSER = AbsentRenderer("no Chromium on this machine: install chromium")

Render = Callable[[FetchResponse], RenderedPage | RenderFailure]


class Stand:
    """A renderer that answers by a function and notes what it was asked."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self.asked: list[str] = []

    async def render(self, page: FetchResponse) -> RenderedPage | RenderFailure:
        self.asked.append(page.requested_url.removeprefix(ORIGIN))
        return self._render(page)


def shown(page: FetchResponse) -> RenderedPage:
    """The page with text that names its address."""
    return RenderedPage(url=page.url, html=html(page.url).decode(), title="", elapsed_ms=7)


def failed(page: FetchResponse) -> RenderFailure:
    log = ("http://10.0.0.1/ blocked_address",)
    return RenderFailure(url=page.url, reason="crash", detail="gone", elapsed_ms=9, blocked=log)


async def test_without_a_browser_each_page_says_that_it_needs_one(tmp_path: Path) -> None:
    pages = {
        "/": html("home", links=["/empty", "/loading", "/short", "/section"]),
        "/empty": SHELL,
        "/loading": LOADING,
        "/short": html("x", text="Too short.", head="<script>go()</script>"),
        "/section": html("section", head='<script src="/main.js"></script>').replace(
            b"<main>", b'<main><div id="app"></div>'
        ),
    }
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=NO_BROWSER)
    assert crawled.paths == ["/", "/section"]
    assert crawled.decision("/empty") == crawled.decision("/loading") == "render_error:unavailable"
    assert crawled.decision("/short") == "content_policy:min_text"
    (row,) = (row for row in crawled.ledger if row.url.endswith("/empty"))
    assert row.detail == f"{NO_BROWSER.why}; asked for by empty_root"
    meta = crawled.page("/section").meta
    assert (meta.rendered, meta.render_reason) == (False, "empty_root")
    assert meta.render_error == f"unavailable: {NO_BROWSER.why}"
    assert crawled.page("/").meta.render_error is None
    counters = crawled.report.counters
    assert (counters.heavyweight, counters.rendered, counters.render_failed) == (0, 0, 4)


async def test_a_browser_that_is_there_again_is_asked_when_a_crawl_goes_on(tmp_path: Path) -> None:
    pages = {"/": SHELL}
    await crawl_site(pages, tmp_path, config=AUTO, renderer=NO_BROWSER, publish=False)
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(shown))
    assert crawled.page("/").meta.rendered
    assert crawled.asked == []


async def test_failed_render_of_a_page_with_text_keeps_it_and_says_so(tmp_path: Path) -> None:
    page = html("x", text=prose("x"), head='<script src="/main.js"></script>')
    crawled = await crawl_site({"/": page}, tmp_path, config=AUTO, renderer=Stand(failed))
    meta = crawled.page("/").meta
    assert not meta.rendered
    assert (meta.render_reason, meta.render_error) == ("bundle_only", "crash: gone")
    assert (meta.render_ms, meta.render_log) == (9, ("http://10.0.0.1/ blocked_address",))
    assert crawled.report.counters.render_failed == crawled.report.counters.heavyweight == 1


async def test_ledger_row_of_a_failed_render_names_what_was_refused(tmp_path: Path) -> None:
    crawled = await crawl_site({"/": SHELL}, tmp_path, config=AUTO, renderer=Stand(failed))
    (row,) = crawled.ledger
    assert (row.decision, row.reason) == ("render_error", "crash")
    assert row.detail == (
        "gone; asked for by empty_root; refused in the browser: http://10.0.0.1/ blocked_address"
    )


async def test_row_of_a_rendered_page_keeps_the_log_of_its_render(tmp_path: Path) -> None:
    def render(page: FetchResponse) -> RenderedPage:
        return replace(shown(page), blocked=("ws://x/ type_websocket",), timed_out=True)

    crawled = await crawl_site({"/": SHELL}, tmp_path, config=AUTO, renderer=Stand(render))
    meta = crawled.page("/").meta
    assert (meta.rendered, meta.render_timed_out, meta.render_ms) == (True, True, 7)
    assert meta.render_log == ("ws://x/ type_websocket",)


async def test_render_that_adds_nothing_leaves_the_page_light(tmp_path: Path) -> None:
    page = html("x", head='<script src="/main.js"></script>')

    def render(given: FetchResponse) -> RenderedPage:
        return RenderedPage(url=given.url, html=page.decode(), title="", elapsed_ms=7)

    crawled = await crawl_site({"/": page}, tmp_path, config=AUTO, renderer=Stand(render))
    meta = crawled.page("/").meta
    assert (meta.rendered, meta.render_reason, meta.render_ms) == (False, "bundle_only", 7)
    counters = crawled.report.counters
    assert (counters.lightweight, counters.heavyweight, counters.rendered) == (1, 1, 0)


@pytest.mark.parametrize(
    ("shown_text", "detail"),
    [
        ("Only this.", "10 characters, at least 50; a browser showed no more of it"),
        ("Only this, now.", "10 characters, at least 50; a browser showed no more of it"),
        (" ".join("abcdefghijkl"), "23 characters, at least 50; as a browser showed it"),
    ],
)
async def test_page_refused_for_its_text_says_that_a_browser_was_asked(
    tmp_path: Path, shown_text: str, detail: str
) -> None:
    page = html("x", text="Only this.", head='<script src="/main.js"></script>')

    def render(given: FetchResponse) -> RenderedPage:
        dom = html("x", text=shown_text).decode()
        return RenderedPage(url=given.url, html=dom, title="", elapsed_ms=7, blocked=("a b",))

    crawled = await crawl_site({"/": page}, tmp_path, config=AUTO, renderer=Stand(render))
    assert crawled.decision("/") == "content_policy:min_text"
    assert crawled.ledger[0].detail == f"{detail}; refused in the browser: a b"


async def test_pages_over_the_budget_of_renders_say_so(tmp_path: Path) -> None:
    pages = {"/": html("home", links=["/a", "/b", "/c"])}
    pages |= dict.fromkeys(("/a", "/b", "/c"), SHELL)
    config = institution(rendering={"mode": "auto", "max_pages": 2})
    stand = Stand(shown)
    crawled = await crawl_site(pages, tmp_path, config=config, renderer=stand)
    assert len(stand.asked) <= 2
    missed = [path for path in ("/a", "/b", "/c") if f"{path}" not in stand.asked]
    assert missed
    assert {crawled.decision(path) for path in missed} == {"render_error:over_budget"}


@pytest.mark.parametrize("links", [["/old"], ["/old", "/new"], ["/new", "/old"]])
async def test_page_that_leads_elsewhere_is_an_alias_of_where_it_leads(
    tmp_path: Path, links: list[str]
) -> None:
    refresh = b'<meta http-equiv="refresh" content="0; url=/new"><p>Moved</p>'
    pages = {"/": html("home", links=links), "/old": refresh, "/new": html("new")}

    def render(page: FetchResponse) -> RenderedPage:
        to = f"{ORIGIN}/new"
        return RenderedPage(url=to, html=html("new").decode(), title="", elapsed_ms=1, moved_to=to)

    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(render))
    assert sorted(crawled.paths) == ["/", "/new"]
    assert crawled.decision("/old") == "alias:redirect"
    assert crawled.decision("/new").startswith("stored:")
    assert f"{ORIGIN}/old" in crawled.page("/new").meta.alias_urls


def leading_to(target: FetchResponse) -> Render:
    """A browser that shows every page as the one its script leads to."""

    def render(page: FetchResponse) -> RenderedPage:
        return RenderedPage(
            url=target.url,
            html=target.body.decode(),
            title="",
            elapsed_ms=1,
            moved_to=target.url,
            document=replace(target, body=b""),
        )

    return render


async def test_page_that_leads_elsewhere_is_stored_as_that_answered(tmp_path: Path) -> None:
    url, old = f"{ORIGIN}/new", f"{ORIGIN}/old"
    target = response(url, html("new"), redirects=(old,), etag='"new"')
    pages = {"/": not_found("/", SHELL)}
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(leading_to(target)))
    row = crawled.page("/new")
    assert (row.http_status, row.headers, row.etag) == (200, target.headers, '"new"')
    assert row.requested_url == f"{ORIGIN}/"
    assert row.meta.redirects == (f"{ORIGIN}/", old)
    assert crawled.decision("/") == crawled.decision("/old") == "alias:redirect"


async def test_page_that_leads_to_one_that_keeps_crawlers_out_is_refused(tmp_path: Path) -> None:
    target = response(f"{ORIGIN}/new", html("new"), x_robots_tag="noindex")
    pages = {"/": SHELL}
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(leading_to(target)))
    assert crawled.rows == []
    assert crawled.decision("/") == crawled.decision("/new") == "content_policy:noindex"


@pytest.mark.parametrize("text", [None, "See the handbook."], ids=["with text", "without"])
async def test_file_that_a_page_leads_to_is_taken_by_the_crawl(
    tmp_path: Path, text: str | None
) -> None:
    page = html("home", text=text, head='<script src="/main.js"></script>')
    handbook = response(f"{ORIGIN}/book", html("book"))

    def render(given: FetchResponse) -> RenderedPage:
        links = (f"{ORIGIN}/book",)
        return RenderedPage(
            url=given.url, html=page.decode(), title="", elapsed_ms=1, links_to=links
        )

    pages = {"/": page, "/book": handbook}
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(render))
    assert crawled.page("/book").discovered_from == f"{ORIGIN}/"


async def test_route_that_a_script_writes_into_the_address_is_no_move(tmp_path: Path) -> None:
    def render(page: FetchResponse) -> RenderedPage:
        return replace(shown(page), url=f"{ORIGIN}/sub/view?session=1")

    pages = {"/": SHELL}
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(render))
    assert crawled.paths == ["/"]


def not_found(path: str, body: bytes, *, status: int = 404) -> FetchResponse:
    return response(ORIGIN + path, body, status=status)


async def test_shell_with_an_error_status_is_rendered(tmp_path: Path) -> None:
    """A static host serves the application for routes it does not know, with a 404."""
    pages = {
        "/": html("home", links=["/route", "/missing", "/plain", "/late"]),
        "/route": not_found("/route", SHELL),
        "/missing": not_found("/missing", SHELL),
        "/plain": not_found("/plain", html("an error page", head="<script>go()</script>")),
        "/late": not_found("/late", SHELL, status=503),
    }

    def render(page: FetchResponse) -> RenderedPage:
        if page.url.endswith("/missing"):
            gone = "<title>Page not found</title><h1>Page not found</h1><p>Sorry, but no.</p>"
            return RenderedPage(url=page.url, html=gone, title="", elapsed_ms=1)
        return shown(page)

    stand = Stand(render)
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=stand)
    assert sorted(stand.asked) == ["/missing", "/route"]
    assert crawled.paths == ["/", "/route"]
    row = crawled.page("/route")
    assert (row.http_status, row.meta.render_reason) == (404, "failed_fetch")
    assert crawled.decision("/missing") == crawled.decision("/plain") == "http_error:http_404"
    assert crawled.decision("/late") == "http_error:http_503"


async def test_error_stays_an_error_where_nothing_is_rendered(tmp_path: Path) -> None:
    crawled = await crawl_site({"/": not_found("/", SHELL)}, tmp_path, config=AUTO)
    assert crawled.decision("/") == "http_error:http_404"


async def test_shell_with_an_error_status_says_that_it_lacked_a_browser(tmp_path: Path) -> None:
    plain = not_found("/plain", html("an error page", head="<script>go()</script>"))
    pages = {"/": html("home", links=["/route", "/plain"]), "/route": not_found("/route", SHELL)}
    pages["/plain"] = plain
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=NO_BROWSER)
    assert crawled.decision("/plain") == "http_error:http_404"
    (row,) = (row for row in crawled.ledger if row.url.endswith("/route"))
    assert (row.decision, row.reason) == ("render_error", "unavailable")
    assert row.detail == f"status 404; {NO_BROWSER.why}; asked for by failed_fetch"


async def test_shell_with_an_error_status_beyond_the_budget_of_renders_says_so(
    tmp_path: Path,
) -> None:
    pages = {"/": SHELL, "/route": not_found("/route", SHELL)}
    config = institution(rendering={"mode": "auto", "max_pages": 1})

    def render(page: FetchResponse) -> RenderedPage:
        return replace(shown(page), html=html("home", links=["/route"]).decode())

    crawled = await crawl_site(pages, tmp_path, config=config, renderer=Stand(render))
    assert crawled.paths == ["/"]
    assert crawled.decision("/route") == "render_error:over_budget"


async def test_rendered_page_is_not_confirmed_by_the_etag_of_its_shell(tmp_path: Path) -> None:
    pages = {"/": response(f"{ORIGIN}/", SHELL, etag='"shell"')}
    config = AUTO.model_copy(update={"ttl_days": 0})
    first = await crawl_site(pages, tmp_path, config=config, renderer=Stand(shown))

    def changed(page: FetchResponse) -> RenderedPage:
        return replace(shown(page), html=html("the news of today").decode())

    again = await crawl_site(
        pages,
        tmp_path,
        config=config,
        renderer=Stand(changed),
        previous=InMemoryPrevious(first.rows),
    )
    assert again.decision("/") == "stored:changed"
    assert "the news of today" in again.page("/").text


async def test_page_that_showed_nothing_in_its_time_says_which_time(tmp_path: Path) -> None:
    def render(page: FetchResponse) -> RenderedPage:
        return replace(shown(page), html=SHELL.decode(), timed_out=True)

    crawled = await crawl_site({"/": SHELL}, tmp_path, config=AUTO, renderer=Stand(render))
    (row,) = crawled.ledger
    assert row.detail.endswith("a browser showed no more of it within rendering.timeout_s")


async def test_links_of_a_render_that_adds_no_text_are_followed(tmp_path: Path) -> None:
    page = html("x", head='<script src="/main.js"></script>', links=[f"/{n}" for n in range(8)])

    def render(given: FetchResponse) -> RenderedPage:
        shown = page.replace(b"</body>", b'<a href="/story">a</a></body>')
        return RenderedPage(url=given.url, html=shown.decode(), title="", elapsed_ms=7)

    pages = {"/": page, "/story": html("story")}
    crawled = await crawl_site(pages, tmp_path, config=AUTO, renderer=Stand(render))
    assert not crawled.page("/").meta.rendered
    assert crawled.page("/story").discovered_from == f"{ORIGIN}/"


async def test_pages_that_wait_for_the_verdict_about_their_host_do_not_depend_on_latency(
    tmp_path: Path,
) -> None:
    useless = {f"/useless/{n}" for n in range(4)}
    pages = {"/": html("home", links=[*sorted(useless), *(f"/app/{n}" for n in range(40))])}
    pages |= {path: SHELL.replace(b"<div", b"<i>x</i><div") for path in useless}
    pages |= {f"/app/{n}": SHELL for n in range(40)}

    def render(given: FetchResponse) -> RenderedPage:
        is_useless = given.url.removeprefix(ORIGIN) in useless
        return replace(shown(given), html=SHELL.decode()) if is_useless else shown(given)

    config = institution(rendering={"mode": "auto", "max_pages": 30})
    asked = []
    for seed, connections in ((1, 1), (2, 4), (3, 16)):
        stand, random = Stand(render), Random(seed)
        crawled = await crawl_site(
            pages,
            tmp_path,
            config=config,
            renderer=stand,
            connections=connections,
            latency_s=lambda _, random=random: random.uniform(0, 0.02),
        )
        asked.append((sorted(stand.asked), [(r.url, r.reason) for r in crawled.ledger]))
    assert len(asked[0][0]) == 30
    assert set(asked[0][0]) == useless | {f"/app/{n}" for n in range(26)}
    assert asked[0] == asked[1] == asked[2]
