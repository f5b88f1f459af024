"""Main text, cleaning, pruning and the selection of Markdown."""

import pytest

from webmine_assets.extract.cleaning import DEFAULT_EXCLUDED_SELECTORS
from webmine_assets.extract.content import Content, extract_content, select
from webmine_assets.extract.document import Document

PROSE = (
    "The committee met for three hours, heard eleven speakers, and decided to postpone the vote.",
    "Nobody had expected the hall to be full, so the second half of the session was held outside.",
    "A new date will be announced in the first week of June, once the report has been printed.",
)
ARTICLE = "".join(f"<p>{p}</p>" for p in PROSE)


def content(body: str, head: str = "") -> Content:
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return extract_content(Document.parse(html, url="https://example.org/x"))


@pytest.mark.parametrize(
    ("raw", "fit", "selected"),
    [
        ("r" * 6000, "f" * 4000, "fit"), ("r" * 6000, "f" * 103, "raw"),
        ("r" * 800, "f" * 500, "fit"), ("r" * 800, "f" * 499, "raw"),
        ("r" * 5001, "f" * 500, "raw"), ("r" * 5000, "f" * 500, "fit"), ("", "", "raw"),
    ],
)  # fmt: skip
def test_fit_is_selected_unless_pruning_took_too_much(raw: str, fit: str, selected: str) -> None:
    choice, reason = select(raw, fit)
    assert choice == selected
    assert str(len(fit)) in reason


JUNK = {
    "navigation": "<nav><a href='/'>Home page of the site</a></nav>",
    "role": "<div role='navigation'><a href='/'>Home page of the site</a></div>",
    "advertisement": "<div class='ad-box'><p>Buy a fine umbrella today, before it rains.</p></div>",
    "cookie banner": "<div id='cookie-consent'><p>We use cookies here, do you agree?</p></div>",
    "share bar": "<div class='shareBar'><span>Tell all of your friends about this</span></div>",
    "newsletter": "<section class='newsletter'><p>Get our news by mail, every day.</p></section>",
    "related": "<div class='related_articles'><p>The other story, which you may like.</p></div>",
    "comments": "<div id='comments'><p>I was there as well, and it was too hot.</p></div>",
    "site header": "<header><div>Home of the Gazette</div></header>",
    "aside": "<aside><p>The opening hours of the hall are from nine to five.</p></aside>",
    "footer": "<footer><p>All of this belongs to the publisher, and to nobody else.</p></footer>",
    "hidden": "<div style='display: none'><p>This is a template that no reader will see.</p></div>",
}  # fmt: skip


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK.keys())
def test_boilerplate_is_neither_text_nor_markdown(junk: str) -> None:
    found = content(f"<article><h1>The postponed vote</h1>{ARTICLE}</article>{junk}")
    words = Document.parse(junk, url="").root.text_content().strip()
    assert all(p in found.text for p in PROSE)
    assert words not in found.text
    assert words not in found.raw_markdown


def test_a_header_inside_an_article_is_content() -> None:
    found = content(f"<article><header><h1>The postponed vote</h1><p>{PROSE[0]}</p></header>"
                    f"<p>{PROSE[1]}</p><p>{PROSE[2]}</p></article>")  # fmt: skip
    assert PROSE[0] in found.text
    assert found.raw_markdown.startswith("# The postponed vote")


@pytest.mark.parametrize(
    "wrapper",
    ["<form action='/x'>{}</form>", "<div class='has-sidebar'>{}</div>", "<div id='menu'>{}</div>",
     "<aside>{}</aside>", "<div style='display:none'>{}</div>"],
)  # fmt: skip
def test_a_box_around_the_whole_page_is_no_boilerplate(wrapper: str) -> None:
    assert PROSE[1] in content(wrapper.format(f"<h1>The vote</h1>{ARTICLE}")).text


def test_the_headline_is_not_repeated_in_the_text_but_opens_the_markdown() -> None:
    found = content(
        f"<h1>The postponed vote</h1>{ARTICLE}", "<title>The postponed vote | News</title>"
    )
    assert "postponed vote" not in found.text.split("\n")[0]
    assert found.fit_markdown.startswith("# The postponed vote")


def test_a_paragraph_that_is_repeated_appears_once() -> None:
    assert content(f"<article>{ARTICLE}<p>{PROSE[0]} {PROSE[1]}</p><p>{PROSE[0]} {PROSE[1]}</p>"
                   "</article>").text.count(f"{PROSE[0]} {PROSE[1]}") == 1  # fmt: skip


def test_text_keeps_lists_cells_and_code() -> None:
    found = content(f"<article>{ARTICLE}<ul><li>first thing to do</li><li>second thing</li></ul>"
                    "<table><tr><th>Name</th><th>Room</th></tr><tr><td>Ann</td><td>12</td></tr></table>"
                    f"<pre>if x:\n    y()</pre><p>{PROSE[0]}!</p></article>")  # fmt: skip
    assert "\n- first thing to do\n- second thing\n" in found.text
    assert "Name\tRoom\nAnn\t12" in found.text
    assert "if x:\n    y()" in found.text


def test_the_nearest_candidate_is_named_and_its_element_given() -> None:
    found = content(f"<div class='x'><article><h1>The vote</h1>{ARTICLE}</article></div><p>bye</p>")
    assert found.text_source == "article"
    assert found.main is not None
    assert found.main.tag == "article"
    assert found.word_count == len(found.text.split())


@pytest.mark.parametrize("body", ["", "<p></p>", "<script>x</script>", "<img src='/a.png'>"])
def test_a_page_without_text_gives_an_empty_text(body: str) -> None:
    found = content(body)
    assert found.text == ""
    assert found.selected == "raw"
    assert found.word_count == 0


def test_default_selectors_cover_what_people_look_for() -> None:
    assert {'[class*="share"]', '[class*="newsletter"]', '[class*="cookie"]', '[class*="comment"]',
            ".ad", '[class*="related"]'} <= set(DEFAULT_EXCLUDED_SELECTORS)  # fmt: skip


CARDS = "".join(
    f"<div class='item'><h4><a href='/{n}'>Another story, number {n}</a></h4>"
    f"<p>The {n}th story is long too, it has a sentence or two, and it is not this one.</p></div>"
    for n in range(9)
)


def test_cards_outside_the_container_of_the_headline_are_not_the_story() -> None:
    found = content(f"<div class='a'><h1>The postponed vote</h1>{ARTICLE * 2}</div>"
                    f"<div class='b'>{CARDS}</div>")  # fmt: skip
    assert PROSE[2] in found.text
    assert "th story is long too" not in found.text


def test_articles_in_an_article_are_not_the_story() -> None:
    nested = "".join(f"<article><p>{p} So says a reader.</p></article>" for p in PROSE)
    found = content(
        f"<article><div><h1>The postponed vote</h1>{ARTICLE * 2}</div>{nested}</article>"
    )
    assert PROSE[2] in found.text
    assert "So says a reader" not in found.text


@pytest.mark.slow
def test_a_page_that_was_cut_says_so() -> None:
    assert "only the first" in content("<p>word</p>" * 60_000).selection_reason
