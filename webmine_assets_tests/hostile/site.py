"""The server of the hostile site: raw asyncio on a loopback address and a port of its own."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Self

from webmine_assets_tests.hostile.exchange import Exchange, Handler
from webmine_assets_tests.hostile.pages import PAGE_PREFIXES, PAGES, hub
from webmine_assets_tests.hostile.wire import WIRE, WIRE_PREFIXES

Robots = Literal[
    "rules",
    "absent",
    "huge",
    "500",
    "503",
    "429",
    "403",
    "redirecting",
    "looping",
    "leaving",
    "hanging",
]
TLS_HANDSHAKE = b"\x16"
RULES = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 0\nSitemap: %s/sitemap.xml\n"


class HostileSite:
    """Serves while its `async with` lasts; `log` has every path that was asked for."""

    def __init__(
        self,
        robots: Robots = "rules",
        *,
        address: str = "127.0.0.1",
        observe: Callable[[dict[str, str]], None] | None = None,
    ) -> None:
        self.log: list[str] = []
        self.connections = 0
        self._observe = observe
        self.robots = robots
        self._address = address
        self._visits: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.paths = (*PAGES, *WIRE, "/forever/0", "/private/page", "/missing")
        self._handlers: dict[str, Handler] = {**PAGES, **WIRE, "/": hub(self.paths)}
        self._prefixes = PAGE_PREFIXES | WIRE_PREFIXES

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, self._address, 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def origin(self) -> str:
        return f"http://{self._address}:{self.port}"

    def url(self, path: str) -> str:
        return f"{self.origin}{path}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            # A client that leaves in the middle is the point of most pages.
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._serve(reader, writer):
                    pass
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first_byte = await reader.readexactly(1)
        if first_byte == TLS_HANDSHAKE:
            writer.write(b"HTTP/1.1 400 Plain HTTP Only\r\n\r\n")
            return False
        request = (first_byte + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = request.rstrip().split("\r\n")
        raw_path = first.split(" ")[1]
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        self.log.append(raw_path)
        if self._observe is not None:
            self._observe(headers)
        path = raw_path.partition("?")[0]
        self._visits[path] += 1
        exchange = Exchange(
            raw_path=raw_path,
            headers=headers,
            origin=self.origin,
            visit=self._visits[path],
            writer=writer,
        )
        return await self._handler(path)(exchange) is not False

    def _handler(self, path: str) -> Handler:
        if path.startswith("/robots.txt"):
            return self._robots_txt
        handler = self._handlers.get(path)
        if handler is not None:
            return handler
        for prefix, prefix_handler in self._prefixes.items():
            if path.startswith(prefix):
                return prefix_handler
        return _missing

    async def _robots_txt(self, exchange: Exchange) -> None:
        rules = RULES % self.origin.encode()
        match self.robots:
            case "hanging":
                await asyncio.sleep(3600)
            case "redirecting" if exchange.path == "/robots.txt":
                await exchange.redirect("/robots.txt-moved")
            case "looping":
                await exchange.redirect("/robots.txt")
            case "leaving":
                await exchange.redirect("http://169.254.169.254/robots.txt")
            case "absent":
                await _missing(exchange)
            case "403" | "429" | "500" | "503":
                await exchange.send(b"User-agent: *\nAllow: /\n", status=f"{self.robots} No")
            case "huge":
                filler = b"# filler\n" * 600_000
                late = b"Disallow: /ok\n"
                await exchange.send(rules + filler + late, content_type="text/plain")
            case _:
                await exchange.send(rules, content_type="text/plain")


async def _missing(exchange: Exchange) -> None:
    await exchange.send(b"no such page", status="404 Not Found")
