"""The HTTP message inside a response record: written plainly, read tolerantly, coding undone."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import brotli  # type: ignore[import-untyped]  # ships no types
import zstandard

from webmine_assets.reading.headers import joined

# The stored body has no coding and its own length, so these would be untrue.
# Cookies were set for the crawler and are nobody else's business.
_DROPPED = frozenset(
    {"content-type", "content-length", "content-encoding", "transfer-encoding", "content-md5"}
    | {"connection", "keep-alive", "trailer", "upgrade", "te", "proxy-authenticate", "set-cookie"}
)
_MAX_HEADER_BYTES = 64 * 1024
# One is usual, two happen behind careless proxies; each costs a whole pass over the body.
_MAX_CODINGS = 5
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,16}")
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpMessage:
    """A response as read from a record; `problem` says why a body is as it was stored, or short."""

    status: int | None
    headers: dict[str, str]
    body: bytes
    problem: str | None = None


def format_message(
    body: bytes,
    *,
    status: int | None,
    content_type: str,
    encoding: str | None,
    headers: dict[str, str],
) -> bytes:
    """The block of a response record; the reason phrases are those Media Cloud writes."""
    lines = [f"HTTP/1.0 {'200 OK' if status == 200 else f'{status or 0} HUH?'}"]
    lines.append(f"Content-Type: {_content_type(content_type, encoding)}")
    lines.append(f"Content-Length: {len(body)}")
    lines.extend(_kept(headers.items()))
    return "\r\n".join(lines).encode("utf-8", "replace") + b"\r\n\r\n" + body


def _content_type(content_type: str, encoding: str | None) -> str:
    kind = one_line(content_type) or "text/html"
    if not encoding or not (kind.startswith("text/") or kind in _HTML):
        return kind
    # Media Cloud appends `encoding`; browsers that replay the page look for `charset`.
    return f"{kind}; charset={one_line(encoding)}; encoding={one_line(encoding)}"


def _kept(headers: Iterable[tuple[str, str]]) -> Iterable[str]:
    budget = _MAX_HEADER_BYTES // 2
    for name, value in headers:
        line = f"{one_line(name)}: {one_line(value)}"
        budget -= len(line)
        if budget < 0:
            return
        if name.lower() not in _DROPPED and _is_token(name):
            yield line


def _is_token(name: str) -> bool:
    return (
        bool(name) and name.isascii() and all(c.isalnum() or c in "-_.!#$%&'*+^`|~" for c in name)
    )


def one_line(value: str) -> str:
    """A header value that cannot start another header."""
    return " ".join(value.split())


def http_head_size(data: bytes | bytearray, start: int, end: int) -> int:
    """The length of the HTTP response head at `start`, with its blank line; 0 if there is none.

    Lines may end with LF only.
    """
    return head_size(data, start, end) if data.startswith(b"HTTP/", start) else 0


def head_size(data: bytes | bytearray, start: int, end: int) -> int:
    """The length of header lines at `start`, with the blank line that ends them; 0 if none does."""
    limit = min(end, start + _MAX_HEADER_BYTES)
    at = data.find(b"\r\n\r\n", start, limit)
    bare = data.find(b"\n\n", start, at if at >= 0 else limit)
    if bare >= 0:
        return bare + 2 - start
    return at + 4 - start if at >= 0 else 0


def parse_fields(head: bytes) -> dict[str, str]:
    """Header lines by lower-case name; folded lines are joined, of repeated ones all are kept."""
    fields: dict[str, str] = {}
    name = ""
    # Not splitlines: to it a form feed or U+2028 inside a value ends a line.
    for line in head.decode("utf-8", "replace").split("\n"):
        if line[:1] in (" ", "\t") and name:
            fields[name] = f"{fields[name]} {line.strip()}".strip()
            continue
        raw_name, colon, value = line.partition(":")
        name = raw_name.strip().lower() if colon else ""
        if name:
            text = value.strip()
            fields[name] = joined(name, fields[name], text) if name in fields else text
    return fields


def parse_message(head: bytes, body: bytes, max_body_bytes: int) -> HttpMessage:
    """A response with transfer and content coding undone, within `max_body_bytes`."""
    if not head:
        return HttpMessage(status=None, headers={}, body=body, problem="not an HTTP message")
    head, body = _without_interim(head, body)
    status_line, _, rest = head.partition(b"\n")
    status = _status(status_line)
    headers = parse_fields(rest)
    decoded, problem = _decode_body(body, headers, max_body_bytes)
    return HttpMessage(status=status, headers=headers, body=decoded, problem=problem)


def _without_interim(head: bytes, body: bytes) -> tuple[bytes, bytes]:
    """The final response: `100 Continue` and the like precede it where crawlers stored them."""
    at = 0
    while (_status(head.partition(b"\n")[0]) or 200) < 200:
        size = http_head_size(body, at, len(body))
        if not size:
            break
        head, at = body[at : at + size], at + size
    return head, body[at:] if at else body


def _status(line: bytes) -> int | None:
    words = line.split()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() and len(words[1]) == 3 else None


def _decode_body(
    body: bytes, headers: dict[str, str], max_body_bytes: int
) -> tuple[bytes, str | None]:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = dechunk(body)
    named = [c.strip().lower() for c in headers.get("content-encoding", "").split(",")]
    codings = [c for c in named if c and c != "identity"]
    if len(codings) > _MAX_CODINGS:
        return body, f"content-encoding: more than {_MAX_CODINGS} codings"
    for coding in reversed(codings):
        try:
            decoded, is_whole = _decode(body, coding, max_body_bytes)
        except (zlib.error, brotli.error, zstandard.ZstdError, ValueError) as problem:
            # Some writers undo the coding and keep the header: then the bytes are right already.
            return body, f"content-encoding {coding}: {problem}"
        if not is_whole:
            return decoded or body, f"content-encoding {coding}: the data ends early"
        body = decoded
    return body, None


def dechunk(body: bytes) -> bytes:
    """Undo chunked transfer coding; a body that is not really chunked comes back unchanged."""
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        line_end = body.find(b"\n", at, at + 128)
        digits = body[at:line_end].split(b";")[0].strip() if line_end >= 0 else b""
        if not _CHUNK_SIZE.fullmatch(digits):
            return b"".join(parts) if parts else body
        size = int(digits, 16)
        if size == 0:
            break
        parts.append(body[line_end + 1 : line_end + 1 + size])
        at = line_end + 1 + size
        at += 2 if body[at : at + 2] == b"\r\n" else 1
    return b"".join(parts)


def _decode(body: bytes, coding: str, limit: int) -> tuple[bytes, bool]:
    """A body with one coding undone, and whether the coded data had its end."""
    if coding in ("gzip", "x-gzip", "deflate"):
        return _inflate(body, coding, limit)
    if coding == "br":
        decoder = brotli.Decompressor()
        data = _bounded(decoder.process(body, output_buffer_limit=limit + 1), limit)
        return data, decoder.is_finished()
    if coding == "zstd":
        with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
            data = _bounded(reader.read(limit + 1), limit)
        # This reader tells nothing of a frame that is cut off, unless nothing came of it.
        return data, bool(data) or not body
    raise ValueError("unknown coding")


def _inflate(body: bytes, coding: str, limit: int) -> tuple[bytes, bool]:
    # 47: zlib or gzip by its header; bare deflate, which some servers send, has neither.
    # The first two bytes of a zlib stream are a multiple of 31 (RFC 1950, 2.2).
    bare = coding == "deflate" and (len(body) < 2 or int.from_bytes(body[:2], "big") % 31)
    parts: list[bytes] = []
    size = 0
    while True:
        inflater = zlib.decompressobj(-15 if bare else 47)
        parts.append(_bounded(inflater.decompress(body, limit + 1 - size), limit - size))
        size += len(parts[-1])
        body = inflater.unused_data
        # RFC 1952 allows several members, one after the other; what else follows is padding.
        if not body.startswith(_GZIP_MAGIC):
            return b"".join(parts), inflater.eof


def _bounded(data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise ValueError("more bytes than allowed when decoded")
    return data
