"""What every crawl holds to: one decision a URL, an order that nothing disturbs, no page twice."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.report import CrawlProgress
from webmine_assets.crawl.visit import LARGE_BODY_BYTES
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    check_sums,
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
    check_sums(crawled)
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
        check_sums(crawled)
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
        check_sums(crawled)
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
    check_sums(crawled)
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
    check_sums(crawled)
    page = next(row for row in crawled.rows if row.title == "page")
    assert page.url == ORIGIN + stored_as
    assert page.requested_url == f"{ORIGIN}/page"
    if stored_as == "/real":
        assert crawled.decision("/page") == "alias:canonical"


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
    check_sums(crawled)
    assert crawled.paths == ["/", "/news", "/a", "/s0", "/s1", "/s2"]
    assert [row.meta.source for row in crawled.rows][1:4] == ["feed", "crawl", "sitemap"]
    assert crawled.page("/s1").depth == 1
    dates = {path: crawled.page(path).meta.sitemap_lastmod for path in ("/", "/s1", "/s2")}
    assert dates == {"/": "2026-02-01", "/s1": None, "/s2": "2026-03-01"}
    assert not any("other.example" in url for url in crawled.asked)


async def test_sitemaps_that_cannot_be_read_are_rows_of_the_ledger(tmp_path: Path) -> None:
    broken = {
        "/gzip.xml.gz": (b"\x1f\x8b broken", "damaged gzip"),
        "/cut.xml": (f"<urlset><url><loc>{ORIGIN}/a</loc></url>".encode(), "ends early"),
        "/html.xml": (html("start"), "root element is 'html'"),
        "/words.txt": (b"no sitemap at all", "neither XML nor"),
        "/gone.xml": (response(f"{ORIGIN}/gone.xml", b"", status=404), "status 404"),
    }
    sound = {"/empty.xml": b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>"}
    lines = (f"Sitemap: {ORIGIN}{path}\n" for path in (*broken, *sound))
    pages = {"/": html("home", links=["/words.txt"]), "/a": html("a"), **sound}
    pages |= {path: answer for path, (answer, _) in broken.items()}
    crawled = await crawl_site({"/robots.txt": "".join(lines).encode(), **pages}, tmp_path)
    check_sums(crawled)
    assert crawled.paths == ["/", "/a"]
    del broken["/words.txt"]  # linked as a page, it has that page's row
    rows = {row.url: row for row in crawled.ledger if row.reason == "sitemap"}
    assert rows.keys() == {ORIGIN + path for path in broken}
    for path, (_, said) in broken.items():
        row = rows[ORIGIN + path]
        assert (row.decision, row.discovered_from) == ("content_policy", f"{ORIGIN}/robots.txt")
        assert said in row.detail
    assert crawled.report.reasons["content_policy:sitemap"] == len(broken)


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


async def test_fault_of_ours_costs_one_url_and_says_so(tmp_path: Path) -> None:
    def explode(request: FetchRequest) -> FetchResponse:
        raise ZeroDivisionError(request.url)

    pages: dict[str, Any] = {"/": html("home", links=["/a", "/b"]), "/a": explode, "/b": html("b")}
    crawled = await crawl_site(pages, tmp_path)
    assert crawled.paths == ["/", "/b"]
    assert crawled.decision("/a") == "fetch_error:internal"
    (row,) = (row for row in crawled.ledger if row.reason == "internal")
    assert "ZeroDivisionError" in row.detail
