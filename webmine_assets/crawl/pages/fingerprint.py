"""What makes two texts the same or nearly the same: a checksum and a SimHash of normalised text."""

import hashlib
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

# Characters that print nothing and that editors scatter: a copy with them is the same text.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_SHINGLE_WORDS = 4
_SHINGLE_CHARS = 8
# Longer texts differ enough in their first part; the cost stays below a few milliseconds.
_MAX_CHARS = 200_000
_MULTIPLIER = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1

Words = NDArray[np.uint64]


def normalise_text(text: str) -> str:
    """One spelling of a text: NFKC, single spaces, nothing invisible."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE))
    return " ".join(text.split())


def checksum(text: str) -> str:
    """`sha256:…` of the normalised text: equal for pages that read the same."""
    digest = hashlib.sha256(normalise_text(text).encode("utf-8", "replace")).hexdigest()
    return f"sha256:{digest}"


def simhash(text: str) -> int:
    """A signed 64-bit SimHash over shingles of four words; near-duplicates differ in few bits.

    Text without spaces between words is cut into shingles of eight characters. 0 for no text.
    """
    plain = normalise_text(text[:_MAX_CHARS]).lower()[:_MAX_CHARS]
    if not plain:
        return 0
    hashes = _mixed(_shingle_hashes(plain))
    bits = np.unpackbits(hashes.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1)
    # int64 in Parquet is signed, so the number is read as one.
    majority = bits.sum(axis=0, dtype=np.int64) * 2 > len(hashes)
    return int(np.packbits(majority).view(">i8")[0])


def hamming(one: int, other: int) -> int:
    """In how many of their 64 bits two SimHashes differ."""
    return ((one ^ other) & _MASK).bit_count()


def _shingle_hashes(plain: str) -> Words:
    """Polynomial hashes of all shingles at once, from one running sum over the characters.

    A Python loop with a hash per shingle took ten times as long.
    """
    codes = np.frombuffer(plain.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    powers, inverses = _powers(_round_up(len(codes) + 1))
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum((codes + np.uint64(1)) * powers[: len(codes)], out=sums[1:])
    starts, ends = _shingle_bounds(codes)
    hashes: Words = (sums[ends] - sums[starts]) * inverses[starts]
    return hashes


def _shingle_bounds(codes: Words) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    spaces = np.flatnonzero(codes == ord(" "))
    word_starts = np.concatenate(([0], spaces + 1))
    word_ends = np.concatenate((spaces, [len(codes)]))
    if len(word_starts) * 16 < len(codes):
        starts = np.arange(max(1, len(codes) - _SHINGLE_CHARS + 1))
        return starts, np.minimum(starts + _SHINGLE_CHARS, len(codes))
    width = min(_SHINGLE_WORDS, len(word_starts))
    return word_starts[: len(word_starts) - width + 1], word_ends[width - 1 :]


def _mixed(values: Words) -> Words:
    """The finaliser of SplitMix64: every bit of the input reaches every bit of the output."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _round_up(length: int) -> int:
    return 1 << max(12, (length - 1).bit_length())


@cache
def _powers(length: int) -> tuple[Words, Words]:
    """Powers of the multiplier and of its inverse modulo 2**64."""
    inverse = pow(_MULTIPLIER, -1, 1 << 64)
    return _running_product(_MULTIPLIER, length), _running_product(inverse, length)


def _running_product(factor: int, length: int) -> Words:
    factors = np.full(length, factor, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)
