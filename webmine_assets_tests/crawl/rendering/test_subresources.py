"""Each resource is asked for once, and what is kept stays within its limit."""

import asyncio

import pytest

from webmine_assets.crawl.exchange import FetchFailure, FetchReason, FetchRequest, FetchResponse
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.rendering.render_requests import page_headers, refusal_of, request_headers
from webmine_assets.crawl.rendering.subresources import SubresourceCache

URL = "https://u1.edu/app.js"


def served(*names: str, size: int = 10, status: int = 200) -> FakeFetcher:
    plain = FakeFetcher({})
    urls = [f"https://u1.edu/{name}" for name in names]
    return FakeFetcher({url: plain.response(url, status=status, body=b"x" * size) for url in urls})


def failing(*, retryable: bool) -> FakeFetcher:
    failure = FetchFailure(
        requested_url=URL,
        reason=FetchReason.TIMEOUT,
        detail="",
        fetched_at=FakeFetcher({}).response(URL).fetched_at,
        retryable=retryable,
    )
    return FakeFetcher({URL: failure})


async def test_pages_at_the_same_time_share_one_fetch() -> None:
    fetcher = served("app.js")
    cache = SubresourceCache(fetcher, max_bytes=100_000)
    request = FetchRequest(url=URL, headers={"accept": "*/*"})
    outcomes = await asyncio.gather(*(cache.fetch(request) for _ in range(10)))
    assert all(isinstance(outcome, FetchResponse) for outcome in outcomes)
    assert cache.has(request)
    assert fetcher.urls == [URL]


async def test_headers_that_change_the_answer_are_told_apart() -> None:
    fetcher = served("app.js")
    cache = SubresourceCache(fetcher, max_bytes=100_000)
    for headers in ({}, {"accept": "*/*"}, {"x-page": "1"}, {"x-page": "2"}):
        await cache.fetch(FetchRequest(url=URL, headers=headers))
    assert len(fetcher.urls) == 3


async def test_oldest_entries_go_first_and_oversized_ones_are_not_kept() -> None:
    fetcher = served("a", "b", "c", size=3000)
    cache = SubresourceCache(fetcher, max_bytes=11_000)
    requests = [FetchRequest(url=f"https://u1.edu/{name}") for name in "abc"]
    for request in (requests[0], requests[1], requests[0], requests[2]):
        await cache.fetch(request)
    assert [cache.has(request) for request in requests] == [True, False, True]
    tiny = SubresourceCache(fetcher, max_bytes=100)
    await tiny.fetch(requests[0])
    assert not tiny.has(requests[0])


@pytest.mark.parametrize(
    ("fetcher", "asked"),
    [
        (failing(retryable=True), 2),
        (failing(retryable=False), 1),
        (served("app.js", status=503), 2),
        (served("app.js", status=404), 1),
    ],
    ids=["timeout", "refused", "503", "404"],
)
async def test_failures_are_forgiven_once_if_they_may_pass(
    fetcher: FakeFetcher, asked: int
) -> None:
    cache = SubresourceCache(fetcher, max_bytes=100_000)
    for _ in range(5):
        await cache.fetch(FetchRequest(url=URL))
    assert len(fetcher.urls) == asked


async def test_a_page_that_gives_up_does_not_stop_the_fetch_of_others() -> None:
    release = asyncio.Event()

    class Slow:
        async def fetch(self, request: FetchRequest) -> FetchResponse:
            await release.wait()
            return FakeFetcher({}).response(request.url)

    cache = SubresourceCache(Slow(), max_bytes=100_000)
    first = asyncio.create_task(cache.fetch(FetchRequest(url=URL)))
    second = asyncio.create_task(cache.fetch(FetchRequest(url=URL)))
    await asyncio.sleep(0)
    first.cancel()
    release.set()
    assert isinstance(await second, FetchResponse)


async def test_close_ends_fetches_under_way() -> None:
    class Endless:
        async def fetch(self, request: FetchRequest) -> FetchResponse:
            await asyncio.Event().wait()
            return FakeFetcher({}).response(request.url)

    cache = SubresourceCache(Endless(), max_bytes=100_000)
    waiting = asyncio.create_task(cache.fetch(FetchRequest(url=URL)))
    await asyncio.sleep(0)
    await cache.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(
    ("resource_type", "method", "url", "expected"),
    [
        ("script", "GET", URL, None),
        ("fetch", "GET", URL, None),
        ("document", "GET", "ftp://u1.edu/", "scheme"),
        ("xhr", "POST", URL, "method"),
        ("image", "GET", URL, "type_image"),
        ("media", "GET", URL, "type_media"),
        ("eventsource", "GET", URL, "type_eventsource"),
    ],
)
def test_requests_refused_whatever_their_address(
    resource_type: str, method: str, url: str, expected: str | None
) -> None:
    assert refusal_of(resource_type, method, url) == expected


def test_headers_that_no_longer_hold_are_dropped() -> None:
    received = {
        "content-type": "text/html; charset=latin1",
        "content-encoding": "br",
        "Content-Length": "10",
        "set-cookie": "a=b",
        "content-disposition": "attachment",
        "content-security-policy": "default-src 'self'",
    }
    assert set(page_headers(received)) == {"content-type", "content-security-policy"}


def test_the_fetcher_alone_says_who_we_are() -> None:
    sent = {"User-Agent": "x", "Cookie": "a=b", "Accept": "*/*", "X-Key": "1", "sec-ch-ua": "y"}
    assert request_headers(sent) == {"accept": "*/*", "x-key": "1"}
