"""Blocks of a page and the hints of the containers around them."""

import pytest

from webmine_assets.extract.candidates import measure
from webmine_assets.extract.document import Document
from webmine_assets.extract.hints import Hint, is_concealed, read_hint
from webmine_assets.extract.outline import Outline, build_outline


def outline(body: str) -> Outline:
    return build_outline(Document.parse(f"<body>{body}</body>", url=""))


def texts(body: str) -> list[str]:
    return [block.text for block in outline(body).blocks]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>a <b>b</b> c</p>", ["a b c"]),
        ("<div>a<p>b</p>c</div>", ["a", "b", "c"]),
        ("a<br>b", ["a b"]),
        ("<p>a<script>x</script>b</p>", ["ab"]),
        ("<pre> a\n  b\n</pre>", [" a\n  b"]),
        ("<p> \n </p>", []),
        ("<a href=x><div>a</div><div>b</div></a>", ["a", "b"]),
    ],
)
def test_blocks_of(body: str, expected: list[str]) -> None:
    assert texts(body) == expected


def test_removed_elements_are_left_out_and_their_tail_stays() -> None:
    document = Document.parse("<p>a <b>gone</b> c</p>", url="")
    removed = frozenset(document.by_tag["b"])
    assert [b.text for b in build_outline(document, removed).blocks] == ["a c"]


def test_links_are_counted_in_characters() -> None:
    block = outline("<p>1234 <a href=x>56<b>78</b></a></p>").blocks[0]
    assert (block.chars, block.link_chars, block.links) == (9, 4, 1)


def test_a_chinese_character_counts_twice() -> None:
    assert outline("<p>漢字ab</p>").blocks[0].chars == 6


def test_containers_cover_ranges_of_blocks() -> None:
    found = outline("<div id=d><p>a</p><p>b</p></div><p>c</p>")
    div = next(node for node in found.nodes if node.tag == "div")
    assert [b.text for b in found.blocks[div.start : div.end]] == ["a", "b"]


@pytest.mark.parametrize(
    ("names", "hint"),
    [
        ("share-bar ", Hint.SHARE), ("shareBar ", Hint.SHARE), ("socialLinks", Hint.SHARE),
        ("ad", Hint.PROMO),
        ("article__body", Hint.CONTENT), ("entry-content", Hint.CONTENT), ("authorBox", Hint.BIO),
        ("post-meta", Hint.BYLINE), (" comments", Hint.COMMENT), ("main_nav nav", Hint.NAVIGATION),
    ],
)  # fmt: skip
def test_names_give_hints(names: str, hint: Hint) -> None:
    assert read_hint(names) & hint


@pytest.mark.parametrize(
    "names", ["header-adventure", "category-promo tag-share", "x1 col-12", "shadow"]
)
def test_names_that_give_no_boilerplate_hint(names: str) -> None:
    boilerplate = Hint.SHARE | Hint.PROMO | Hint.COMMENT | Hint.NAVIGATION | Hint.TAGS
    assert not read_hint(names) & boilerplate


def test_concealed_names() -> None:
    assert is_concealed("icon sr-only")
    assert not is_concealed("hider")


def test_hints_are_handed_down() -> None:
    found = outline(
        "<div class='share'><div><p>a b c</p></div></div><p>" + "long text " * 30 + "</p>"
    )
    measure(found)
    assert found.blocks[0].node.hints & Hint.SHARE
    assert not found.blocks[1].node.hints & Hint.SHARE
