"""Text that is not shown as markup: in JSON-LD, or in a noscript that swallowed the page."""

import html
import json

import pytest

from webmine_assets.extract.content import Content, extract_content
from webmine_assets.extract.document import Document
from webmine_assets.institutions import ExtractionRule

BODY = "The harbour was dredged for the first time since 1931, and nine anchors came up. " * 12


def content(body: str, *rules: ExtractionRule) -> Content:
    document = Document.parse(f"<html><body>{body}</body></html>", url="https://example.org/x")
    return extract_content(document, rules=rules)


def stated(text: object, shown: str = "<h1>Nine anchors</h1><div id='app'></div>") -> str:
    data = json.dumps({"@type": "NewsArticle", "articleBody": text})
    return f'{shown}<script type="application/ld+json">{data}</script>'


def test_a_page_drawn_by_scripts_gives_the_text_it_states() -> None:
    found = content(stated(f"{BODY}\n\nSecond part & more."))
    assert found.text == f"{BODY.strip()}\nSecond part & more."
    assert found.text_source == "json-ld:articleBody"
    assert found.full_content.startswith("# Nine anchors\n\nThe harbour was dredged")


@pytest.mark.parametrize(
    "text", [f"<p>{BODY}</p><p>End</p>", html.escape(f"<p>{BODY}</p><p>End</p>")]
)
def test_stated_markup_is_read_as_markup(text: str) -> None:
    assert content(stated(text)).text == f"{BODY.strip()}\nEnd"


@pytest.mark.parametrize("text", ["short", "", 7, None, ["x"], {"a": BODY}])
def test_what_is_no_text_is_passed_over(text: object) -> None:
    assert content(stated(text)).text_source != "json-ld:articleBody"


def test_the_tree_wins_where_it_has_the_text() -> None:
    shown = f"<article><h1>Nine anchors</h1><p>{BODY}</p></article>"
    found = content(stated(BODY + " and what a reader cannot see", shown))
    assert "cannot see" not in found.text
    assert found.text_source != "json-ld:articleBody"


def test_a_rule_is_not_undone_by_stated_text() -> None:
    page = stated(BODY, f"<div class='story'><p>{BODY}</p></div><p>The end of it all.</p>")
    assert "nine anchors" not in content(page, ExtractionRule(value=".story")).full_content


def test_a_noscript_that_swallowed_the_page_is_opened() -> None:
    found = content(
        f"<noscript><div>no scripts here<article><p>{BODY}</p></article></div></noscript>"
    )
    assert BODY.strip() in found.text


def test_the_notice_that_scripts_are_needed_is_no_text() -> None:
    assert content("<noscript><p>Please enable scripts to see it.</p></noscript>").text == ""
