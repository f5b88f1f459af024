"""A bar chart as a PNG, drawn here: a plotting library would be the largest dependency."""

import base64
import struct
import zlib
from collections.abc import Mapping

# Glyphs of 5 by 7 dots, a row per character in base 32. Ledger words need no more letters.
_FONT = """
a00e1fhf bgguhhhu c00fgggf d11fhhhf e00ehvgf f68u8888 g0fhhf1e hgguhhhh i40c444e j20622ic
kggikoki lc44444e m00qllll n00uhhhh o00ehhhe p0uhhugg q0fhhf11 r00mpggg s00fge1u t88u8886
u00hhhhf v00hhha4 w00hllla x00ha4ah y0hhhf1e z00v248v 0ehjlphe 14c4444e 2eh168gv 3u11e11u
426aiv22 5vgu11he 6egguhhe 7v122444 8ehhehhe 9ehhf11e _000000v :0440440 -000e000 .00000cc
"""
_GLYPHS = {glyph[0]: tuple(int(row, 32) for row in glyph[1:]) for glyph in _FONT.split()}
_PAPER, _INK, _BAR = 0, 1, 2
_PALETTE = bytes((255, 255, 255, 30, 41, 59, 59, 130, 246))
_ZOOM = 2
_DESCENDERS = "gpqy"
_ADVANCE = 6 * _ZOOM
_ROW = 12 * _ZOOM
_BAR_WIDTH = 260
_MAX_LABEL = 34
_MAX_BARS = 20


def bar_chart_png(values: Mapping[str, int]) -> bytes:
    """Horizontal bars, largest first; what is beyond twenty is summed up in the last one."""
    bars = _largest(values)
    labels = [name.lower()[:_MAX_LABEL] for name, _ in bars]
    left = (max(map(len, labels), default=0) + 1) * _ADVANCE
    numbers = max((len(str(count)) for _, count in bars), default=1) + 1
    width = left + _BAR_WIDTH + (numbers + 1) * _ADVANCE
    rows = [bytearray(width) for _ in range(_ROW * max(len(bars), 1))]
    most = max((count for _, count in bars), default=1) or 1
    for line, (label, (_, count)) in enumerate(zip(labels, bars, strict=True)):
        top = line * _ROW + 4
        length = max(1, round(_BAR_WIDTH * count / most))
        _write(rows, label, left=0, top=top)
        _fill(rows, left=left, top=top, width=length)
        _write(rows, str(count), left=left + length + _ADVANCE // 2, top=top)
    return _png(rows, width)


def markdown_image(png: bytes, alt: str) -> str:
    """The image inside Markdown, as Dagster's UI shows it."""
    return f"![{alt}](data:image/png;base64,{base64.b64encode(png).decode()})"


def _largest(values: Mapping[str, int]) -> list[tuple[str, int]]:
    ordered = sorted(values.items(), key=lambda item: (-item[1], item[0]))
    if len(ordered) <= _MAX_BARS:
        return ordered
    rest = sum(count for _, count in ordered[_MAX_BARS - 1 :])
    return [*ordered[: _MAX_BARS - 1], ("others", rest)]


def _write(rows: list[bytearray], text: str, *, left: int, top: int) -> None:
    for place, letter in enumerate(text):
        for y, dots in enumerate(_GLYPHS.get(letter, ()), 2 * (letter in _DESCENDERS)):
            for x in range(5):
                if dots >> (4 - x) & 1:
                    _dot(rows, left + place * _ADVANCE + x * _ZOOM, top + y * _ZOOM)


def _dot(rows: list[bytearray], x: int, y: int) -> None:
    for row in rows[y : y + _ZOOM]:
        row[x : x + _ZOOM] = bytes([_INK]) * _ZOOM


def _fill(rows: list[bytearray], *, left: int, top: int, width: int) -> None:
    for row in rows[top : top + 7 * _ZOOM]:
        row[left : left + width] = bytes([_BAR]) * width


def _png(rows: list[bytearray], width: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    chunks = ((b"IHDR", header), (b"PLTE", _PALETTE), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
