import asyncio
from pathlib import Path

import pytest

from webmine_assets.crawl.exchange import FetchRequest, FetchResponse
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.crawl.network.fake import FakeFetcher
from webmine_assets.crawl.recovery.journal import CrawlHeader, Journal, open_journal
from webmine_assets.crawl.recovery.replay import JournalledFetcher

URL = "https://u1.edu/docs"
OTHER = "https://u1.edu/other"


class CountingServer:
    """Answers each request with its number, and only when it is told to."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self.may_answer = asyncio.Event()
        self._fake = FakeFetcher({})

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        self.urls.append(request.url)
        body = str(len(self.urls)).encode()
        await self.may_answer.wait()
        return self._fake.response(request.url, body=body)


def _journal(folder: Path) -> Journal:
    header = CrawlHeader(institution="u1", config_digest="d", started_at=FakeClock().utcnow())
    return open_journal(folder / "u1.journal", header, now=header.started_at)


async def test_requests_for_one_document_at_one_time_share_the_answer_that_is_replayed(
    tmp_path: Path,
) -> None:
    server = CountingServer()
    with _journal(tmp_path) as journal:
        pages = JournalledFetcher(server, journal, "page")
        asked = [
            asyncio.create_task(pages.fetch(FetchRequest(url=url))) for url in (URL, URL, OTHER)
        ]
        await asyncio.sleep(0)
        server.may_answer.set()
        first, second, _ = await asyncio.gather(*asked)
        assert server.urls == [URL, OTHER]
        assert first == second == await pages.fetch(FetchRequest(url=URL))


async def test_a_request_that_is_given_up_leaves_the_document_to_the_one_behind_it(
    tmp_path: Path,
) -> None:
    server = CountingServer()
    with _journal(tmp_path) as journal:
        pages = JournalledFetcher(server, journal, "page")
        first, *behind = (asyncio.create_task(pages.fetch(FetchRequest(url=URL))) for _ in range(3))
        await asyncio.sleep(0)
        first.cancel()
        server.may_answer.set()
        answers = await asyncio.gather(*behind)
        with pytest.raises(asyncio.CancelledError):
            await first
        assert server.urls == [URL, URL]
        assert {answer.body for answer in answers if isinstance(answer, FetchResponse)} == {b"2"}


async def test_a_confirmation_answers_only_those_who_have_the_page(tmp_path: Path) -> None:
    def answer(request: FetchRequest) -> FetchResponse:
        return fake.response(request.url, status=304 if request.etag else 200)

    fake = FakeFetcher({URL: answer})
    conditional, plain = FetchRequest(url=URL, etag='"e"'), FetchRequest(url=URL)
    with _journal(tmp_path) as journal:
        pages = JournalledFetcher(fake, journal, "page")
        run = [await pages.fetch(request) for request in (conditional, plain)]
        again = JournalledFetcher(fake, journal, "page")
        assert again.has(URL)
        replay = [await again.fetch(request) for request in (conditional, plain)]
    assert [entry.status for entry in run if isinstance(entry, FetchResponse)] == [304, 200]
    assert replay == run
    assert len(fake.requests) == 2
