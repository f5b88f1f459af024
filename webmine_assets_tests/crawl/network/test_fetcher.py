import tracemalloc

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fetcher import user_agent
from webmine_assets.crawl.network.retry import RetryPolicy
from webmine_assets.crawl.pages.links import MetaRobots, parse_x_robots_tag
from webmine_assets_tests.crawl.network.fetching import HANGING, TIGHT, fetch, open_fetcher
from webmine_assets_tests.hostile import HostileSite
from webmine_assets_tests.hostile.wire import ODD_TARGETS, PRIVATE_TARGETS, bomb

FAILURES = {
    **dict.fromkeys(HANGING, FetchReason.TIMEOUT),
    "/wire/closed-at-once": FetchReason.RESET,
    "/wire/endless-headers": FetchReason.HEADER_SIZE,
    "/wire/long-header": FetchReason.HEADER_SIZE,
    "/wire/endless-trailers": FetchReason.HEADER_SIZE,
    "/wire/endless-body": FetchReason.BODY_SIZE,
    "/wire/huge-page": FetchReason.BODY_SIZE,
    "/wire/huge-unannounced": FetchReason.BODY_SIZE,
    "/wire/short-of-length": FetchReason.TRUNCATED,
    "/wire/over-length": FetchReason.PROTOCOL,
    "/wire/senseless-length": FetchReason.PROTOCOL,
    "/wire/truncated-chunked": FetchReason.TRUNCATED,
    "/wire/senseless-chunk": FetchReason.PROTOCOL,
    "/wire/garbage": FetchReason.PROTOCOL,
    "/wire/reset-mid-body": FetchReason.RESET,
    "/wire/truncated-gzip": FetchReason.TRUNCATED,
    "/wire/broken-gzip": FetchReason.PROTOCOL,
    "/wire/unknown-coding": FetchReason.UNSUPPORTED_CODING,
    "/bomb/gzip": FetchReason.EXPANSION,
    "/bomb/deflate": FetchReason.EXPANSION,
    "/bomb/br": FetchReason.EXPANSION,
    "/bomb/zstd": FetchReason.EXPANSION,
    "/bomb/nested": FetchReason.EXPANSION,
    "/loop/a": FetchReason.REDIRECT_LOOP,
    "/loop/self": FetchReason.REDIRECT_LOOP,
    "/redirect/bare": FetchReason.BAD_REDIRECT,
    "/chain/6": FetchReason.REDIRECTS,
    "/chain/30": FetchReason.REDIRECTS,
    "/forever/0": FetchReason.REDIRECTS,
    **{f"/to/{name}": FetchReason.BLOCKED_ADDRESS for name in PRIVATE_TARGETS},
    **{f"/to/{name}": FetchReason.BAD_REDIRECT for name in ODD_TARGETS},
}


@pytest.mark.slow
@pytest.mark.parametrize(("path", "reason"), FAILURES.items())
async def test_hostile_answers_become_failures_with_their_reason(
    hostile_site: HostileSite, path: str, reason: FetchReason
) -> None:
    outcome = await fetch(hostile_site, path)
    assert isinstance(outcome, FetchFailure), outcome
    assert outcome.reason is reason, outcome
    assert outcome.detail


async def test_good_page_arrives_whole_with_lower_case_headers(hostile_site: HostileSite) -> None:
    outcome = await fetch(hostile_site, "/ok")
    assert isinstance(outcome, FetchResponse)
    assert outcome.status == 200
    assert outcome.url == outcome.requested_url == hostile_site.url("/ok")
    assert outcome.body.startswith(b"<!doctype html>")
    assert outcome.headers["etag"] == '"one"'
    assert outcome.wire_bytes == len(outcome.body)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
async def test_each_content_coding_is_undone(hostile_site: HostileSite, coding: str) -> None:
    outcome = await fetch(hostile_site, f"/coded/{coding}")
    assert isinstance(outcome, FetchResponse)
    assert f"<title>Coded {coding}</title>".encode() in outcome.body
    assert 0 < outcome.wire_bytes < len(outcome.body)


@pytest.mark.parametrize("status", [204, 206, 404, 500])
async def test_any_final_status_is_a_response(hostile_site: HostileSite, status: int) -> None:
    outcome = await fetch(hostile_site, f"/status/{status}")
    assert isinstance(outcome, FetchResponse)
    assert outcome.status == status


async def test_validators_give_not_modified_with_an_empty_body(hostile_site: HostileSite) -> None:
    outcome = await fetch(hostile_site, "/ok", etag='"one"', last_modified="Thu, 01 Jan 2026")
    assert isinstance(outcome, FetchResponse)
    assert (outcome.status, outcome.body) == (304, b"")


@pytest.mark.parametrize("path", ["/charset/no-type", "/coded/gzip"])
async def test_body_cap_is_exact(hostile_site: HostileSite, path: str) -> None:
    whole = await fetch(hostile_site, path)
    assert isinstance(whole, FetchResponse)
    fits = await fetch(hostile_site, path, max_body_bytes=len(whole.body))
    assert isinstance(fits, FetchResponse)
    over = await fetch(hostile_site, path, max_body_bytes=len(whole.body) - 1)
    assert isinstance(over, FetchFailure)
    assert over.reason is FetchReason.BODY_SIZE


async def test_long_body_is_cut_where_the_request_asks_for_it(hostile_site: HostileSite) -> None:
    outcome = await fetch(
        hostile_site, "/wire/endless-body", max_body_bytes=1_000, truncate_body=True
    )
    assert isinstance(outcome, FetchResponse)
    assert len(outcome.body) == 1_000


async def test_cookies_are_neither_kept_nor_sent(hostile_site: HostileSite) -> None:
    seen: list[dict[str, str]] = []
    async with open_fetcher() as fetcher, HostileSite(observe=seen.append) as site:
        for _ in range(2):
            await fetcher.fetch(FetchRequest(url=site.url("/ok")))
    assert len(seen) == 2
    assert all("cookie" not in headers for headers in seen)
    assert seen[0]["user-agent"].endswith("(+ops@example.org)")
    assert seen[0]["accept-encoding"] == "gzip, deflate, br, zstd"


async def test_connection_is_kept_for_the_next_request() -> None:
    async with open_fetcher() as fetcher, HostileSite() as site:
        for path in ("/ok", "/chain/2", "/status/404", "/coded/gzip", "/ok"):
            await fetcher.fetch(FetchRequest(url=site.url(path)))
        assert site.connections == 1


@pytest.mark.parametrize(
    ("path", "statuses", "waits"),
    [("/busy/429", 429, 2), ("/busy/503", 503, 2), ("/status/500", 500, 1), ("/busy/once", 200, 1)],
)
async def test_busy_answers_are_tried_again_within_the_budget(
    hostile_site: HostileSite, path: str, statuses: int, waits: int
) -> None:
    clock = FakeClock()
    async with open_fetcher(retry=RetryPolicy(), clock=clock) as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=hostile_site.url(path)))
    assert isinstance(outcome, FetchResponse)
    assert outcome.status == statuses
    assert hostile_site.log == [path] * (waits + 1)


async def test_retry_after_is_waited_for(hostile_site: HostileSite) -> None:
    clock = FakeClock()
    async with open_fetcher(retry=RetryPolicy(), clock=clock) as fetcher:
        await fetcher.fetch(FetchRequest(url=hostile_site.url("/busy/429")))
    assert clock.now() >= 2.0


async def test_retry_after_beyond_the_limit_is_final(hostile_site: HostileSite) -> None:
    async with open_fetcher(retry=RetryPolicy(), clock=FakeClock()) as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=hostile_site.url("/busy/long")))
    assert isinstance(outcome, FetchResponse)
    assert hostile_site.log == ["/busy/long"]


@pytest.mark.parametrize(
    ("path", "attempts"),
    [("/wire/reset-mid-body", 3), ("/wire/short-of-length", 3), ("/wire/garbage", 1)],
)
async def test_only_retryable_failures_are_tried_again(
    hostile_site: HostileSite, path: str, attempts: int
) -> None:
    async with open_fetcher(retry=RetryPolicy(), clock=FakeClock()) as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=hostile_site.url(path)))
    assert isinstance(outcome, FetchFailure)
    assert hostile_site.log == [path] * attempts


@pytest.mark.slow
async def test_site_survives_a_fetch_of_everything_it_has(hostile_site: HostileSite) -> None:
    async with open_fetcher(limits=TIGHT, clock=FakeClock()) as fetcher:
        for path in hostile_site.paths:
            await fetcher.fetch(FetchRequest(url=hostile_site.url(path)))
        assert isinstance(
            await fetcher.fetch(FetchRequest(url=hostile_site.url("/ok"))), FetchResponse
        )


async def test_peak_memory_of_bombs_and_huge_pages_is_bounded(hostile_site: HostileSite) -> None:
    await fetch(hostile_site, "/ok")
    paths = [path for path in hostile_site.paths if path.startswith(("/bomb/", "/wire/huge"))]
    for coding in ("gzip", "deflate", "br", "zstd", "nested"):
        bomb(coding)
    tracemalloc.start()
    try:
        for path in paths:
            await fetch(hostile_site, path)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("raw_url", ["", "ftp://127.0.0.1/", "http://", "http://[::1", "nonsense"])
async def test_what_is_no_url_is_a_failure(raw_url: str) -> None:
    async with open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=raw_url))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.PROTOCOL


async def test_plain_http_server_asked_for_tls_is_a_tls_failure(hostile_site: HostileSite) -> None:
    async with open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=f"https://127.0.0.1:{hostile_site.port}/ok"))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.TLS


async def test_closed_port_is_a_connect_failure() -> None:
    async with HostileSite() as site:
        url = site.url("/ok")
    async with open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=url))
    assert isinstance(outcome, FetchFailure)
    assert (outcome.reason, outcome.retryable) == (FetchReason.CONNECT, True)


@pytest.mark.parametrize(
    ("contact", "suffix"),
    [(None, ""), ("", ""), ("https://u1.edu/bot", " (+https://u1.edu/bot)"), ("a\r\nb", " (+ab)")],
)
def test_user_agent_names_the_contact(contact: str | None, suffix: str) -> None:
    product, _, rest = user_agent(contact).partition(" ")
    assert product.startswith("webmine/")
    assert (f" {rest}" if rest else "") == suffix


async def test_repeated_headers_are_joined_and_each_robots_tag_stays_a_line_of_its_own() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(
            headers=[
                ("X-Robots-Tag", "otherbot: nofollow"),
                ("Vary", "Accept"),
                ("X-Robots-Tag", "noindex"),
                ("Vary", "Origin"),
            ]
        )

    application = web.Application()
    application.router.add_get("/", answer)
    async with TestServer(application, host="127.0.0.1") as site, open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=str(site.make_url("/"))))
    assert isinstance(outcome, FetchResponse)
    assert outcome.headers["vary"] == "Accept, Origin"
    tag = outcome.headers["x-robots-tag"]
    assert tag == "otherbot: nofollow, , noindex"
    assert parse_x_robots_tag(tag, agent="webmine") == MetaRobots(noindex=True, nofollow=False)
