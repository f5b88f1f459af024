"""One request to the hostile site and the raw ways to answer it."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and the wire back; `origin` is the site's own, as in http://127.0.0.1:1234."""

    raw_path: str
    headers: dict[str, str]
    origin: str
    visit: int
    writer: asyncio.StreamWriter

    @property
    def path(self) -> str:
        return urlsplit(self.raw_path).path

    @property
    def query(self) -> dict[str, str]:
        return {key: values[0] for key, values in parse_qs(urlsplit(self.raw_path).query).items()}

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: str, *fields: tuple[str, str]) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields)]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def send(
        self,
        body: bytes,
        *fields: tuple[str, str],
        status: str = "200 OK",
        content_type: str | None = HTML,
    ) -> None:
        """A well-formed answer."""
        kind = (("Content-Type", content_type),) if content_type else ()
        await self.head(status, *kind, ("Content-Length", str(len(body))), *fields)
        await self.write(body)

    async def redirect(self, location: str, status: str = "302 Found") -> None:
        await self.send(b"", ("Location", location), status=status)

    async def chunks(self, pieces: AsyncIterator[bytes]) -> None:
        """A chunked body without its end."""
        async for piece in pieces:
            await self.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def reset(self) -> None:
        """Ends the connection with RST instead of FIN."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler = Callable[[Exchange], Awaitable[bool | None]]
"""Returns False when the connection must be closed after it."""


def page(title: str, inner: str, *, lang: str = "en") -> bytes:
    return (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">'
        f"<title>{title}</title></head>"
        f"<body><main><h1>{title}</h1>{inner}</main></body></html>"
    ).encode()


def prose(topic: str, sentences: int = 12) -> str:
    """Text long enough to pass a minimum length, different for each topic."""
    lines = (
        f"The {topic} department keeps record number {number} of its {topic} collection open to "
        f"every visitor who asks for it in writing."
        for number in range(sentences)
    )
    return f"<p>{' '.join(lines)}</p>"
