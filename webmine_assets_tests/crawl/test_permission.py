"""What a site and a page allow: robots.txt, directives, policy, redirects off the site."""

from pathlib import Path

import pytest

from webmine_assets_tests.crawl.site import (
    ORIGIN,
    check_sums,
    crawl_site,
    html,
    institution,
    response,
)


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
    check_sums(crawled)
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
    check_sums(crawled)
    assert crawled.decision("/away") == "out_of_scope:host"
    assert crawled.decision("/hop") == "out_of_scope:host"


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
