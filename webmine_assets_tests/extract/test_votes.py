"""Evidence on blocks: every column has a weight, and every row has every column."""

import pytest

from webmine_assets.extract.candidates import measure
from webmine_assets.extract.document import Document
from webmine_assets.extract.outline import build_outline
from webmine_assets.extract.votes import NAMES, Votes, words_of
from webmine_assets.extract.weights import WEIGHTS

PAGE = """<nav><a href="/">Home of the whole site</a></nav><h1>The nine anchors</h1>
<p>The harbour was dredged for the first time since 1931, and nine anchors came up.</p>
<p>Read more: the ferry</p><img src="/a.png">"""


def votes(body: str, *titles: str) -> Votes:
    document = Document.parse(f"<html><body>{body}</body></html>", url="https://example.org/")
    return Votes(measure(build_outline(document)), titles)


def test_every_column_was_fitted() -> None:
    assert list(WEIGHTS) == list(NAMES)


def test_every_row_has_every_column() -> None:
    rows = [row for row in votes(PAGE, "The nine anchors").rows() if row is not None]
    assert {len(row) for row in rows} == {len(NAMES)}


def test_pictures_and_links_in_menus_are_not_weighed() -> None:
    rows = votes(PAGE).rows()
    assert rows[0] is None
    assert rows[-1] is None


@pytest.mark.parametrize(
    ("titles", "headline"),
    [(("The nine anchors | News",), "The nine anchors"), ((), "The nine anchors"),
     (("Another",), "The nine anchors")],
)  # fmt: skip
def test_the_headline_is_the_title_or_the_first_h1(titles: tuple[str, ...], headline: str) -> None:
    found = votes(PAGE, *titles)
    assert found.blocks[found.headline].text == headline


def test_a_page_without_headings_has_no_headline() -> None:
    assert votes("<p>Only this.</p>", "Only this").headline == -1


def test_words_of_a_text() -> None:
    assert words_of(" Über: 9 Anker! ") == "über 9 anker"
