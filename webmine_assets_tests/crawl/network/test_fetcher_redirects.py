"""Where a fetch is led: hops of a redirect, and what may follow it to another origin."""

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets_tests.crawl.network.fetching import fetch, open_fetcher
from webmine_assets_tests.hostile import HostileSite


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
