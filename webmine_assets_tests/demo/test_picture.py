import struct
import zlib

from webmine_assets.demo.picture import build_png


def test_png_is_complete_small_and_the_same_every_time():
    data = build_png("harbour")
    size = struct.unpack(">II", data[16:24])
    pixels = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert size == (320, 180)
    assert len(pixels) == 180 * (1 + 3 * 320)
    assert len(data) < 3000
    assert data == build_png("harbour") != build_png("forest")
