import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.fingerprint import checksum, hamming, normalise_text, simhash

WORDS = [f"word{number}" for number in range(2000)]


def prose(seed: int, length: int = 800) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a  b\n\tc ", "a b c"),
        ("a\u00a0b", "a b"),
        ("e\u0301te\u0301", "été"),
        ("soft\u00adhyphen\u200b", "softhyphen"),
        ("ﬁnal", "final"),
    ],
)
def test_texts_that_read_the_same_have_one_checksum(one: str, other: str) -> None:
    assert normalise_text(one) == normalise_text(other)
    assert checksum(one) == checksum(other)


def test_checksums_name_their_algorithm_and_tell_texts_apart() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert checksum("  ") == f"sha256:{empty}"
    assert checksum("a b") != checksum("ab")


def test_near_duplicates_differ_in_few_bits_and_others_in_many() -> None:
    words = prose(1)
    edited = [*words[:400], "changed", *words[401:]]
    assert hamming(simhash(" ".join(words)), simhash(" ".join(edited))) <= 6
    others = [simhash(" ".join(prose(seed))) for seed in range(2, 40)]
    assert min(hamming(simhash(" ".join(words)), other) for other in others) > 12


def test_case_and_spacing_do_not_matter() -> None:
    text = " ".join(prose(3, 50))
    assert simhash(text.upper().replace(" ", "\n")) == simhash(text)


def test_text_without_spaces_is_compared_by_characters() -> None:
    chooser = random.Random(5)
    text = "".join(chr(0x4E00 + chooser.randrange(3000)) for _ in range(600))
    edited = text[:300] + "改" + text[301:]
    other = "".join(chr(0x4E00 + chooser.randrange(3000)) for _ in range(600))
    assert hamming(simhash(text), simhash(edited)) <= 10
    assert hamming(simhash(text), simhash(other)) > 12


def test_the_value_is_the_same_in_every_process() -> None:
    assert simhash("The university opens a new centre") == -217514532849056794
    assert simhash("") == 0


@given(text=st.text())
def test_every_text_has_a_signed_64_bit_value(text: str) -> None:
    assert -(2**63) <= simhash(text) < 2**63
    assert hamming(simhash(text), simhash(text)) == 0
    assert checksum(text).startswith("sha256:")


def test_distance_counts_bits_across_the_sign() -> None:
    assert hamming(-1, 0) == 64
    assert hamming(-(2**63), 0) == 1
