"""The guarded door to the network for work outside a crawl: feeds and files to import."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from webmine_assets.crawl.exchange import FetchFailure, FetchRequest
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.network.fetcher import FetchLimits, HttpFetcher, user_agent
from webmine_assets.crawl.network.guard import Guard
from webmine_assets.crawl.network.politeness import Politeness, PolitenessLimits
from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import Fetch, Fetched
from webmine_assets.institutions import Institution
from webmine_assets.settings import Settings

_MAX_FILE_BYTES = 1_000_000_000
"""A WARC file of 5,000 stories is about that large."""


@contextmanager
def guarded_fetch(
    institution: Institution, settings: Settings, *, max_bytes: int = _MAX_FILE_BYTES
) -> Iterator[Fetch]:
    """Fetches for one institution, with its politeness and its allowed networks."""
    clock = SystemClock()
    delay_s = institution.politeness.delay_ms / 1000
    fetcher = HttpFetcher(
        guard=Guard(institution.allow_networks),
        politeness=Politeness(PolitenessLimits(delay_s=delay_s), clock),
        clock=clock,
        user_agent=user_agent(settings.contact),
        limits=FetchLimits(max_body_bytes=max_bytes, total_s=600),
    )
    with asyncio.Runner() as runner:
        runner.run(fetcher.__aenter__())
        try:
            yield lambda url, headers: runner.run(_fetch(fetcher, url, headers))
        finally:
            runner.run(fetcher.__aexit__(None, None, None))


async def _fetch(fetcher: HttpFetcher, url: str, headers: Mapping[str, str]) -> Fetched:
    answer = await fetcher.fetch(FetchRequest(url=url, headers=dict(headers)))
    if isinstance(answer, FetchFailure):
        raise ImportSourceError(f"{url} cannot be fetched: {answer.reason}: {answer.detail}")
    return Fetched(url=answer.url, status=answer.status, headers=answer.headers, body=answer.body)
