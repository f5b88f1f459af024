"""Selectors, proposals, effects and samples of the rule workshop."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from webmine_assets.extract.document import Document
from webmine_assets.institutions import ExtractionRule
from webmine_assets.settings import Settings
from webmine_assets.storage.lake import Lake
from webmine_assets.studio.rules.effect import diff_lines, lost_share, measure_effect
from webmine_assets.studio.rules.language_model import LanguageModel, read_selectors
from webmine_assets.studio.rules.proposals import propose, wanted_words
from webmine_assets.studio.rules.sample import Samples, spread
from webmine_assets.studio.rules.selectors import (
    ancestry,
    best_selector,
    choose,
    escape_name,
    is_lasting,
)
from webmine_assets_tests.factories import snapshot
from webmine_assets_tests.studio.corpus import ARTICLE_ID, NEWSROOM

PAGE = """<html><body>
<nav class="menu main-menu"><a href="/">Home</a></nav>
<article><h1>Title</h1><p>The text of the article, long enough to read it twice.</p>
<div class="css-1x2y3z related-articles"><h2>You may also like</h2> <ul><li><a href="/a">A</a></li>
<li><a href="/b">B</a></li></ul></div>
<div id="c-48213"><b>Numbered</b></div>
<section aria-label="Advertisement"><p>Buy this.</p></section></article>
</body></html>"""


def page(html: str = PAGE) -> Document:
    return Document.parse(html, url="https://u1.edu/")


def number_of(document: Document, selector: str) -> int:
    return document.elements.index(document.root.cssselect(selector)[0])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("related-articles", True),
        ("css-1x2y3z", False),
        ("post-48213", False),
        ("Teaser__aB3xY", False),
        ("x", False),
        ("main", True),
    ],
)
def test_names_that_a_build_made_do_not_last(name: str, expected: bool) -> None:
    assert is_lasting(name) is expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (".related-articles", ".related-articles"),
        (".menu", ".main-menu"),
        ("section", "section"),
        ("#c-48213", "article > div:nth-of-type(2)"),
        (".related-articles li + li", ".related-articles > ul:nth-of-type(1) > li:nth-of-type(2)"),
    ],
)
def test_the_best_selector_is_short_and_lasting(selector: str, expected: str) -> None:
    document = page()
    element = document.root.cssselect(selector)[0]
    found = best_selector(document, element)
    assert found == expected
    assert element in document.root.cssselect(found)


def test_a_click_inside_a_box_means_the_box() -> None:
    document = page()
    chain = ancestry(document, number_of(document, ".related-articles a"))
    chosen = choose(chain, document)
    assert chosen is not None
    assert chosen.selector == ".related-articles"
    assert chain[0].label == "a"


@pytest.mark.parametrize("name", ["a", "md:flex", "1st", "w-1/2", "größe", "a.b", "--x"])
def test_any_class_name_becomes_a_selector_that_finds_it(name: str) -> None:
    document = page(f'<p class="{name}">x</p>')
    assert len(document.root.cssselect(f".{escape_name(name)}")) == 1


@pytest.mark.parametrize(
    ("words", "selector"),
    [
        ("remove the related articles", ".related-articles"),
        ("You may also like", ".related-articles"),
        ("ads", "section"),
        ("the menu please", ".main-menu"),
    ],
)
def test_words_find_what_they_describe(words: str, selector: str) -> None:
    assert propose(page(), words)[0].selector == selector


@pytest.mark.parametrize("words", ["", "remove the", "zebra", "42 !!"])
def test_words_that_name_nothing_propose_nothing(words: str) -> None:
    assert propose(page(), words) == []


def test_vague_words_count_only_alone() -> None:
    assert "article" not in wanted_words("related articles")
    assert wanted_words("articles") == ["article"]


def test_a_proposal_says_what_it_would_remove() -> None:
    first = propose(page(), "related")[0]
    assert (first.elements, first.snippet) == (1, "You may also like A B")
    assert 0 < first.text_share < 0.5
    assert "related-articles" in first.why


def test_an_effect_counts_elements_and_text() -> None:
    effect = measure_effect(page(), ExtractionRule(value="article"), [])
    assert effect.elements == 1
    assert effect.text_share > 0.8
    assert effect.is_harsh


def test_nested_matches_are_counted_once_in_the_share() -> None:
    effect = measure_effect(page(), ExtractionRule(value="body, article, p"), [])
    assert effect.text_share <= 1


def test_rules_there_are_already_are_part_of_before() -> None:
    kept = ExtractionRule(value=".related-articles")
    effect = measure_effect(page(), ExtractionRule(value="h1"), [kept])
    assert "also like" not in effect.before


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [("", "", 0), ("a\nb", "a\nb", 0), ("aa\nbb", "aa", 0.5), ("aa", "new text", 1)],
)
def test_the_lost_share_counts_lines_that_are_gone(before: str, after: str, share: float) -> None:
    assert lost_share(before, after) == share


def test_a_difference_shows_what_goes_with_its_surroundings() -> None:
    lines = diff_lines("a\nb\nc\nd\ne\nf", "a\nb\nd\ne\nf")
    assert [(line.kind, line.text) for line in lines] == [
        ("same", "a"), ("same", "b"), ("removed", "c"), ("same", "d"), ("same", "e")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("count", "wanted", "expected"),
    [(0, 3, []), (2, 3, [0, 1]), (3, 3, [0, 1, 2]), (10, 3, [0, 3, 6])],
)
def test_samples_are_spread_evenly(count: int, wanted: int, expected: list[int]) -> None:
    assert spread(count, wanted) == expected


def test_a_sample_follows_its_partition(settings: Settings) -> None:
    lake = Lake(settings.lake)
    samples = Samples(lake)
    first = samples.sample(NEWSROOM)
    assert len(first) == 20
    assert samples.sample(NEWSROOM) is first
    pdf = snapshot("https://u1.edu/a.pdf", institution=NEWSROOM, content_type="application/pdf")
    lake.write("page_snapshots", NEWSROOM, [pdf, snapshot(institution=NEWSROOM)])
    assert [found.url for found in samples.sample(NEWSROOM)] == ["https://u1.edu/"]
    assert samples.sample("nobody") == []


def test_one_page_is_read_by_its_id(settings: Settings) -> None:
    samples = Samples(Lake(settings.lake))
    found = samples.read_page(NEWSROOM, ARTICLE_ID)
    assert found is not None
    assert b"related-articles" in found.body
    assert samples.read_page(NEWSROOM, "nope") is None
    assert samples.read_page("nobody", ARTICLE_ID) is None


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('[".a", "#b"]', [".a", "#b"]),
        ('Sure: ```json\n[".a"]\n```', [".a"]),
        ("no idea", []),
        ("[broken", []),
        ('[1, null, ""]', []),
        ('{"selectors": [".a"]}', [".a"]),
    ],
)
def test_only_selectors_are_read_from_a_model(answer: str, expected: list[str]) -> None:
    assert read_selectors(answer) == expected


async def asked(answer: Any) -> tuple[tuple[list[str], str], dict[str, Any]]:
    """What the model proposes when its server answers so, and what it was sent."""
    seen: dict[str, Any] = {}

    async def complete(request: web.Request) -> web.Response:
        seen.update(await request.json(), key=request.headers.get("Authorization"))
        return answer if isinstance(answer, web.Response) else web.json_response(answer)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", complete)
    async with TestServer(app) as server:
        model = LanguageModel(url=str(server.make_url("/v1")), model="small", key="secret")
        return await model.propose(page(), "related"), seen


async def test_a_configured_model_is_asked_with_the_outline() -> None:
    answer = {"choices": [{"message": {"content": '[".related-articles"]'}}]}
    (selectors, note), seen = await asked(answer)
    assert (selectors, note) == ([".related-articles"], "")
    assert (seen["model"], seen["key"]) == ("small", "Bearer secret")
    assert "related-articles" in seen["messages"][1]["content"]


async def test_an_answer_that_comes_in_pieces_is_read_whole() -> None:
    whole = json.dumps({"choices": [{"message": {"content": '[".a"]'}}]}).encode()

    async def complete(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        for start in range(0, len(whole), 20):
            await answer.write(whole[start : start + 20])
            await asyncio.sleep(0.01)
        return answer

    app = web.Application()
    app.router.add_post("/chat/completions", complete)
    async with TestServer(app) as server:
        model = LanguageModel(url=str(server.make_url("/")), model="small")
        assert await model.propose(page(), "related") == ([".a"], "")


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"choices": "x" * 300_000},
        web.Response(status=500),
        web.Response(text="no json"),
    ],
)
async def test_a_model_that_fails_is_a_note(answer: Any) -> None:
    (selectors, note), _ = await asked(answer)
    assert selectors == []
    assert note.startswith("the model could not be asked")
