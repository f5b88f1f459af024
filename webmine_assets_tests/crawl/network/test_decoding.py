import contextlib
import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.network.decoding import BodyDecoder, BodyError

PAGE = b"".join(b"<p>line %d of the page</p>" % number for number in range(5_000))


def raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


def two_members(data: bytes) -> bytes:
    middle = len(data) // 2
    return gzip.compress(data[:middle]) + gzip.compress(data[middle:])


def two_frames(data: bytes) -> bytes:
    middle = len(data) // 2
    return zstandard.compress(data[:middle]) + zstandard.compress(data[middle:])


def unsized_zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_content_size=False).compress(data)


CODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "identity": ("", bytes),
    "named identity": ("identity", bytes),
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "two members": ("gzip", two_members),
    "padded gzip": ("gzip", lambda data: gzip.compress(data) + b"\0" * 512),
    "zlib deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "brotli": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "two frames": ("zstd", two_frames),
    "unsized zstd": ("zstd", unsized_zstd),
    "stacked": ("gzip, br", lambda data: brotli.compress(gzip.compress(data))),
}


def decode(coding: str, data: bytes, *, step: int = 65_536, cap: int = 10_000_000) -> bytes:
    decoder = BodyDecoder(coding, max_body_bytes=cap)
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    return decoder.finish()


def failure(coding: str, data: bytes, **options: int) -> FetchReason:
    with pytest.raises(BodyError) as caught:
        decode(coding, data, **options)
    return caught.value.reason


@pytest.mark.parametrize("step", [1, 1_000, 1_000_000])
@pytest.mark.parametrize("name", CODERS)
def test_body_comes_back_however_it_is_cut(name: str, step: int) -> None:
    coding, encode = CODERS[name]
    assert decode(coding, encode(PAGE), step=step) == PAGE


@pytest.mark.parametrize("name", [name for name in CODERS if "identity" not in name])
def test_body_that_stops_early_is_truncated(name: str) -> None:
    coding, encode = CODERS[name]
    whole = encode(PAGE).rstrip(b"\0")
    assert failure(coding, whole[: len(whole) // 2 - 3]) is FetchReason.TRUNCATED


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_empty_body_needs_no_stream(coding: str) -> None:
    assert decode(coding, b"") == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_is_not_compressed_is_a_protocol_error(coding: str) -> None:
    assert failure(coding, b"\xff\xfe plain words, nothing else" * 10) is FetchReason.PROTOCOL


@pytest.mark.parametrize("coding", ["rot13", "gzip, compress", "gzip, gzip, gzip"])
def test_unknown_or_piled_up_codings_are_refused(coding: str) -> None:
    assert failure(coding, b"") is FetchReason.UNSUPPORTED_CODING


@pytest.mark.parametrize("name", CODERS)
def test_cap_holds_to_the_byte(name: str) -> None:
    coding, encode = CODERS[name]
    data = encode(PAGE)
    assert decode(coding, data, cap=len(PAGE)) == PAGE
    assert failure(coding, data, cap=len(PAGE) - 1) is FetchReason.BODY_SIZE


@pytest.mark.parametrize("name", CODERS)
def test_truncating_decoder_keeps_exactly_the_cap(name: str) -> None:
    coding, encode = CODERS[name]
    decoder = BodyDecoder(coding, max_body_bytes=5_000, truncate=True)
    decoder.feed(encode(PAGE))
    assert decoder.is_full
    assert decoder.finish() == PAGE[:5_000]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CODERS if "identity" not in name])
def test_expansion_stops_at_the_ratio_not_at_the_cap(name: str) -> None:
    coding, encode = CODERS[name]
    bomb = encode(b"\0" * 20_000_000)
    assert failure(coding, bomb, cap=1_000_000_000) is FetchReason.EXPANSION


@pytest.mark.parametrize("name", CODERS)
def test_small_repetitive_page_is_no_bomb(name: str) -> None:
    coding, encode = CODERS[name]
    page = b"a" * 1_000_000
    assert decode(coding, encode(page)) == page


def test_endless_stream_that_gives_nothing_meets_the_cap_on_the_wire() -> None:
    stream = zlib.compressobj(wbits=31)
    empty_blocks = stream.compress(b"") + stream.flush(zlib.Z_SYNC_FLUSH)
    empty_blocks += stream.flush(zlib.Z_SYNC_FLUSH) + b"\x00\x00\x00\xff\xff" * 5_000
    assert failure("gzip", empty_blocks, cap=10_000) is FetchReason.BODY_SIZE


@given(st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br"]), st.binary(max_size=300))
def test_no_bytes_make_it_raise_anything_else(coding: str, data: bytes) -> None:
    with contextlib.suppress(BodyError):
        decode(coding, data, step=7)


def zstd_run_lengths(blocks: int, *, window_exponent: int) -> bytes:
    """A frame of run-length blocks: 4 bytes for each 128 KiB, the worst that zstd can do."""
    block = (131_072 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return b"\x28\xb5\x2f\xfd\x00" + bytes([(window_exponent - 10) << 3]) + block * blocks


def test_densest_zstd_stays_within_memory() -> None:
    bomb = zstd_run_lengths(16_000, window_exponent=23)
    tracemalloc.start()
    try:
        assert failure("zstd", bomb) is FetchReason.EXPANSION
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_zstd_window_beyond_the_standard_is_refused() -> None:
    assert failure("zstd", zstd_run_lengths(4, window_exponent=27)) is FetchReason.PROTOCOL
