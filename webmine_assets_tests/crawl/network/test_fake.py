from datetime import UTC, datetime

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
    Refusal,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fake import FakeFetcher

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOME = "http://u1.edu/"


def redirected(*urls: str) -> FetchResponse:
    return FetchResponse(
        requested_url=urls[0],
        url=urls[-1],
        status=200,
        headers={},
        body=b"",
        fetched_at=NOW,
        redirects=urls[:-1],
    )


async def test_answers_come_from_the_table_and_requests_are_logged() -> None:
    failure = FetchFailure(
        requested_url=HOME + "dead", reason=FetchReason.DNS, detail="", fetched_at=NOW
    )
    fetcher = FakeFetcher(
        {HOME: lambda request: fetcher.response(request.url, body=b"hi"), HOME + "dead": failure}
    )
    found = await fetcher.fetch(FetchRequest(url=HOME))
    assert isinstance(found, FetchResponse)
    assert found.body == b"hi"
    assert await fetcher.fetch(FetchRequest(url=HOME + "dead")) is failure
    missing = await fetcher.fetch(FetchRequest(url=HOME + "missing"))
    assert isinstance(missing, FetchResponse)
    assert missing.status == 404
    assert fetcher.urls == [HOME, HOME + "dead", HOME + "missing"]


async def test_hops_are_put_to_the_check() -> None:
    fetcher = FakeFetcher({HOME: redirected(HOME, HOME + "a", "http://u2.edu/")})
    seen: list[str] = []

    async def check(url: str) -> Refusal | None:
        seen.append(url)
        return Refusal(decision="out_of_scope", reason="host") if "u2" in url else None

    outcome = await fetcher.fetch(FetchRequest(url=HOME, check_hop=check))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is FetchReason.REDIRECT_REFUSED
    assert outcome.redirects == (HOME, HOME + "a")
    assert seen == [HOME + "a", "http://u2.edu/"]


async def test_latency_passes_on_the_given_clock() -> None:
    clock = FakeClock()
    fetcher = FakeFetcher({}, clock=clock, latency_s=lambda url: 3.0)
    await fetcher.fetch(FetchRequest(url=HOME))
    assert clock.now() == 3.0
