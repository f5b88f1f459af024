"""Small pictures made from a name: PNG landscapes, so that every image link has bytes behind it."""

import hashlib
import struct
import zlib

_WIDTH, _HEIGHT = 320, 180


def build_png(name: str) -> bytes:
    """Sky over ground in two colours that the name decides; about a kilobyte."""
    seed = hashlib.sha256(name.encode()).digest()
    horizon = 70 + seed[0] % 60
    rows = b"".join(b"\0" + _colour(row, horizon, seed) * _WIDTH for row in range(_HEIGHT))
    header = struct.pack(">IIBBBBB", _WIDTH, _HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _colour(row: int, horizon: int, seed: bytes) -> bytes:
    tint = seed[1:4] if row < horizon else seed[4:7]
    shade = 90 + (row * 90) // _HEIGHT
    return bytes((channel + 2 * shade) // 3 for channel in tint)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
