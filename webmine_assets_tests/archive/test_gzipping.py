"""Gzip members out of a stream: every size and boundary, padding, damage, and offsets."""

import gzip
import random
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.archive.gzipping import (
    DamagedMemberError,
    Piece,
    compress_member,
    inflate_members,
    plain_pieces,
)

NOISE = random.Random(5).randbytes(3_000_000)


def joined(data: bytes, head_size: int = 16) -> list[tuple[int, bytes]]:
    """What each member holds, by its offset, and the end."""
    found: dict[int, bytes] = {}
    for piece in inflate_members(BytesIO(data[head_size:]), data[:head_size]):
        found[piece.offset] = found.get(piece.offset, b"") + piece.data
    return list(found.items())


def expected(members: list[bytes]) -> list[tuple[int, bytes]]:
    offsets = [sum(map(len, members[:number])) for number in range(len(members) + 1)]
    held = [*map(gzip.decompress, members), b""]
    pairs = list(zip(offsets, held, strict=True))
    return [pair for pair in pairs[:-1] if pair[1]] + pairs[-1:]


@pytest.mark.parametrize("level", [1, 6, 9])
@pytest.mark.parametrize("size", [0, 1, 70_000, 600_000, 1_048_576, 1_048_577, 3_000_000])
def test_members_of_every_size_come_back_with_their_offsets(level: int, size: int) -> None:
    members = [compress_member(data, level) for data in (b"first", NOISE[:size], b"last")]
    assert joined(b"".join(members)) == expected(members)


@pytest.mark.parametrize("beginning", [b"\x1f\x8b", b"\x1f\x8b\x08", b"\x1f\x8b\x08\x00" * 9])
def test_the_beginning_of_a_member_inside_one_is_no_boundary(beginning: bytes) -> None:
    stored = gzip.compress(beginning + NOISE[:100] + beginning, 0)
    assert beginning in stored
    members = [stored, gzip.compress(b"x"), stored]
    assert joined(b"".join(members)) == expected(members)


def test_members_within_members_are_not_unpacked() -> None:
    inner = gzip.compress(b"inner")
    members = [gzip.compress(inner * 3, 0), inner]
    assert joined(b"".join(members)) == expected(members)


@pytest.mark.parametrize("zeros", [1, 511, 200_000])
def test_zero_padding_is_passed_over(zeros: int) -> None:
    one, two = gzip.compress(b"one"), gzip.compress(b"two")
    end = len(one + two) + 2 * zeros
    found = joined(one + bytes(zeros) + two + bytes(zeros))
    assert found == [(0, b"one"), (len(one) + zeros, b"two"), (end, b"")]


@pytest.mark.parametrize("size", [100, 2_000_000])
@pytest.mark.parametrize("where", [3, 10, -1, -5, -8])
def test_damage_is_told_with_the_members_offset(size: int, where: int) -> None:
    whole, spoilt = gzip.compress(b"whole"), bytearray(gzip.compress(NOISE[:size]))
    spoilt[where] ^= 0xFF
    pieces = inflate_members(BytesIO(whole + bytes(spoilt) + whole), b"")
    assert next(pieces) == Piece(0, b"whole")
    with pytest.raises(DamagedMemberError) as caught:
        list(pieces)
    assert caught.value.offset == len(whole)


@given(
    st.lists(st.binary(max_size=300), max_size=6), st.integers(0, 100), st.sampled_from([0, 1, 9])
)
def test_any_members_come_back(parts: list[bytes], head_size: int, level: int) -> None:
    data = b"".join(gzip.compress(part, level) for part in parts)
    pieces = inflate_members(BytesIO(data[head_size:]), data[:head_size])
    assert b"".join(piece.data for piece in pieces) == b"".join(parts)


def test_a_plain_file_comes_in_pieces_with_their_offsets() -> None:
    pieces = list(plain_pieces(BytesIO(NOISE[10:]), NOISE[:10]))
    assert b"".join(piece.data for piece in pieces) == NOISE
    assert [piece.offset for piece in pieces[:2]] == [0, 10]
    assert pieces[-1] == Piece(len(NOISE), b"")
