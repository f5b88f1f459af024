import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from webmine_assets.reading.html import parse

URL = "http://u1.edu/"


@pytest.mark.parametrize(
    "text",
    ["", " ", "\0\0", "<!-- only -->", "<?xml version='1.0'?>", "\ud800", "plain", "</p></p>"],
)
def test_any_text_gives_an_html_element(text: str) -> None:
    assert parse(text, url=URL).tag == "html"


def test_an_xml_declaration_does_not_decide_the_encoding() -> None:
    tree = parse('<?xml version="1.0" encoding="shift_jis"?><html><p>Köln</p></html>', url=URL)
    assert tree.findtext(".//p") == "Köln"


def test_nul_and_comments_are_left_out() -> None:
    tree = parse("<p>a\0b<!-- c -->d</p>", url=URL)
    assert tree.text_content() == "abd"


@pytest.mark.parametrize("tag", ["div", "span", "b", "blockquote", "ul><li", "table><tr><td"])
def test_deep_nesting_loses_wrappers_but_not_text(tag: str) -> None:
    tree = parse("<body>" + f"<{tag}>" * 100_000 + "the text<a href=x>link</a>", url=URL)
    assert "the text" in "".join(tree.itertext())
    assert etree.tostring(tree)


def test_deep_nesting_of_elements_that_must_stay_neither_crashes_nor_recurses() -> None:
    assert parse("<q>" * 100_000 + "text", url=URL).tag == "html"


def test_huge_attributes_and_many_nodes_are_parsed() -> None:
    assert parse(f"<p title='{'x' * 5_000_000}'>a</p>", url=URL).findtext(".//p") == "a"
    tree = parse("<i>x</i>" * 200_000, url=URL)
    assert sum(1 for _ in tree.iter("i")) == 200_000


def test_an_element_with_countless_attributes_keeps_its_text_only() -> None:
    attributes = " ".join(f"a{number}=1" for number in range(300_000))
    element = parse(f"<a href=x {attributes}>text</a>", url=URL).find(".//a")
    assert (element.text, dict(element.attrib)) == ("text", {})
    words = "many words in one value " * 1000
    assert parse(f"<p title='{words}' id=a>text</p>", url=URL).find(".//p").get("id") == "a"


def test_declarative_shadow_roots_are_content_and_templates_are_not() -> None:
    tree = parse(
        """<body><x-page><template shadowrootmode="open"><h1>Drawn</h1><template><p>kept</p>
        </template><slot></slot></template><p>slotted</p></x-page>
        <x-page><TEMPLATE SHADOWROOTMODE=closed shadowrootmode=closed>closed</TEMPLATE></x-page>
        <template shadowrootmode="none">no mode</template><p>after</p></body>""",
        url=URL,
    )
    assert tree.xpath("//x-page/div/h1/text()") == ["Drawn"]
    assert tree.xpath("//x-page/p/text()") == ["slotted"]
    assert tree.xpath("//body/p/text()") == ["after"]
    templates = tree.xpath("//template")
    assert [each.text_content().strip() for each in templates] == ["kept", "no mode"]


@given(text=st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    assert parse(text, url=URL).tag == "html"


def test_odd_base_urls_do_no_harm() -> None:
    for url in ("", "http://u1.edu/ü", "http://u1.edu/\0", "not a url"):
        assert pickle.dumps(etree.tostring(parse("<p>a", url=url)))


def test_what_follows_the_end_of_the_document_is_still_read() -> None:
    tree = parse("<html><body><p>one</p></body></html>\n<p>two</p></HTML >", url="https://u1.edu/")
    assert [p.text for p in tree.iter("p")] == ["one", "two"]


def test_the_body_begins_at_the_first_element_that_no_head_can_have() -> None:
    tree = parse(
        "<title>T</title><meta name=a><article><p>one</p></article>and<p>two", url="https://u1.edu/"
    )
    assert [child.tag for child in tree.find("head")] == ["title", "meta"]
    assert tree.find("body").text_content() == "oneandtwo"
