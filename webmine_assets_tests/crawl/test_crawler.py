import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webmine_assets.crawl.assembly import assemble
from webmine_assets.crawl.cache import InMemoryPrevious, NoPrevious
from webmine_assets.crawl.discovery import Found
from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    RenderedPage,
    RenderFailure,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.pages.links import MAX_LINKS
from webmine_assets.crawl.pages.parsers import InlineParser
from webmine_assets.crawl.recovery.crawl_journal import open_crawl_journal
from webmine_assets.crawl.report import CrawlProgress
from webmine_assets.crawl.visit import LARGE_BODY_BYTES
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    Crawled,
    crawl_site,
    html,
    institution,
    prose,
    response,
    without_times,
)

_RANDOM_SITE = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)


def _check_sums(crawled: Crawled) -> None:
    """What holds after every crawl."""
    urls = [row.url for row in crawled.ledger]
    assert len(urls) == len(set(urls))
    assert crawled.report.decisions == dict(
        sorted(Counter(r.decision for r in crawled.ledger).items())
    )
    kept = {
        row.url for row in crawled.ledger if row.decision in ("stored", "fresh", "not_modified")
    }
    assert kept == {row.url for row in crawled.rows}
    assert crawled.report.counters.pages_used == len(crawled.rows)
    aliases = {url for row in crawled.rows for url in row.meta.alias_urls}
    assert aliases == {row.url for row in crawled.ledger if row.decision == "alias"}


async def test_every_link_gets_one_decision(tmp_path: Path) -> None:
    crawled = await crawl_site(
        {
            "/robots.txt": b"User-agent: *\nDisallow: /private\n",
            "/": html(
                "home",
                links=[
                    "/a",
                    "/private/x",
                    "https://other.example/",
                    "/login",
                    "/missing",
                    "/a#part",
                    "mailto:a@u1.edu",
                    "/down",
                ],
            ),
            "/a": html("a", links=["/", "/deep"]),
            "/deep": html("deep", links=["/deeper"]),
            "/down": FetchFailure(
                requested_url=f"{ORIGIN}/down",
                reason=FetchReason.TIMEOUT,
                detail="",
                fetched_at=FakeClock().utcnow(),
            ),
        },
        tmp_path,
        config=institution(disallowed_paths=["/login"], max_depth=2),
    )
    _check_sums(crawled)
    assert crawled.paths == ["/", "/a", "/deep"]
    expected = {
        "/private/x": "robots_blocked:robots_rule",
        "https://other.example/": "out_of_scope:host",
        "/login": "disallowed_path:path",
        "/missing": "http_error:http_404",
        "/deeper": "over_depth:max_depth",
        "/down": "fetch_error:timeout",
    }
    assert {path: crawled.decision(path) for path in expected} == expected
    assert crawled.page("/deep").depth == 2
    assert crawled.page("/deep").discovered_from == f"{ORIGIN}/a"
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - nothing else runs


def _random_latency(seed: int) -> Callable[[str], float]:
    rng = random.Random(seed)
    return lambda _: rng.random()


def _random_site(seed: int, size: int = 60) -> dict[str, Any]:
    """A site with copies, redirects, canonical links, errors and refusals in random places."""
    rng = random.Random(seed)
    pages: dict[str, Any] = {
        "/": html("home", links=[f"/p{rng.randrange(size)}" for _ in range(8)])
    }
    for number in range(size):
        path, url = f"/p{number}", f"{ORIGIN}/p{number}"
        links = [f"/p{rng.randrange(size)}{rng.choice(['', '?ref=x', '/'])}" for _ in range(5)]
        kind = rng.choice(
            ["page", "page", "page", "copy", "redirect", "canonical", "error", "short"]
        )
        other = f"/p{rng.randrange(size)}"
        if kind == "copy":
            pages[path] = html(f"copy {rng.randrange(3)}", links=links)
        elif kind == "redirect":
            pages[path] = response(
                ORIGIN + other, html(f"of {other}", links=links), redirects=(url,)
            )
        elif kind == "canonical":
            head = f'<link rel="canonical" href="{other}">'
            pages[path] = html(f"page {number}", links=links, head=head)
        elif kind == "short":
            pages[path] = html("short", links=links, text="tiny")
        elif kind == "page":
            pages[path] = html(f"page {number}", links=links)
    return pages


@pytest.mark.slow
@_RANDOM_SITE
@given(seed=st.integers(0, 10_000), max_pages=st.integers(1, 40))
async def test_rows_do_not_depend_on_connections_or_latency(
    tmp_path_factory: pytest.TempPathFactory, seed: int, max_pages: int
) -> None:
    pages = _random_site(seed)
    config = institution(max_pages=max_pages, include_patterns=["/p1"])
    runs = []
    for connections in (1, 16):
        crawled = await crawl_site(
            pages,
            tmp_path_factory.mktemp("crawl"),
            config=config,
            connections=connections,
            latency_s=_random_latency(seed + connections),
        )
        _check_sums(crawled)
        assert len(crawled.rows) <= max_pages
        runs.append(crawled)
    one, many = runs
    assert without_times(one.rows) == without_times(many.rows)
    assert [(r.url, r.decision, r.reason, r.detail) for r in one.ledger] == [
        (r.url, r.decision, r.reason, r.detail) for r in many.ledger
    ]


async def test_three_institutions_stop_at_their_pages_and_depth(tmp_path: Path) -> None:
    """Seed 004, first acceptance test."""
    tree = {"/robots.txt": b"User-agent: *\nDisallow: /p3\n"}
    tree["/"] = html("home", links=[f"/p{n}" for n in range(1, 8)])
    for number in range(1, 400):
        tree[f"/p{number}"] = html(
            f"page {number}", links=[f"/p{number * 7 + n}" for n in range(7)]
        )
    for name, max_pages, max_depth in [("u1", 10, 5), ("u2", 100, 1), ("u3", 30, 2)]:
        config = institution(institution_id=name, max_pages=max_pages, max_depth=max_depth)
        crawled = await crawl_site(tree, tmp_path, config=config)
        _check_sums(crawled)
        assert len(crawled.rows) == {"u1": 10, "u2": 7, "u3": 30}[name]
        assert max(row.depth for row in crawled.rows) <= max_depth
        assert crawled.decision("/p3") == "robots_blocked:robots_rule"
        assert f"{ORIGIN}/p3" not in crawled.asked
        assert crawled.report.stopped_by == ("finished" if name == "u2" else "max_pages")


async def test_no_more_pages_are_asked_for_than_may_be_stored(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(50)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(50)}
    crawled = await crawl_site(pages, tmp_path, config=institution(max_pages=5))
    assert len(crawled.asked_pages()) == 5
    assert crawled.decision("/p4") == "over_pages:max_pages"
    assert crawled.report.decisions["over_pages"] == 46


async def test_copies_collapse_into_the_first_seen(tmp_path: Path) -> None:
    """Seed 004, second acceptance test and example C."""
    same = html("departments")
    crawled = await crawl_site(
        {
            "/": html("home", links=["/departments", "/departments?ref=home", "/copy", "/moved"]),
            "/departments": same,
            "/copy": same,
            "/moved": response(f"{ORIGIN}/departments", same, redirects=(f"{ORIGIN}/moved",)),
        },
        tmp_path,
    )
    _check_sums(crawled)
    assert crawled.paths == ["/", "/departments"]
    meta = crawled.page("/departments").meta
    assert dict(zip(meta.alias_urls, meta.alias_reasons, strict=True)) == {
        f"{ORIGIN}/departments?ref=home": "normalised",
        f"{ORIGIN}/copy": "checksum",
        f"{ORIGIN}/moved": "redirect",
    }
    assert crawled.report.counters.deduped == 2


@pytest.mark.parametrize(
    ("canonical", "stored_as"),
    [
        ("/real", "/real"),
        ("https://other.example/real", "/page"),
        ("/private/real", "/page"),
        ("/", "/page"),
        ("http://[bad", "/page"),
    ],
)
async def test_canonical_link_names_the_page_only_within_the_site(
    tmp_path: Path, canonical: str, stored_as: str
) -> None:
    crawled = await crawl_site(
        {
            "/robots.txt": b"User-agent: *\nDisallow: /private\n",
            "/": html("home", links=["/page", "/real"]),
            "/page": html("page", head=f'<link rel="canonical" href="{canonical}">'),
            "/real": html("real"),
        },
        tmp_path,
        config=institution(),
    )
    _check_sums(crawled)
    page = next(row for row in crawled.rows if row.title == "page")
    assert page.url == ORIGIN + stored_as
    assert page.requested_url == f"{ORIGIN}/page"
    if stored_as == "/real":
        assert crawled.decision("/page") == "alias:canonical"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Too short.", "min_text"),
        (
            "Diese Seite ist auf Deutsch geschrieben, und sie handelt von der Bibliothek der "
            "Universität, ihren Öffnungszeiten und ihren vielen Büchern.",
            "language",
        ),
    ],
)
async def test_policy_refusals_are_recorded_and_the_crawl_goes_on(
    tmp_path: Path, text: str, reason: str
) -> None:
    """Seed 004, fourth acceptance test."""
    crawled = await crawl_site(
        {
            "/": html("home", links=["/bad"]),
            "/bad": html("bad", text=text, links=["/next"]),
            "/next": html("next"),
        },
        tmp_path,
        config=institution(policy={"languages": ["en"]}),
    )
    assert crawled.paths == ["/", "/next"]
    assert crawled.decision("/bad") == f"content_policy:{reason}"
    assert crawled.report.counters.content_policy == 1


async def test_directives_of_a_page_are_obeyed(tmp_path: Path) -> None:
    url = f"{ORIGIN}/header"
    crawled = await crawl_site(
        {
            "/": html("home", links=["/noindex", "/nofollow", "/header", "/both"]).replace(
                b"</nav>",
                b'<a rel="nofollow" href="/shunned"></a><a rel="nofollow" href="/both"></a></nav>',
            ),
            "/noindex": html("a", head='<meta name="robots" content="noindex">', links=["/found"]),
            "/nofollow": html("b", head='<meta name="robots" content="nofollow">', links=["/lost"]),
            "/header": response(url, html("c"), x_robots_tag="noindex"),
            "/both": html("both"),
            "/found": html("found"),
            "/lost": html("lost"),
            "/shunned": html("shunned"),
        },
        tmp_path,
    )
    _check_sums(crawled)
    assert crawled.paths == ["/", "/nofollow", "/both", "/found"]
    assert crawled.decision("/noindex") == crawled.decision("/header") == "content_policy:noindex"
    assert crawled.decision("/lost") == crawled.decision("/shunned") == "robots_blocked:nofollow"


async def test_unreachable_robots_keeps_out(tmp_path: Path) -> None:
    pages = {"/robots.txt": response(f"{ORIGIN}/robots.txt", b"", status=503), "/": html("home")}
    crawled = await crawl_site(pages, tmp_path)
    assert crawled.rows == []
    assert crawled.decision("/").startswith("robots_blocked:robots_unreachable")
    assert crawled.asked_pages() == []


async def test_redirect_may_not_leave_the_site(tmp_path: Path) -> None:
    away = response(
        "https://other.example/", html("other"), redirects=(f"{ORIGIN}/away", f"{ORIGIN}/hop")
    )
    crawled = await crawl_site({"/": html("home", links=["/away"]), "/away": away}, tmp_path)
    _check_sums(crawled)
    assert crawled.decision("/away") == "out_of_scope:host"
    assert crawled.decision("/hop") == "out_of_scope:host"


async def test_preferred_pages_go_first_at_the_same_depth(tmp_path: Path) -> None:
    pages = {"/": html("home", links=["/a", "/b", "/research/x", "/c"])}
    pages |= {path: html(path) for path in ("/a", "/b", "/c", "/research/x")}
    config = institution(include_patterns=["/research"], max_pages=2)
    assert (await crawl_site(pages, tmp_path, config=config)).paths == ["/", "/research/x"]


async def test_sitemaps_and_feeds_come_after_the_seeds(tmp_path: Path) -> None:
    xml = "<urlset>{}</urlset>"
    locs = "".join(f"<url><loc>{ORIGIN}/s{n}</loc></url>" for n in range(2))
    locs += f"<url><loc>{ORIGIN}/s2</loc><lastmod>2026-03-01</lastmod></url>"
    locs += f"<url><loc>{ORIGIN}/</loc><lastmod>2026-02-01</lastmod></url>"
    index = f"<sitemapindex><sitemap><loc>{ORIGIN}/nested.xml</loc></sitemap>"
    index += f"<sitemap><loc>{ORIGIN}/sitemap.xml</loc></sitemap></sitemapindex>"
    crawled = await crawl_site(
        {
            "/robots.txt": b"Sitemap: /sitemap.xml\nSitemap: https://other.example/s.xml\n",
            "/sitemap.xml": index.encode(),
            "/nested.xml": xml.format(locs).encode(),
            "/": html("home", links=["/a"]),
            "/a": html("a"),
            "/news": html("news"),
            **{f"/s{n}": html(f"s{n}") for n in range(3)},
        },
        tmp_path,
        seeds=[(f"{ORIGIN}/news", "feed")],
    )
    _check_sums(crawled)
    assert crawled.paths == ["/", "/news", "/a", "/s0", "/s1", "/s2"]
    assert [row.meta.source for row in crawled.rows][1:4] == ["feed", "crawl", "sitemap"]
    assert crawled.page("/s1").depth == 1
    dates = {path: crawled.page(path).meta.sitemap_lastmod for path in ("/", "/s1", "/s2")}
    assert dates == {"/": "2026-02-01", "/s1": None, "/s2": "2026-03-01"}
    assert not any("other.example" in url for url in crawled.asked)


async def test_traps_end_bounded(tmp_path: Path) -> None:
    def calendar(request: FetchRequest) -> FetchResponse:
        month = int(request.url.rpartition("=")[2] or 0)
        links = [f"/calendar?month={month + step}" for step in (1, 2, 3)]
        return response(request.url, html(f"month {month}", links=links))

    pages: dict[str, Any] = {"/": html("home", links=["/calendar?month=1"])}
    pages |= {f"/calendar?month={n}": calendar for n in range(2000)}
    crawled = await crawl_site(pages, tmp_path, config=institution(max_depth=500, max_pages=1000))
    _check_sums(crawled)
    assert crawled.report.stopped_by == "finished"
    assert len(crawled.rows) < 100
    assert crawled.report.decisions["trap"] > 0


async def test_copies_without_end_stop_at_the_request_budget(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/c/{'x' * n}" for n in range(1, 400)])}
    pages |= {f"/c/{'x' * n}": html("copy") for n in range(1, 400)}
    crawled = await crawl_site(pages, tmp_path, config=institution(max_pages=5))
    _check_sums(crawled)
    assert crawled.report.stopped_by == "max_requests"
    assert len(crawled.asked_pages()) <= 200


async def test_bytes_stop_the_crawl_cleanly(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_bytes": 10_000})
    crawled = await crawl_site(pages, tmp_path, config=config)
    _check_sums(crawled)
    assert crawled.report.stopped_by == "max_bytes"
    assert 1 < len(crawled.rows) < 101
    assert crawled.report.decisions["over_bytes"] == 101 - len(crawled.rows)


async def test_time_stops_the_crawl_cleanly(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_seconds": 10})
    crawled = await crawl_site(
        pages, tmp_path, config=config, connections=1, latency_s=lambda _: 1.0
    )
    _check_sums(crawled)
    assert crawled.report.stopped_by == "max_seconds"
    assert crawled.report.decisions["over_time"] > 50


async def _first_and_second(
    tmp_path: Path, second: dict[str, Any], *, days: float, **config: Any
) -> tuple[Crawled, Crawled]:
    first_site = {
        "/": response(f"{ORIGIN}/", html("home", links=["/a", "/b", "/copy"]), etag='"h"'),
        "/a": response(f"{ORIGIN}/a", html("a", links=["/c"]), etag='"a"'),
        "/b": html("b"),
        "/c": html("c"),
        "/copy": html("a"),
    }
    first = await crawl_site(first_site, tmp_path, config=institution(**config))
    clock = FakeClock(start=FakeClock().utcnow() + timedelta(days=days))
    again = await crawl_site(
        first_site | second,
        tmp_path,
        config=institution(**config),
        previous=InMemoryPrevious(first.rows),
        clock=clock,
    )
    _check_sums(again)
    return first, again


async def test_within_its_time_nothing_is_asked_for(tmp_path: Path) -> None:
    first, again = await _first_and_second(tmp_path, {}, days=1)
    assert again.asked_pages() == []
    assert [replace(r, meta=replace(r.meta, from_cache=False)) for r in again.rows] == first.rows
    assert all(row.meta.from_cache for row in again.rows)
    assert again.decision("/a") == "fresh:ttl"
    assert again.decision("/copy") == "alias:checksum"
    assert again.report.counters.cache_hits == 4


async def test_after_its_time_a_page_is_confirmed_changed_or_gone(tmp_path: Path) -> None:
    later = FakeClock().utcnow() + timedelta(days=30)

    def confirm(request: FetchRequest) -> FetchResponse:
        assert request.etag in ('"h"', '"a"')
        return replace(response(request.url, b"", status=304), fetched_at=later)

    changed = replace(response(f"{ORIGIN}/b", html("b, changed")), fetched_at=later)
    same = replace(response(f"{ORIGIN}/a", html("a", links=["/c"])), fetched_at=later)
    missing = replace(response(f"{ORIGIN}/c", b"", status=404), fetched_at=later)
    first, again = await _first_and_second(
        tmp_path, {"/": confirm, "/a": confirm, "/b": changed, "/c": missing}, days=30
    )
    assert [again.decision(path) for path in ("/", "/a", "/b", "/c")] == [
        "not_modified:304",
        "not_modified:304",
        "stored:changed",
        "http_error:gone",
    ]
    _, refetched = await _first_and_second(tmp_path, {"/a": same}, days=30)
    assert refetched.decision("/a") == "stored:unchanged"
    kept, new = again.page("/a"), again.page("/b")
    assert kept.body == first.page("/a").body
    assert kept.meta.from_cache
    assert (kept.fetched_at, kept.changed_at) == (later, first.page("/a").changed_at)
    assert (new.first_seen_at, new.changed_at) == (first.page("/b").first_seen_at, later)
    assert again.report.counters.pages_gone == 1


async def test_a_confirmed_page_does_not_speak_for_its_copies(tmp_path: Path) -> None:
    def confirmed(request: FetchRequest) -> FetchResponse:
        if request.etag:
            return response(request.url, b"", status=304)
        return response(request.url, html("a"), etag='"a"')

    pages = {
        "/": html("home", links=["/a", "/copy", "/says-a"]),
        "/a": confirmed,
        "/copy": html("a"),
        "/says-a": html("almost a", head='<link rel="canonical" href="/a">'),
    }
    config = institution(ttl_days=1)
    first = await crawl_site(pages, tmp_path / "first", config=config)
    assert first.decision("/copy") == "alias:checksum"
    assert first.decision("/says-a") == "alias:canonical"
    changed = {"/copy": html("news"), "/says-a": html("other news")}
    again = await crawl_site(
        pages | changed,
        tmp_path / "again",
        config=config,
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=30)),
    )
    assert again.decision("/a") == "not_modified:304"
    assert [again.decision(path) for path in ("/copy", "/says-a")] == ["stored:changed"] * 2
    assert again.page("/copy").text == prose("news")


async def test_page_that_nothing_links_any_more_is_looked_up(tmp_path: Path) -> None:
    home = response(f"{ORIGIN}/", html("home without links"))
    missing = response(f"{ORIGIN}/b", b"", status=410)
    _, again = await _first_and_second(tmp_path, {"/": home, "/b": missing}, days=30)
    assert again.decision("/b") == "http_error:gone"
    assert "/a" in again.paths


async def test_last_partition_must_pass_todays_rules(tmp_path: Path) -> None:
    first = await crawl_site({"/": html("home", links=["/a"]), "/a": html("a")}, tmp_path)
    config = institution(disallowed_paths=["/a"], policy={"min_text_length": 10_000})
    again = await crawl_site({}, tmp_path, config=config, previous=InMemoryPrevious(first.rows))
    assert again.decision("/a") == "disallowed_path:path"
    assert again.decision("/") == "content_policy:min_text"


async def test_progress_is_told_at_every_commit(tmp_path: Path) -> None:
    seen: list[CrawlProgress] = []
    pages = {"/": html("home", links=["/a", "/b"]), "/a": html("a"), "/b": html("b")}
    await crawl_site(pages, tmp_path, on_progress=seen.append, latency_s=lambda _: 0.5)
    assert [step.pages for step in seen][-1] == 3
    assert seen[-1].queued == 0
    assert seen[-1].pages_per_s > 0


@pytest.mark.parametrize("body", [b"", bytes(range(32)) * 40, b"<" * 30, b"%PDF-1.4 broken"])
async def test_broken_bodies_are_rows_of_the_ledger(tmp_path: Path, body: bytes) -> None:
    crawled = await crawl_site({"/": html("home", links=["/x"]), "/x": body}, tmp_path)
    assert crawled.decision("/x").startswith("content_policy:")


async def test_large_body_is_put_down_and_read_back(tmp_path: Path) -> None:
    large = html("large", text=prose("size") + " word" * (LARGE_BODY_BYTES // 4), links=["/b"])
    crawled = await crawl_site(
        {"/": html("home", links=["/a"]), "/a": large, "/b": html("b")}, tmp_path
    )
    assert crawled.paths == ["/", "/a", "/b"]
    assert crawled.page("/a").body == large
    assert len(crawled.page("/a").text) > LARGE_BODY_BYTES


@pytest.mark.parametrize(("respect", "expected"), [(True, [("u1.edu", 3.0)]), (False, [])])
async def test_crawl_delay_is_obeyed_only_if_asked_for(
    tmp_path: Path, respect: bool, expected: list[tuple[str, float]]
) -> None:
    """Seed 004, fifth acceptance test; that the delay is slept is the fetcher's test."""
    told: list[tuple[str, float]] = []
    await crawl_site(
        {"/robots.txt": b"User-agent: *\nCrawl-delay: 3\n", "/": html("home")},
        tmp_path,
        config=institution(politeness={"respect_crawl_delay": respect}),
        set_crawl_delay=lambda host, seconds: told.append((host, seconds)),
    )
    assert told == expected


SHELL = b'<html><body><div id="root"></div><script src="/app.bundle.js"></script></body></html>'


class FakeRenderer:
    """Renders every page to text that names its address, or fails."""

    def __init__(self, *, fails: bool = False) -> None:
        self.rendered: list[str] = []
        self._fails = fails

    async def render(self, response: FetchResponse) -> RenderedPage | RenderFailure:
        self.rendered.append(response.requested_url)
        if self._fails:
            return RenderFailure(url=response.url, reason="timeout", detail="15 s")
        page = html(response.url, links=["/b", "/#/view"]).decode()
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
    _check_sums(crawled)
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


async def test_replay_ends_where_time_ended_the_crawl(tmp_path: Path) -> None:
    pages = {"/": html("home", links=[f"/p{n}" for n in range(100)])}
    pages |= {f"/p{n}": html(f"page {n}") for n in range(100)}
    config = institution(budgets={"max_seconds": 10})
    runs = [
        await crawl_site(
            pages,
            tmp_path,
            config=config,
            connections=1,
            latency_s=lambda _, wait_s=wait_s: wait_s,
            publish=False,
        )
        for wait_s in (1.0, 0.001)
    ]
    assert runs[1].asked == []
    assert runs[0].rows == runs[1].rows
    assert runs[0].ledger == runs[1].ledger


@pytest.mark.slow
async def test_time_that_runs_out_behind_a_slow_page_keeps_what_was_received(
    tmp_path: Path,
) -> None:
    """The one slow page is late; those behind it are stored, and a replay does the same."""
    names = ["slow", *(f"p{n}" for n in range(20))]
    pages = {"/": html("home", links=[f"/{name}" for name in names])}
    pages |= {f"/{name}": html(name, links=[f"/{name}/next"]) for name in names}
    config = institution(budgets={"max_seconds": 4})
    first, replayed = [
        await crawl_site(
            pages,
            tmp_path,
            config=config,
            connections=16,
            latency_s=lambda url: 1_000.0 if url.endswith("/slow") else 0.3,
            clock=_ImpatientClock(),
            publish=False,
        )
        for _ in range(2)
    ]
    _check_sums(first)
    assert first.report.stopped_by == "max_seconds"
    assert first.decision("/slow") == first.decision("/p3/next") == "over_time:max_seconds"
    assert first.paths == ["/", *(f"/p{n}" for n in range(20))]
    assert next(row for row in first.ledger if row.url.endswith("/slow")).detail == "4 seconds"
    assert replayed.asked == []
    assert (replayed.rows, replayed.ledger) == (first.rows, first.ledger)


class _ImpatientClock(FakeClock):
    """Waits of more than a minute never end: what comes first is the limit, in real seconds."""

    async def sleep(self, seconds: float) -> None:
        if seconds > 60:
            await asyncio.Event().wait()
        await super().sleep(seconds)


async def test_link_farm_is_cut_at_what_may_wait_and_what_may_be_known(tmp_path: Path) -> None:
    journal = open_crawl_journal(tmp_path, institution(), clock=FakeClock())
    parts = assemble(
        institution(),
        fetcher=FakeFetcher({}),
        renderer=None,
        previous=NoPrevious(),
        journal=journal,
        parser=InlineParser(),
        set_crawl_delay=None,
    )
    discovery = parts.discovery
    discovery.max_waiting, discovery.max_discovered = 20, 40
    links = [Found(f"{ORIGIN}/{'a' * n}", f"{ORIGIN}/{'a' * n}") for n in range(1, 60)]
    await discovery.add_links(links, depth=1, source_url=ORIGIN)
    assert len(parts.frontier) == 20
    assert parts.ledger.reasons == {"over_pages:max_queue": 20}
    assert discovery.left_off == 19
    await discovery.add_links(links, depth=1, source_url=ORIGIN)
    assert (len(parts.frontier), discovery.left_off) == (20, 38)
    parts.remove_spools()
    journal.remove()


async def test_few_sitemaps_are_held_at_once(tmp_path: Path) -> None:
    under_way: list[int] = [0]

    def begin(url: str) -> float:
        under_way.append(under_way[-1] + url.endswith(".xml"))
        return 0.1

    def end(request: FetchRequest) -> FetchResponse:
        under_way.append(under_way[-1] - 1)
        return response(request.url, b"<urlset></urlset>", content_type="text/xml")

    names = [f"/{number}.xml" for number in range(9)]
    lines = "".join(f"Sitemap: {ORIGIN}{name}\n" for name in names).encode()
    await crawl_site(
        {"/": html("home"), "/robots.txt": lines, **dict.fromkeys(names, end)},
        tmp_path,
        connections=16,
        latency_s=begin,
    )
    assert (max(under_way), under_way[-1]) == (2, 0)
    assert len(under_way) > 2 * len(names)


async def test_sitemap_may_not_lead_off_the_site(tmp_path: Path) -> None:
    elsewhere = "https://other.example/map.xml"
    listed = f"<urlset><url><loc>{ORIGIN}/listed</loc></url></urlset>".encode()
    moved = response(elsewhere, listed, redirects=(f"{ORIGIN}/map.xml",))
    crawled = await crawl_site(
        {
            "/robots.txt": b"Sitemap: /map.xml\nSitemap: /private/map.xml\nDisallow: /private",
            "/": html("home"),
            "/map.xml": moved,
            "/listed": html("listed"),
        },
        tmp_path,
    )
    assert crawled.paths == ["/"]


@pytest.mark.slow
async def test_links_that_a_page_has_too_many_of_are_counted(tmp_path: Path) -> None:
    links = [f"https://elsewhere.example/{number}" for number in range(MAX_LINKS + 7)]
    crawled = await crawl_site({"/": html("home", links=links)}, tmp_path)
    assert crawled.report.counters.links_left_off == 7
    assert crawled.report.decisions["out_of_scope"] == MAX_LINKS


async def test_fault_of_ours_costs_one_url_and_says_so(tmp_path: Path) -> None:
    def explode(request: FetchRequest) -> FetchResponse:
        raise ZeroDivisionError(request.url)

    pages: dict[str, Any] = {"/": html("home", links=["/a", "/b"]), "/a": explode, "/b": html("b")}
    crawled = await crawl_site(pages, tmp_path)
    assert crawled.paths == ["/", "/b"]
    assert crawled.decision("/a") == "fetch_error:internal"
    (row,) = (row for row in crawled.ledger if row.reason == "internal")
    assert "ZeroDivisionError" in row.detail
