from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.archive.index import IndexLine, index_path, read_index, surt, write_index
from webmine_assets.errors import ArchiveError

SESSION = "0123456789abcdef0123456789abcdef"

# What the `surt` package of the Internet Archive gives for the same URLs.
KEYS = {
    "http://www.u1.edu/": "edu,u1)/",
    "http://u1.edu": "edu,u1)/",
    "https://WWW2.U1.edu:443/A/B/../c/./d/": "edu,u1)/a/c/d",
    "http://u1.edu:8080/x": "edu,u1:8080)/x",
    "http://u1.edu/a b": "edu,u1)/a%20b",
    "http://u1.edu/café": "edu,u1)/caf%c3%a9",
    "http://u1.edu/caf%C3%A9": "edu,u1)/caf%c3%a9",
    "http://u1.edu/?b=2&a=1&a=0": "edu,u1)/?a=0&a=1&b=2",
    "http://u1.edu/p?q=A%2BB+c": "edu,u1)/p?q=a+b+c",
    f"http://u1.edu/p?jsessionid={SESSION}&x=1": "edu,u1)/p?x=1",
    f"http://u1.edu/p?x=1&PHPSESSID={SESSION}": "edu,u1)/p?&x=1",
    "http://u1.edu/x?cfid=1&cftoken=2&z=3": "edu,u1)/x?z=3",
    "http://u1.edu/(S(abcdefghijklmnopqrstuvwx))/p.aspx": "edu,u1)/p.aspx",
    "http://u1.edu/a//b///c": "edu,u1)/a/b/c",
    "http://127.0.0.1:5000/x/": "1,0,0,127:5000)/x",
    "http://bücher.example/x": "example,xn--bcher-kva)/x",
    "http://u1.edu/%7Euser/": "edu,u1)/~user",
    "http://u1.edu/x#frag": "edu,u1)/x",
    "http://u1.edu/x?": "edu,u1)/x",
    "http://u1.edu/a%25b": "edu,u1)/a%25b",
    "http://user:pw@u1.edu./x": "edu,u1)/x",
    "http://u1.edu/%zz%4": "edu,u1)/%25zz%254",
}


@pytest.mark.parametrize(("url", "key"), KEYS.items())
def test_keys_are_those_replay_tools_look_for(url: str, key: str) -> None:
    assert surt(url) == key


@given(st.text(max_size=80))
def test_any_text_has_a_key_of_one_word(text: str) -> None:
    assert surt(f"http://u1.edu/{text}?{text}").isprintable()
    assert " " not in surt(f"http://u1.edu/{text}")
    assert " " not in surt(text)
    assert surt(text).isascii()


def line(url: str, offset: int) -> IndexLine:
    return IndexLine(
        url=url,
        fetched_at=datetime(2026, 3, 4, tzinfo=UTC),
        mime="text/html",
        status=200,
        digest="sha1:A",
        offset=offset,
        length=5,
        filename="x.warc.gz",
    )


def test_an_index_is_sorted_and_reads_back(tmp_path: Path) -> None:
    lines = [line("http://u1.edu/b", 1), line("http://u1.edu/Z", 2), line("http://u1.edu/a", 3)]
    path = write_index(tmp_path / "x.warc.gz", lines)
    assert path == index_path(tmp_path / "x.warc.gz") == tmp_path / "x.cdxj"
    assert [found.offset for found in read_index(path)] == [3, 1, 2]
    assert {*read_index(path)} == {*lines}


def test_a_broken_index_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.cdxj").write_text(f"{line('http://u1.edu/', 1)}\nnonsense\n")
    with pytest.raises(ArchiveError, match="line 2"):
        read_index(tmp_path / "x.cdxj")


@pytest.mark.parametrize(
    ("url", "fetched_at"),
    [
        ("urn:a name with spaces", datetime(2026, 3, 4, tzinfo=UTC)),
        ("http://not a host/a page", datetime(2026, 3, 4, tzinfo=UTC)),
        ("ftp://u1.edu/\u2028x", datetime(2026, 3, 4, tzinfo=UTC)),
        ("http://u1.edu/", datetime(99, 3, 4, 5, 6, 7, tzinfo=UTC)),
    ],
)
def test_lines_about_odd_records_of_other_tools_can_be_read_again(
    tmp_path: Path, url: str, fetched_at: datetime
) -> None:
    odd = replace(line(url, 1), fetched_at=fetched_at)
    assert read_index(write_index(tmp_path / "a.warc.gz", [odd])) == [odd]
