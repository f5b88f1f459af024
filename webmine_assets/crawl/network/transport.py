"""One HTTP exchange through the guarded connector: time limits, caps, headers and decoded body."""

from dataclasses import dataclass
from types import TracebackType
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver
from multidict import CIMultiDictProxy
from yarl import URL

from webmine_assets.crawl.exchange import FetchReason, FetchRequest
from webmine_assets.crawl.network.clock import Clock
from webmine_assets.crawl.network.decoding import ACCEPT_ENCODING, BodyDecoder, BodyError
from webmine_assets.crawl.network.guard import Guard, guarded_connector
from webmine_assets.crawl.network.redirect import REDIRECT_STATUSES
from webmine_assets.reading.headers import joined

_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8"
# 204 and 304 have no body (RFC 9110, 6.4.1); a redirect's says nothing that Location does not.
_BODILESS = REDIRECT_STATUSES | {204, 304}
_FIRST_ERROR = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """What one fetch may cost. `total_s` is the time of all its hops, without polite waiting."""

    total_s: float = 60.0
    connect_s: float = 10.0
    idle_s: float = 20.0
    max_body_bytes: int = 10_000_000
    max_redirects: int = 5
    max_header_bytes: int = 32_768
    max_headers: int = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """One hop's response; the body of a redirect is not read."""

    status: int
    headers: dict[str, str]
    body: bytes
    wire_bytes: int
    latency_s: float


class HttpTransport:
    """Keeps connections, never cookies; follows nothing. Errors are those of the HTTP client."""

    def __init__(
        self,
        *,
        guard: Guard,
        clock: Clock,
        user_agent: str,
        limits: FetchLimits,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._guard = guard
        self._clock = clock
        self._limits = limits
        self._resolver = resolver
        self._headers = {
            "User-Agent": user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        self._open: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._open = aiohttp.ClientSession(
            connector=guarded_connector(self._guard, self._resolver),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            auto_decompress=False,
            max_line_size=self._limits.max_header_bytes,
            max_field_size=self._limits.max_header_bytes,
            max_headers=self._limits.max_headers,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.session.close()
        self._open = None

    @property
    def session(self) -> aiohttp.ClientSession:
        if self._open is None:
            raise RuntimeError("used outside its `async with`")
        return self._open

    async def exchange(self, request: FetchRequest, url: str, spent_s: float) -> Answer:
        """Ask for `url` on behalf of `request`, whose earlier hops took `spent_s`."""
        started = self._clock.now()
        async with self.session.get(
            # Encoded as the URL parser left it: yarl would quote anew and ask for another URL.
            URL(url, encoded=True),
            headers=_conditions(request),
            # Scope, robots.txt and politeness are asked before each hop.
            allow_redirects=False,
            timeout=self._timeout(spent_s),
        ) as response:
            latency_s = self._clock.now() - started
            headers = _flat_headers(response.headers)
            if response.status in _BODILESS:
                return Answer(response.status, headers, b"", 0, latency_s)
            body, wire_bytes = await self._read_body(request, response, headers)
            return Answer(response.status, headers, body, wire_bytes, latency_s)

    def _timeout(self, spent_s: float) -> aiohttp.ClientTimeout:
        return aiohttp.ClientTimeout(
            # Zero would mean no limit.
            total=max(self._limits.total_s - spent_s, 0.001),
            connect=self._limits.connect_s,
            sock_connect=self._limits.connect_s,
            sock_read=self._limits.idle_s,
        )

    async def _read_body(
        self, request: FetchRequest, response: aiohttp.ClientResponse, headers: dict[str, str]
    ) -> tuple[bytes, int]:
        """The decoded body and its size on the wire; an error page may be cut, it is not stored."""
        cap = request.max_body_bytes or self._limits.max_body_bytes
        truncate = request.truncate_body or response.status >= _FIRST_ERROR
        declared = response.content_length
        if declared is not None and declared > cap and not truncate:
            raise BodyError(FetchReason.BODY_SIZE, f"{declared} bytes announced, {cap} allowed")
        coding = headers.get("content-encoding", "")
        decoder = BodyDecoder(coding, max_body_bytes=cap, truncate=truncate)
        content = response.content
        while not decoder.is_full and (chunk := await content.readany()):
            decoder.feed(chunk)
        if decoder.is_full:
            response.close()
        return decoder.finish(), decoder.wire_bytes


def _conditions(request: FetchRequest) -> dict[str, str] | None:
    if not (request.etag or request.last_modified or request.headers):
        return None
    headers = dict(request.headers)
    if request.etag:
        headers["If-None-Match"] = request.etag
    if request.last_modified:
        headers["If-Modified-Since"] = request.last_modified
    return headers


def _flat_headers(raw: CIMultiDictProxy[str]) -> dict[str, str]:
    """Lower-case names; repeated fields joined by commas; text that any store can hold."""
    headers: dict[str, str] = {}
    for name, value in raw.items():
        key = name.lower()
        text = value if value.isascii() else _storable(value)
        headers[key] = joined(key, headers[key], text) if key in headers else text
    return headers


def _storable(value: str) -> str:
    # aiohttp keeps undecodable bytes as surrogates, which UTF-8 cannot write.
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
