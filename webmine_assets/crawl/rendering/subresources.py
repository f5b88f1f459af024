"""Scripts and data that pages load: fetched once a crawl, kept within a byte limit."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Mapping

from webmine_assets.crawl.exchange import Fetcher, FetchFailure, FetchRequest, FetchResponse

_Outcome = FetchResponse | FetchFailure
_Key = tuple[str, tuple[tuple[str, str], ...]]

# What an entry costs besides its body (URL, headers, bookkeeping); failures are all overhead.
_ENTRY_OVERHEAD_BYTES = 2_000
_FORGIVEN_FAILURES = 1
# They tell the asking page, not the resource.
_IGNORED_IN_KEY = frozenset({"accept", "referer"})


class SubresourceCache:
    """A fetcher in front of the fetcher: each resource is asked for once, by one request.

    A failure that may pass is tried once more by the next page; after that it is remembered, so
    that a dead host does not delay every page.
    """

    def __init__(self, fetcher: Fetcher, *, max_bytes: int) -> None:
        self._fetcher = fetcher
        self._max_bytes = max_bytes
        self._kept: OrderedDict[_Key, _Outcome] = OrderedDict()
        self._kept_bytes = 0
        self._under_way: dict[_Key, asyncio.Task[_Outcome]] = {}
        self._failures: Counter[_Key] = Counter()

    def has(self, request: FetchRequest) -> bool:
        return _key(request) in self._kept

    async def fetch(self, request: FetchRequest) -> _Outcome:
        key = _key(request)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.create_task(self._fetch_and_keep(key, request))
            self._under_way[key] = task
        # The page that asked first may be closed; the others still wait for this fetch.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Stop the fetches that no page waits for any more."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _fetch_and_keep(self, key: _Key, request: FetchRequest) -> _Outcome:
        try:
            outcome = await self._fetcher.fetch(request)
        finally:
            self._under_way.pop(key, None)
        if self._is_final(key, outcome):
            self._keep(key, outcome)
        return outcome

    def _is_final(self, key: _Key, outcome: _Outcome) -> bool:
        if isinstance(outcome, FetchFailure):
            may_pass = outcome.retryable
        else:
            may_pass = outcome.status == 429 or outcome.status >= 500
        if not may_pass:
            return True
        self._failures[key] += 1
        return self._failures[key] > _FORGIVEN_FAILURES

    def _keep(self, key: _Key, outcome: _Outcome) -> None:
        if _size(outcome) > self._max_bytes:
            return
        self._kept[key] = outcome
        self._kept_bytes += _size(outcome)
        while self._kept_bytes > self._max_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= _size(dropped)


def _key(request: FetchRequest) -> _Key:
    return request.url, _telling_headers(request.headers)


def _telling_headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((k, v) for k, v in headers.items() if k not in _IGNORED_IN_KEY))


def _size(outcome: _Outcome) -> int:
    body = len(outcome.body) if isinstance(outcome, FetchResponse) else 0
    return body + _ENTRY_OVERHEAD_BYTES
