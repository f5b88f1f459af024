"""One parse shared by all: what the document gives."""

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.extract.document import MAX_ELEMENTS, Document

HTML = """<html><head><base href="/sub/"><title>T</title>
<meta name="Author" content=" Ann "><meta property="og:title" content="One">
<meta property="og:title" content="Two"><meta itemprop="datePublished" content="2024-01-01">
<meta http-equiv="Refresh" content="5"><meta name="x" content="">
</head><body><!-- note --><p id="p">a <b>b</b><script>no()</script>
 c<style>p{}</style></p><p>second</p></body></html>"""


@pytest.fixture
def document() -> Document:
    return Document.parse(HTML, url="https://example.org/dir/page")


def test_metas_by_lower_case_name_in_document_order(document: Document) -> None:
    assert document.metas == {
        "author": ["Ann"], "og:title": ["One", "Two"], "datepublished": ["2024-01-01"],
        "refresh": ["5"],
    }  # fmt: skip


def test_elements_by_tag_in_document_order(document: Document) -> None:
    assert [e.get("id") for e in document.by_tag["p"]] == ["p", None]
    assert "table" not in document.by_tag


def test_text_of_an_element_has_no_scripts(document: Document) -> None:
    assert document.text_of(document.by_tag["p"][0]) == "a b c"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("x", "https://example.org/sub/x"), ("/x", "https://example.org/x"), ("//h.org/x", "https://h.org/x"),
        (" http://a.org ", "http://a.org"), ("mailto:a@b.c", None), ("javascript:1", None),
        ("http://[bad", None), (None, "https://example.org/sub/"),
    ],
)  # fmt: skip
def test_references_are_resolved_against_the_base(
    document: Document, href: str | None, expected: str | None
) -> None:
    assert document.resolve(href) == expected


def test_a_base_that_is_no_address_is_passed_over() -> None:
    document = Document.parse("<base href='http://[x'><p>a</p>", url="https://example.org/")
    assert document.base_url == "https://example.org/"


def test_bytes_are_decoded_with_the_charset_of_the_header() -> None:
    document = Document.parse(
        "<p>zażółć</p>".encode("iso-8859-2"), url="", header_charset="iso-8859-2"
    )
    assert document.text_of(document.root) == "zażółć"
    assert document.encoding == "iso-8859-2"


def test_the_number_of_elements_is_bounded() -> None:
    assert len(Document.parse("<b></b>" * (MAX_ELEMENTS + 9), url="").elements) == MAX_ELEMENTS


ADDRESS_PARTS = ("http://", "https://", "HTTP://", "a.b", "/", "//", "..", ".", "x", "?", "#", ";",
                 "é", " ", "\t", "[", "]", ":", "@", "\\", "a=b&c", "\x7f")  # fmt: skip


@given(st.lists(st.sampled_from(ADDRESS_PARTS), max_size=8).map("".join))
def test_addresses_are_joined_as_the_standard_library_does(href: str) -> None:
    base = "https://example.org/dir/page?q"
    try:
        joined = urljoin(base, href.strip())
    except ValueError:
        joined = ""
    is_web = joined.startswith(("http://", "https://"))
    assert Document.parse("<p>", url=base).resolve(href) == (joined if is_web else None)
