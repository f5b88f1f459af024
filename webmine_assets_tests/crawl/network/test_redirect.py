import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.network.diagnosis import Diagnosis
from webmine_assets.crawl.network.redirect import (
    RedirectChain,
    Target,
    headers_beyond,
    parse_target,
)

START = Target("http://u1.edu/dir/page?q=1", "u1.edu")


def chain(max_redirects: int = 5) -> RedirectChain:
    return RedirectChain(START, max_redirects)


@pytest.mark.parametrize(
    ("location", "url", "host"),
    [
        ("/next", "http://u1.edu/next", "u1.edu"),
        ("next", "http://u1.edu/dir/next", "u1.edu"),
        ("//u2.edu/x", "http://u2.edu/x", "u2.edu"),
        ("https://U2.edu:443/a#part", "https://u2.edu/a", "u2.edu"),
        ("/a#", "http://u1.edu/a", "u1.edu"),
        ("?q=2", "http://u1.edu/dir/page?q=2", "u1.edu"),
        ("/café", "http://u1.edu/caf%C3%A9", "u1.edu"),
        ("/caf\udce9", "http://u1.edu/caf%E9", "u1.edu"),
        ("/a b", "http://u1.edu/a%20b", "u1.edu"),
        ("/a%20b", "http://u1.edu/a%20b", "u1.edu"),
        ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1"),
        ("http://0x7f.1:8080/", "http://127.0.0.1:8080/", "127.0.0.1:8080"),
        ("http:/odd", "http://u1.edu/odd", "u1.edu"),
    ],
)
def test_location_is_resolved_like_a_browser_does(location: str, url: str, host: str) -> None:
    assert chain().follow(location) == Target(url, host)


@pytest.mark.parametrize(
    "location",
    [
        None,
        "",
        "javascript:1",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "x" * 9_000,
        "data:,x",
    ],
)
def test_location_that_leads_nowhere_is_a_bad_redirect(location: str | None) -> None:
    problem = chain().follow(location)
    assert isinstance(problem, Diagnosis)
    assert problem.reason is FetchReason.BAD_REDIRECT


def test_way_back_is_a_loop_even_with_another_fragment() -> None:
    way = chain()
    step = way.follow("/b")
    assert isinstance(step, Target)
    way.move(step)
    for location in ("/b#x", START.url):
        problem = way.follow(location)
        assert isinstance(problem, Diagnosis)
        assert problem.reason is FetchReason.REDIRECT_LOOP


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_chain_ends_after_its_limit(limit: int) -> None:
    way = chain(limit)
    for number in range(limit):
        step = way.follow(f"/{number}")
        assert isinstance(step, Target)
        way.move(step)
    problem = way.follow("/one-more")
    assert isinstance(problem, Diagnosis)
    assert problem.reason is FetchReason.REDIRECTS
    assert len(way.passed) == limit


@given(st.text(max_size=100))
def test_any_location_gives_an_http_target_or_a_reason(location: str) -> None:
    outcome = chain().follow(location)
    if isinstance(outcome, Target):
        assert outcome.url.startswith(("http://", "https://"))
        assert outcome.url.isascii()
        assert parse_target(outcome.url) == outcome
    else:
        assert outcome.detail.isprintable()


@pytest.mark.parametrize(
    ("target", "keeps"),
    [
        ("https://u1.edu/b", True),
        ("https://u1.edu:443/b", True),
        ("https://u1.edu:8443/b", False),
        ("http://u1.edu/b", False),
        ("https://api.u1.edu/b", False),
    ],
)
def test_credentials_go_on_within_an_origin_only(target: str, keeps: bool) -> None:
    headers = {"accept": "*/*", "Authorization": "Bearer x"}
    kept = headers_beyond(headers, "https://u1.edu/a", target)
    assert kept == (headers if keeps else {"accept": "*/*"})
