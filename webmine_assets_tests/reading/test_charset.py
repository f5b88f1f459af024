import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.reading.charset import decode

RUSSIAN = "Университет объявляет набор студентов на новый учебный год. Подробности на сайте."
JAPANESE = "大学の新しい研究センターが四月に開設されます。詳細は公式サイトをご覧ください。"
GERMAN = "Die Universität eröffnet im Frühjahr ein neues Zentrum für Gebäudeforschung in Köln."


def page(text: str, charset: str = "") -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("body", "header", "encoding"),
    [
        (codecs.BOM_UTF8 + page(GERMAN).encode(), "windows-1252", "utf-8"),
        (codecs.BOM_UTF16_LE + page(GERMAN).encode("utf-16-le"), None, "utf-16le"),
        (codecs.BOM_UTF16_BE + page(GERMAN).encode("utf-16-be"), "utf-8", "utf-16be"),
        (page(RUSSIAN).encode("cp1251"), "windows-1251", "windows-1251"),
        (page(RUSSIAN, "utf-8").encode("cp1251"), "windows-1251", "windows-1251"),
        (page(RUSSIAN, "windows-1251").encode("cp1251"), None, "windows-1251"),
        (page(RUSSIAN, "windows-1251").encode("cp1251"), "no-such-charset", "windows-1251"),
        (page(JAPANESE, "Shift_JIS").encode("cp932"), None, "shift_jis"),
        (page(JAPANESE, "x-sjis").encode("cp932"), None, "shift_jis"),
        (page(JAPANESE, "euc-jp").encode("euc_jp"), None, "euc-jp"),
        (page(GERMAN, "iso-8859-1").encode("latin-1"), None, "windows-1252"),
    ],
)
def test_declared_charsets_are_used(body: bytes, header: str | None, encoding: str) -> None:
    decoded = decode(body, header)
    assert decoded.encoding == encoding
    assert any(text in decoded.text for text in (RUSSIAN, JAPANESE, GERMAN))


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (GERMAN, "utf-8", "utf-8"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "koi8-r"),
        (JAPANESE, "cp932", "shift_jis"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (GERMAN, "utf-16-le", "utf-16le"),
        (GERMAN, "utf-16-be", "utf-16be"),
        (RUSSIAN * 40, "utf-16-le", "utf-16le"),
        (RUSSIAN * 40, "utf-16-be", "utf-16be"),
        ("plain ASCII", "ascii", "utf-8"),
    ],
)
def test_undeclared_charsets_are_detected(text: str, codec: str, encoding: str) -> None:
    decoded = decode(page(text).encode(codec), None)
    assert (decoded.encoding, text in decoded.text) == (encoding, True)


@pytest.mark.parametrize("declared", ["utf-8", "windows-1250; x", "rot13", "utf-7", "idna", "hex"])
def test_a_declaration_that_the_bytes_contradict_is_passed_over(declared: str) -> None:
    decoded = decode(page(RUSSIAN).encode("cp1251"), declared)
    assert RUSSIAN in decoded.text


def test_a_servers_default_of_latin_1_does_not_spoil_utf_8() -> None:
    assert decode(page(GERMAN).encode(), "ISO-8859-1").encoding == "utf-8"


def test_a_stray_byte_and_a_cut_last_character_leave_utf_8_utf_8() -> None:
    body = page(GERMAN * 20).encode()
    assert decode(body.replace(b"neues", b"neu\xe9s", 1), "utf-8").encoding == "utf-8"
    cut = (GERMAN + "ü").encode()[:-1]
    assert decode(cut, "utf-8").text == GERMAN


def test_a_meta_element_beyond_the_first_4096_bytes_does_not_count() -> None:
    late = "<!--" + "x" * 4096 + "-->" + page(GERMAN, "windows-1251")
    assert decode(late.encode(), None).encoding == "utf-8"


def test_nul_characters_are_removed() -> None:
    assert decode(b"a\0b\0\0c", None).text == "abc"


@pytest.mark.slow
def test_ten_megabytes_are_decoded_from_a_sample() -> None:
    body = page(RUSSIAN * 60_000).encode("cp1251")
    assert decode(body, None).encoding == "windows-1251"
    hostile = b"<" * 10_000_000 + b"\xff"
    assert decode(hostile, None).text.startswith("<<<")


@given(body=st.binary(max_size=400), header=st.one_of(st.none(), st.text(max_size=20)))
def test_no_bytes_make_it_raise(body: bytes, header: str | None) -> None:
    decoded = decode(body, header)
    assert "\0" not in decoded.text
    assert codecs.lookup(decoded.encoding) if decoded.encoding != "windows-874" else True


def test_a_few_latin_letters_in_a_page_that_claims_utf_8_are_not_strays() -> None:
    body = b'<meta charset="utf-8"><p>' + b"plain words " * 2_000 + b"caf\xe9 und gr\xfcn</p>"
    assert "café und grün" in decode(body, None).text
