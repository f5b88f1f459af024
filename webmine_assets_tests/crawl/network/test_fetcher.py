import socket
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
)
from webmine_assets.crawl.network.clock import FakeClock, SystemClock
from webmine_assets.crawl.network.fetcher import FetchLimits, HttpFetcher, user_agent
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.crawl.network.retry import NO_RETRY, RetryPolicy
from webmine_assets.crawl.pages.links import MetaRobots, parse_x_robots_tag
from webmine_assets_tests.hostile import HostileSite
from webmine_assets_tests.hostile.wire import ODD_TARGETS, PRIVATE_TARGETS, bomb

ROOMY = FetchLimits(max_body_bytes=2_000_000)
TIGHT = FetchLimits(total_s=1.0, connect_s=1.0, idle_s=0.4, max_body_bytes=2_000_000)


@asynccontextmanager
async def open_fetcher(
    *,
    limits: FetchLimits = ROOMY,
    retry: RetryPolicy = NO_RETRY,
    clock: FakeClock | None = None,
    delay_s: float = 0,
    allow: tuple[str, ...] = ("127.0.0.1/32",),
    resolver: AbstractResolver | None = None,
) -> AsyncIterator[HttpFetcher]:
    time = clock or SystemClock()
    fetcher = HttpFetcher(
        guard=Guard(allow),
        politeness=Politeness(PolitenessLimits(delay_s=delay_s, concurrency=16), time),
        clock=time,
        user_agent=user_agent("ops@example.org"),
        limits=limits,
        retry=retry,
        random=Random(7),
        resolver=resolver,
    )
    async with fetcher:
        yield fetcher


async def fetch(site: HostileSite, path: str, **options: object) -> FetchResponse | FetchFailure:
    async with open_fetcher(limits=TIGHT if path in HANGING else ROOMY) as fetcher:
        return await fetcher.fetch(FetchRequest(url=site.url(path), **options))  # type: ignore[arg-type]


HANGING = (
    "/wire/slow-body",
    "/wire/stalled-body",
    "/wire/no-response",
    "/wire/slow-headers",
    "/wire/endless-continue",
    "/wire/endless-chunk-extension",
)
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


async def test_redirects_are_followed_up_to_the_limit(hostile_site: HostileSite) -> None:
    outcome = await fetch(hostile_site, "/chain/5")
    assert isinstance(outcome, FetchResponse)
    assert outcome.url == hostile_site.url("/chain/0")
    assert outcome.redirects == tuple(
        hostile_site.url(f"/chain/{left}") for left in range(5, 0, -1)
    )


async def test_a_request_may_set_its_own_redirect_limit(hostile_site: HostileSite) -> None:
    outcome = await fetch(hostile_site, "/chain/1", max_redirects=0)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.REDIRECTS


async def test_refused_hop_is_not_asked_for_and_carries_the_refusal(
    hostile_site: HostileSite,
) -> None:
    refusal = Refusal(decision="out_of_scope", reason="host")

    async def check(url: str) -> Refusal | None:
        return refusal if url.endswith("/chain/1") else None

    outcome = await fetch(hostile_site, "/chain/3", check_hop=check)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.REDIRECT_REFUSED
    assert outcome.refusal is refusal
    assert hostile_site.log == ["/chain/3", "/chain/2"]


async def test_failed_hop_check_is_not_taken_for_a_bad_answer(hostile_site: HostileSite) -> None:
    async def check(url: str) -> Refusal | None:
        raise LookupError(url)

    with pytest.raises(LookupError):
        await fetch(hostile_site, "/chain/1", check_hop=check)


async def test_each_hop_of_a_chain_waits_its_turn_at_the_host(hostile_site: HostileSite) -> None:
    clock = FakeClock()
    async with open_fetcher(clock=clock, delay_s=5) as fetcher:
        await fetcher.fetch(FetchRequest(url=hostile_site.url("/chain/3")))
    assert clock.now() == 15


@pytest.mark.parametrize(
    "spelling", ["127.0.0.2", "2130706434", "0x7f.2", "0177.0.0.2", "[::ffff:7f00:2]"]
)
async def test_no_spelling_of_an_address_reaches_a_listening_neighbour(spelling: str) -> None:
    async with HostileSite(address="127.0.0.2") as canary, open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=f"http://{spelling}:{canary.port}/ok"))
        assert isinstance(outcome, FetchFailure)
        assert outcome.reason is FetchReason.BLOCKED_ADDRESS
        assert canary.connections == 0


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


class TableResolver(AbstractResolver):
    """Answers names from a table; what is not there does not exist."""

    def __init__(self, names: dict[str, tuple[str, ...]]) -> None:
        self._names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in self._names:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0
            )
            for address in self._names[host]
        ]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (("127.0.0.1",), 200),
        (("127.0.0.2",), FetchReason.BLOCKED_ADDRESS),
        (("10.0.0.1", "192.168.1.1"), FetchReason.BLOCKED_ADDRESS),
        (("10.0.0.1", "127.0.0.1"), 200),
    ],
)
async def test_name_reaches_only_the_addresses_that_are_allowed(
    hostile_site: HostileSite, addresses: tuple[str, ...], expected: int | FetchReason
) -> None:
    resolver = TableResolver({"site.test": addresses})
    async with open_fetcher(resolver=resolver) as fetcher:
        url = f"http://site.test:{hostile_site.port}/ok"
        outcome = await fetcher.fetch(FetchRequest(url=url))
    result = outcome.status if isinstance(outcome, FetchResponse) else outcome.reason
    assert result == expected


async def test_unknown_name_is_a_dns_failure() -> None:
    async with open_fetcher(resolver=TableResolver({})) as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url="http://nowhere.test/"))
    assert isinstance(outcome, FetchFailure)
    assert (outcome.reason, outcome.retryable) == (FetchReason.DNS, False)


async def test_loopback_itself_is_refused_unless_it_is_named(hostile_site: HostileSite) -> None:
    async with open_fetcher(allow=()) as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=hostile_site.url("/ok")))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.BLOCKED_ADDRESS
    assert hostile_site.log == []


@pytest.mark.parametrize(
    ("contact", "suffix"),
    [(None, ""), ("", ""), ("https://u1.edu/bot", " (+https://u1.edu/bot)"), ("a\r\nb", " (+ab)")],
)
def test_user_agent_names_the_contact(contact: str | None, suffix: str) -> None:
    product, _, rest = user_agent(contact).partition(" ")
    assert product.startswith("webmine/")
    assert (f" {rest}" if rest else "") == suffix


def _answering(seen: list[tuple[str, str | None]], location: str | None = None) -> web.Application:
    """A server that notes paths and credentials, and redirects all but `/end` to `location`."""

    async def answer(request: web.Request) -> web.Response:
        seen.append((request.path, request.headers.get("Authorization")))
        if location is None or request.path == "/end":
            return web.Response(text="ok")
        return web.Response(status=302, headers={"Location": location})

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    return application


@pytest.mark.parametrize("name", ["authorization", "Authorization"])
async def test_credentials_of_a_request_do_not_follow_it_to_another_origin(name: str) -> None:
    seen: list[tuple[str, str | None]] = []
    async with (
        TestServer(_answering(seen), host="127.0.0.1") as other,
        TestServer(_answering(seen, str(other.make_url("/away"))), host="127.0.0.1") as site,
        open_fetcher() as fetcher,
    ):
        request = FetchRequest(url=str(site.make_url("/start")), headers={name: "Bearer x"})
        await fetcher.fetch(request)
    assert seen == [("/start", "Bearer x"), ("/away", None)]


async def test_credentials_of_a_request_follow_it_within_its_origin() -> None:
    seen: list[tuple[str, str | None]] = []
    async with (
        TestServer(_answering(seen, "/end"), host="127.0.0.1") as site,
        open_fetcher() as fetcher,
    ):
        request = FetchRequest(
            url=str(site.make_url("/start")), headers={"authorization": "Bearer x"}
        )
        await fetcher.fetch(request)
    assert seen == [("/start", "Bearer x"), ("/end", "Bearer x")]


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
