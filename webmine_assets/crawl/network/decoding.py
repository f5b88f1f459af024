"""Undoes Content-Encoding while the body arrives, never holding more than the caps allow."""

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli  # type: ignore[import-untyped]  # ships no types
import zstandard

from webmine_assets.crawl.exchange import FetchReason

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_STEP_BYTES = 262_144
# Small enough that what has been fed is what has been used, so that the ratio is a true one.
_SLICE_BYTES = 4_096
# A chain of codings multiplies what a bomb can unpack (curl's CVE-2023-23916 was one without end).
_MAX_CODINGS = 2
# zstandard's decompressobj cannot be told to stop. A run-length block is 4 bytes and gives
# 128 KiB, so 256 bytes of input give at most 8 MiB before the caps are looked at again.
_ZSTD_SLICE_BYTES = 256
_ZSTD_MAX_WINDOW_BYTES = 8 * 1024 * 1024  # RFC 9659 section 3
_GZIP_FIRST_BYTE = b"\x1f"


class BodyError(Exception):
    """A body that cannot be used; lives only between decoder and fetcher."""

    def __init__(self, reason: FetchReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class _Coding(Protocol):
    def pieces(self, data: bytes) -> Iterator[bytes]: ...

    def is_complete(self) -> bool: ...


class _Gzip:
    """One or more gzip members; bytes after the last that start no member are padding."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._stream.eof:
                if not data.startswith(_GZIP_FIRST_BYTE):
                    return
                self._stream = zlib.decompressobj(wbits=31)
            piece = self._stream.decompress(data, _STEP_BYTES)
            yield piece
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            if not data and len(piece) < _STEP_BYTES:
                return

    def is_complete(self) -> bool:
        return self._stream.eof


class _Deflate:
    """`deflate` is a zlib stream by the standard and a raw one from many servers."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self._is_first = True

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._is_first and not _looks_like_zlib(data):
            self._stream = zlib.decompressobj(wbits=-15)
        self._is_first = False
        while not self._stream.eof:
            piece = self._stream.decompress(data, _STEP_BYTES)
            yield piece
            data = self._stream.unconsumed_tail
            if not data and len(piece) < _STEP_BYTES:
                return

    def is_complete(self) -> bool:
        return self._stream.eof


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        if self._stream.is_finished():
            return
        piece = self._stream.process(data, output_buffer_limit=_STEP_BYTES)
        yield piece
        # It says that it can take more input while it still holds output back (brotli 1.2.1).
        while len(piece) >= _STEP_BYTES or not self._stream.can_accept_more_data():
            piece = self._stream.process(b"", output_buffer_limit=_STEP_BYTES)
            yield piece

    def is_complete(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_MAX_WINDOW_BYTES)
        self._stream = self._context.decompressobj()

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _ZSTD_SLICE_BYTES):
            yield from self._slice(data[start : start + _ZSTD_SLICE_BYTES])

    def _slice(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                self._stream = self._context.decompressobj()
            yield self._stream.decompress(data)
            data = self._stream.unused_data if self._stream.eof else b""

    def is_complete(self) -> bool:
        return self._stream.eof


_CODINGS: dict[str, type[_Coding]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
_STREAM_ERRORS = (zlib.error, brotli.error, zstandard.ZstdError)


class BodyDecoder:
    """Takes a body as it arrives and keeps it decoded.

    Over `max_body_bytes` (decoded or on the wire) the body is refused, or cut there if
    `truncate`. Growth by more than `max_ratio` counts only past `ratio_floor_bytes`, because
    small repetitive pages do compress that well.
    """

    def __init__(
        self,
        content_encoding: str,
        *,
        max_body_bytes: int,
        truncate: bool = False,
        max_ratio: int = 200,
        ratio_floor_bytes: int = 1_048_576,
    ) -> None:
        self.wire_bytes = 0
        self.is_full = False
        self._size = 0
        self._pieces: list[bytes] = []
        self._codings = _open_codings(content_encoding)
        self._cap = max_body_bytes
        self._truncate = truncate
        self._max_ratio = max_ratio
        self._floor = ratio_floor_bytes

    def feed(self, data: bytes) -> None:
        if not self._codings:
            self.wire_bytes += len(data)
            self._keep(data)
            return
        try:
            for start in range(0, len(data), _SLICE_BYTES):
                self._decode(data[start : start + _SLICE_BYTES])
        except _STREAM_ERRORS as error:
            raise BodyError(FetchReason.PROTOCOL, f"broken content coding: {error}") from error

    def _decode(self, data: bytes) -> None:
        self.wire_bytes += len(data)
        for piece in _decoded(data, self._codings):
            if self.is_full:
                return
            self._keep(piece)
        if self.wire_bytes > self._cap and not self.is_full:
            self._overflow()

    def finish(self) -> bytes:
        """The whole body; a coded stream that has not ended is an error."""
        if self.wire_bytes and not self.is_full:
            self._require_complete()
        return self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)

    def _require_complete(self) -> None:
        if not all(coding.is_complete() for coding in self._codings):
            raise BodyError(FetchReason.TRUNCATED, "the compressed body stops before its end")

    def _keep(self, piece: bytes) -> None:
        if not piece:
            return
        self._size += len(piece)
        if self._codings and self._size > self._floor:
            self._check_ratio()
        if self._size > self._cap:
            piece = piece[: len(piece) - (self._size - self._cap)]
            self._overflow()
        self._pieces.append(piece)

    def _check_ratio(self) -> None:
        if self._size > self._max_ratio * self.wire_bytes:
            raise BodyError(
                FetchReason.EXPANSION,
                f"{self.wire_bytes} bytes became more than {self._size}",
            )

    def _overflow(self) -> None:
        if not self._truncate:
            raise BodyError(FetchReason.BODY_SIZE, f"the body is over {self._cap} bytes")
        self.is_full = True


def _decoded(data: bytes, codings: list[_Coding]) -> Iterator[bytes]:
    if not codings:
        yield data
        return
    for piece in filter(None, codings[0].pieces(data)):
        yield from _decoded(piece, codings[1:])


def _open_codings(content_encoding: str) -> list[_Coding]:
    """Decoders in the order to apply them: the coding named last was applied last."""
    if not content_encoding:
        return []
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in reversed(names) if name not in ("", "identity")]
    unknown = [name for name in names if name not in _CODINGS]
    if unknown or len(names) > _MAX_CODINGS:
        raise BodyError(
            FetchReason.UNSUPPORTED_CODING, f"content coding {content_encoding[:100]!r}"
        )
    return [_CODINGS[name]() for name in names]


def _looks_like_zlib(data: bytes) -> bool:
    """RFC 1950: method 8 in the low bits, and the first two bytes divide by 31."""
    if len(data) < 2:
        return data[:1] == b"\x78"
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
