"""Answers that break or bend the protocol: time, length, framing, coding, redirects."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator
from functools import cache, partial
from itertools import count

import brotli
import zstandard

from webmine_assets_tests.hostile.exchange import HTML, Exchange, Handler, page, prose

MEGABYTE = 1_000_000
BOMB_MEGABYTES = 100

PRIVATE_TARGETS = {
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "private": "http://10.0.0.1/",
    "decimal": "http://167772161/",
    "octal": "http://012.0.0.1/",
    "hex": "http://0x0a000001/",
    "short": "http://10.1/",
    "mapped": "http://[::ffff:10.0.0.1]/",
    "nat64": "http://[64:ff9b::a00:1]/",
    "sixtofour": "http://[2002:a00:1::]/",
    "unique-local": "http://[fd00::1]/",
    "unspecified": "http://0.0.0.0/",
    "shared": "http://100.64.0.1/",
    "multicast": "http://224.0.0.1/",
    "fullwidth": "http://１０.0.0.1/",
}
ODD_TARGETS = {
    "file": "file:///etc/passwd",
    "script": "javascript:alert(1)",
    "ftp": "ftp://127.0.0.1/",
    "no-host": "http://",
    "broken": "http://[::1",
    "bad-port": "http://127.0.0.1:99999/",
    "empty": "",
}


async def _slow_body(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", "1000000"))
    while True:
        await exchange.write(b"x")
        await asyncio.sleep(0.02)


async def _stalled_body(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", "1000"))
    await exchange.write(b"x" * 500)
    await asyncio.sleep(3600)
    return False


async def _no_response(exchange: Exchange) -> bool:
    await asyncio.sleep(3600)
    return False


async def _closed_at_once(exchange: Exchange) -> bool:
    return False


async def _endless_headers(exchange: Exchange) -> bool:
    await exchange.write(b"HTTP/1.1 200 OK\r\n")
    for number in count():
        await exchange.write(b"X-%d: %s\r\n" % (number, b"y" * 100))
    return False


async def _long_header(exchange: Exchange) -> bool:
    await exchange.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        await exchange.write(b"y" * 10_000)


async def _slow_headers(exchange: Exchange) -> bool:
    await exchange.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        await exchange.write(b"z")
        await asyncio.sleep(0.02)


async def _endless_continue(exchange: Exchange) -> bool:
    while True:
        await exchange.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


async def _endless_trailers(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    await exchange.write(b"4\r\nbody\r\n0\r\n")
    while True:
        await exchange.write(b"X-Trailer: %s\r\n" % (b"y" * 100))


async def _endless_chunk_extension(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    await exchange.write(b"4;")
    while True:
        await exchange.write(b"e" * 10_000)


async def _filler(pieces: int | None) -> AsyncIterator[bytes]:
    for _ in range(pieces) if pieces is not None else count():
        yield b"<p>filler</p>" * 5_000


async def _endless_body(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    await exchange.chunks(_filler(None))
    return False


async def _huge_page(exchange: Exchange) -> bool:
    size = 100 * MEGABYTE
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", str(size)))
    for _ in range(100):
        await exchange.write(b"x" * MEGABYTE)
    return False


async def _huge_unannounced(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Connection", "close"))
    for _ in range(100):
        await exchange.write(b"x" * MEGABYTE)
    return False


async def _short_of_length(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", "10000"))
    await exchange.write(page("Short", prose("short", 2)))
    return False


async def _over_length(exchange: Exchange) -> bool:
    await exchange.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>and much more")
    return False


async def _senseless_length(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", "many"))
    await exchange.write(b"<html>")
    return False


async def _truncated_chunked(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    await exchange.chunks(_filler(1))
    return False


async def _senseless_chunk(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    await exchange.write(b"zz\r\nnot a chunk\r\n")
    return False


async def _garbage(exchange: Exchange) -> bool:
    await exchange.write(b"\x00\x01\x02 this is not HTTP\r\n\r\n")
    return False


async def _reset_mid_body(exchange: Exchange) -> bool:
    await exchange.head("200 OK", ("Content-Type", HTML), ("Content-Length", "100000"))
    await exchange.write(b"x" * 1000)
    await asyncio.sleep(0.05)
    exchange.reset()
    return False


async def _truncated_gzip(exchange: Exchange) -> None:
    whole = gzip.compress(page("Cut", prose("gzip", 200)))
    await exchange.send(whole[: len(whole) // 2], ("Content-Encoding", "gzip"))


async def _broken_gzip(exchange: Exchange) -> None:
    await exchange.send(b"this was never compressed", ("Content-Encoding", "gzip"))


async def _unknown_coding(exchange: Exchange) -> None:
    await exchange.send(b"\x00\x01", ("Content-Encoding", "rot13"))


@cache
def bomb(coding: str) -> bytes:
    """100 MB of zeros in one content coding."""
    if coding == "nested":
        return gzip.compress(bomb("gzip"))
    zeros = b"\0" * (BOMB_MEGABYTES * MEGABYTE)
    if coding == "br":
        return bytes(brotli.compress(zeros, quality=1))
    if coding == "zstd":
        return zstandard.compress(zeros)
    stream = zlib.compressobj(1, wbits=31 if coding == "gzip" else 15)
    return stream.compress(zeros) + stream.flush()


async def _bomb(coding: str, exchange: Exchange) -> None:
    name = "gzip, gzip" if coding == "nested" else coding
    body = await asyncio.to_thread(bomb, coding)
    await exchange.send(body, ("Content-Encoding", name))


async def _coded(coding: str, exchange: Exchange) -> None:
    body = page(f"Coded {coding}", prose(f"{coding} coding"))
    coded = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstandard.compress,
    }[coding](body)
    await exchange.send(coded, ("Content-Encoding", coding))


async def _to(location: str, exchange: Exchange) -> None:
    await exchange.send(b"", ("Location", location.encode().decode("latin-1")), status="302 Found")


async def _bare_redirect(exchange: Exchange) -> None:
    await exchange.send(b"moved, somewhere", status="301 Moved Permanently")


async def _chain(exchange: Exchange) -> None:
    left = int(exchange.path.rsplit("/", 1)[1])
    if left:
        await exchange.redirect(f"{left - 1}", "301 Moved Permanently")
    else:
        await exchange.send(page("End of the chain", prose("chain")))


async def _forever(exchange: Exchange) -> None:
    step = int(exchange.path.rsplit("/", 1)[1])
    await exchange.redirect(f"/forever/{step + 1}")


async def _busy(status: str, retry_after: str, exchange: Exchange) -> None:
    await exchange.send(b"busy", ("Retry-After", retry_after), status=status)


async def _busy_once(exchange: Exchange) -> None:
    if exchange.visit == 1:
        await _busy("503 Service Unavailable", "0", exchange)
    else:
        await exchange.send(page("Back again", prose("patience")))


async def _status(status: str, body: bytes, exchange: Exchange) -> None:
    await exchange.send(body, status=status)


async def _unasked_part(exchange: Exchange) -> None:
    await exchange.send(
        b"<p>only a part", ("Content-Range", "bytes 0-13/9999"), status="206 Partial Content"
    )


WIRE: dict[str, Handler] = {
    "/wire/slow-body": _slow_body,
    "/wire/stalled-body": _stalled_body,
    "/wire/no-response": _no_response,
    "/wire/closed-at-once": _closed_at_once,
    "/wire/endless-headers": _endless_headers,
    "/wire/long-header": _long_header,
    "/wire/slow-headers": _slow_headers,
    "/wire/endless-continue": _endless_continue,
    "/wire/endless-trailers": _endless_trailers,
    "/wire/endless-chunk-extension": _endless_chunk_extension,
    "/wire/endless-body": _endless_body,
    "/wire/huge-page": _huge_page,
    "/wire/huge-unannounced": _huge_unannounced,
    "/wire/short-of-length": _short_of_length,
    "/wire/over-length": _over_length,
    "/wire/senseless-length": _senseless_length,
    "/wire/truncated-chunked": _truncated_chunked,
    "/wire/senseless-chunk": _senseless_chunk,
    "/wire/garbage": _garbage,
    "/wire/reset-mid-body": _reset_mid_body,
    "/wire/truncated-gzip": _truncated_gzip,
    "/wire/broken-gzip": _broken_gzip,
    "/wire/unknown-coding": _unknown_coding,
    **{
        f"/bomb/{coding}": partial(_bomb, coding)
        for coding in ("gzip", "deflate", "br", "zstd", "nested")
    },
    **{f"/coded/{coding}": partial(_coded, coding) for coding in ("gzip", "deflate", "br", "zstd")},
    "/loop/a": partial(_to, "/loop/b"),
    "/loop/b": partial(_to, "/loop/a"),
    "/loop/self": partial(_to, "/loop/self"),
    "/redirect/bare": _bare_redirect,
    **{f"/to/{name}": partial(_to, url) for name, url in (PRIVATE_TARGETS | ODD_TARGETS).items()},
    **{f"/chain/{length}": _chain for length in range(31)},
    "/busy/429": partial(_busy, "429 Too Many Requests", "1"),
    "/busy/503": partial(_busy, "503 Service Unavailable", "Thu, 01 Jan 2026 00:00:02 GMT"),
    "/busy/long": partial(_busy, "429 Too Many Requests", "86400"),
    "/busy/once": _busy_once,
    "/status/500": partial(_status, "500 Internal Server Error", b"broken"),
    "/status/204": partial(_status, "204 No Content", b""),
    "/status/206": _unasked_part,
    "/status/404": partial(_status, "404 Not Found", b"not here"),
}
WIRE_PREFIXES: dict[str, Handler] = {"/forever/": _forever}
