"""Which addresses a name may lead to."""

import socket

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
)
from webmine_assets_tests.crawl.network.fetching import open_fetcher
from webmine_assets_tests.hostile import HostileSite


@pytest.mark.parametrize(
    "spelling", ["127.0.0.2", "2130706434", "0x7f.2", "0177.0.0.2", "[::ffff:7f00:2]"]
)
async def test_no_spelling_of_an_address_reaches_a_listening_neighbour(spelling: str) -> None:
    async with HostileSite(address="127.0.0.2") as canary, open_fetcher() as fetcher:
        outcome = await fetcher.fetch(FetchRequest(url=f"http://{spelling}:{canary.port}/ok"))
        assert isinstance(outcome, FetchFailure)
        assert outcome.reason is FetchReason.BLOCKED_ADDRESS
        assert canary.connections == 0


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
