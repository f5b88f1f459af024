"""WARC records as such: how one is written, and how a file of them is read to the damage.

Knows nothing of stories or HTTP.
"""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO
from urllib.parse import quote
from uuid import uuid4

from webmine_assets.archive.gzipping import (
    MAGIC,
    DamagedMemberError,
    Piece,
    inflate_members,
    plain_pieces,
)
from webmine_assets.archive.message import http_head_size, one_line, parse_fields
from webmine_assets.errors import ArchiveError

MAX_BLOCK_BYTES = 64 * 1024 * 1024
_MAX_HEAD_BYTES = 64 * 1024
_BLANK_BYTES = 4 * 1024
# A frame, or the skippable frame with a dictionary that WARC files in zstandard begin with (IIPC).
_ZSTD = (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18")
_ALGORITHMS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "md5": hashlib.md5}
_END = b"\r\n\r\n"
# A header line holds a URI, not an IRI: spaces and what is not ASCII are escaped, all else stays.
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WarcRecord:
    """One record; `body` is None if its block was larger than the reader's limit.

    `http_head` is the head of a block that is an HTTP message, with its blank line; else empty.

    `offset` and `length` are bytes of the file as stored; where one gzip member holds several
    records they are those of the member.
    """

    offset: int
    length: int
    version: str
    headers: dict[str, str]
    http_head: bytes
    body: bytes | None

    @property
    def block(self) -> bytes | None:
        return None if self.body is None else self.http_head + self.body

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "").lower()

    @property
    def record_id(self) -> str:
        return self.headers.get("warc-record-id", "")

    @property
    def target_uri(self) -> str:
        # WARC 1.0's grammar put angle brackets around URIs, and wget did so.
        return self.headers.get("warc-target-uri", "").strip("<>")

    @property
    def date(self) -> datetime | None:
        return parse_date(self.headers.get("warc-date", ""))


def new_record_id() -> str:
    return f"<urn:uuid:{uuid4()}>"


def sha1_digest(data: bytes) -> str:
    """`sha1:` and base 32, as WARC tools write it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def digest_matches(wanted: str, data: bytes) -> bool:
    """Whether a digest in base 32 or hexadecimal is that of the data; unknown ones are taken."""
    algorithm, _, value = wanted.partition(":")
    make = _ALGORITHMS.get(algorithm.strip().lower().replace("-", ""))
    if make is None:
        return True
    digest = make(data, usedforsecurity=False).digest()
    spellings = (digest.hex(), base64.b32encode(digest).decode().lower())
    return value.strip().lower() in (*spellings, spellings[1].rstrip("="))


def format_date(moment: datetime) -> str:
    """UTC to the second: WARC 1.0 has no fractions."""
    # Not strftime: its %Y has fewer than four digits before the year 1000, and such dates exist.
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def parse_date(value: str) -> datetime | None:
    """A WARC-Date of 1.0 or 1.1, in UTC; None if it is not one."""
    try:
        moment = datetime.fromisoformat(value.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # an offset may lead past the year 9999
        return None


def escape_uri(uri: str) -> str:
    """A URI without spaces, control characters and what is not ASCII."""
    return quote(uri, safe=_PRINTABLE, errors="replace")


def format_record(headers: list[tuple[str, str]], block: bytes) -> bytes:
    """The bytes of one WARC 1.0 record; its block digest and length are added here."""
    lines = ["WARC/1.0", *(f"{name}: {one_line(value)}" for name, value in headers)]
    lines.append(f"WARC-Block-Digest: {sha1_digest(block)}")
    lines.append(f"Content-Length: {len(block)}")
    return b"".join(("\r\n".join(lines).encode("utf-8", "replace"), _END, block, _END))


def read_records(
    stream: BinaryIO, name: str, *, max_block_bytes: int = MAX_BLOCK_BYTES
) -> Iterator[WarcRecord]:
    """Every whole record in order; then `ArchiveError` with the offset if the file is damaged."""
    tape = _Tape(stream, name)
    while tape.has_more():
        yield _read_record(tape, max_block_bytes)
    if tape.damage:
        raise tape.damage


def _read_record(tape: "_Tape", max_block_bytes: int) -> WarcRecord:
    start = tape.offset
    version, _, rest = tape.take_head(start).partition(b"\n")
    headers = parse_fields(rest)
    size = headers.get("content-length", "")
    if not (size.isascii() and size.isdigit() and len(size) < 16):
        raise ArchiveError(tape.name, f"a record with Content-Length {size!r}", offset=start)
    head, body = _take_block(tape, int(size), start, keep=int(size) <= max_block_bytes)
    tape.has_more()
    if tape.damage and tape.damage.offset == start:
        raise tape.damage  # the check sum at the end of this record's own member is wrong
    return WarcRecord(
        offset=start,
        length=tape.offset - start,
        version=version.strip().decode("ascii", "replace"),
        headers=headers,
        http_head=head,
        body=body,
    )


def _take_block(tape: "_Tape", size: int, start: int, *, keep: bool) -> tuple[bytes, bytes | None]:
    """A block in two: the head of its HTTP message, if it is one, and the rest.

    Taken apart here, since cutting a page out of its block later copies it once more: a tenth of
    the time of reading.
    """
    head_size = tape.http_head_size(size) if keep else 0
    head = tape.take(head_size, start) or b""
    body = tape.take(size - head_size, start, keep=keep)
    if not head and body and body.startswith(b"HTTP/"):
        head_size = http_head_size(body, 0, len(body))
        return body[:head_size], body[head_size:]
    return head, body


class _Tape:
    """A file's bytes in order, with the offset that each record has in the file as stored."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.damage: ArchiveError | None = None
        head = stream.read(16 * 1024)
        if head.startswith(_ZSTD):
            raise ArchiveError(name, "zstandard-compressed WARC: decompress it first", offset=0)
        self._compressed = head.startswith(MAGIC)
        self._pieces = (inflate_members if self._compressed else plain_pieces)(stream, head)
        self._piece = Piece(0, b"")
        self._at = 0
        self._ended = False

    @property
    def offset(self) -> int:
        """Where in the file the next byte is, or the gzip member that holds it."""
        return self._piece.offset + (0 if self._compressed else self._at)

    def has_more(self) -> bool:
        """Whether another record follows; the blank lines before it are passed over."""
        while not self._ended:
            window = self._piece.data[self._at : self._at + _BLANK_BYTES]
            rest = window.lstrip(b"\r\n")
            self._at += len(window) - len(rest)
            if rest:
                return True
            if not window:
                self._advance()
        return False

    def take_head(self, start: int) -> bytes:
        """The record's header lines, without the blank line after them."""
        while True:
            data, at = self._piece.data, self._at
            limit = at + _MAX_HEAD_BYTES
            if len(data) >= at + 5 and not data.startswith(b"WARC/", at):
                what = "an ARC file" if data.startswith(b"filedesc:", at) else "not a WARC record"
                raise ArchiveError(
                    self.name, f"{what} ({bytes(data[at : at + 16])!r})", offset=start
                )
            line_end = data.find(b"\n", at, limit)
            mark = _END if data[line_end - 1 : line_end] == b"\r" else b"\n\n"
            if (end := data.find(mark, at, limit)) >= 0:
                self._at = end + len(mark)
                return bytes(data[at:end])
            if len(data) >= limit:
                raise ArchiveError(self.name, "a record header without an end", offset=start)
            self._extend(start)

    def http_head_size(self, size: int) -> int:
        """How much of the next `size` bytes is an HTTP head, if all of it is at hand; else 0."""
        end = min(self._at + size, len(self._piece.data))
        return http_head_size(self._piece.data, self._at, end)

    def take(self, size: int, start: int, *, keep: bool = True) -> bytes | None:
        """The next `size` bytes; those that are not kept are passed over piece by piece."""
        parts: list[bytes] = []
        while size > 0:
            # Through a view: the one copy that is made of a page is the one that is kept.
            part = bytes(memoryview(self._piece.data)[self._at : self._at + size])
            self._at += len(part)
            size -= len(part)
            if keep:
                parts.append(part)
            if size > 0:
                self._advance()
                self._require(start)
        return b"".join(parts) if keep else None

    def _extend(self, start: int) -> None:
        """Put the next piece behind what is unread of this one."""
        rest, offset = self._piece.data[self._at :], self.offset
        self._advance()
        self._require(start)
        kept = self._piece.offset if self._compressed else offset
        self._piece = Piece(kept, bytes(rest) + self._piece.data)

    def _require(self, start: int) -> None:
        if self._ended:
            raise self.damage or ArchiveError(
                self.name, "the file ends inside a record", offset=start
            )

    def _advance(self) -> None:
        self._at = 0
        try:
            self._piece = next(self._pieces)
        except DamagedMemberError as problem:
            self._piece = Piece(problem.offset, b"")
            self.damage = ArchiveError(self.name, problem.problem, offset=problem.offset)
        self._ended = not self._piece.data
