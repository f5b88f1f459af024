import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.extract.taxonomy import CATEGORIES, PARENTS
from webmine_assets.extract.vocabulary import categories_in, normalise, parents_of


@pytest.mark.parametrize(
    ("raw", "topic"),
    [
        ("  Web   Development ", "web development"),
        ("Node.js!", "nodejs"),
        ("COVID-19", "covid-19"),
        ("#Climate", "climate"),
        ("Ökologie", "ökologie"),
        ("ab", None),
        ("abc", "abc"),
        ("x" * 30, "x" * 30),
        ("x" * 31, None),
        ("2024", None),
        ("20-24", None),
        ("the", None),
        ("blog", None),
        ("", None),
        ("---", None),
        ("AI", "ai"),
        ("UX", "ux"),
    ],
)
def test_topics_are_normalised(raw, topic):
    assert normalise(raw) == topic


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(raw):
    topic = normalise(raw)
    assert topic is None or normalise(topic) == topic


def test_there_are_the_nineteen_categories():
    assert len(CATEGORIES) == 19
    assert all(len(keywords.split()) >= 5 for keywords in CATEGORIES.values())


@pytest.mark.parametrize("category", CATEGORIES)
def test_two_distinct_keywords_make_a_category_and_one_does_not(category):
    first, second = (k.replace("_", " ") for k in CATEGORIES[category].split()[:2])
    assert category in categories_in(f"Some {first.upper()}, then {second}.")
    assert category not in categories_in(f"Some {first} and {first} again.")


@pytest.mark.parametrize(
    "text",
    [
        "The codec of a subdeveloper in softwares-like decoding",
        "machine and learning, neural or network",
        "A party of partners started",
    ],
)
def test_parts_of_words_and_torn_phrases_do_not_count(text):
    assert categories_in(text) == {}


def test_plurals_count_as_the_keyword():
    assert categories_in("Students and universities")["education"] == ("student", "university")


def test_a_keyword_of_two_categories_counts_for_both():
    found = categories_in("The market: a company and its stock")
    assert (found["business"], found["finance"]) == (("company", "market"), ("market", "stock"))


@pytest.mark.parametrize(
    ("topic", "parents"),
    [
        ("react", ("javascript", "technology")),
        ("coding", ("programming", "technology")),
        ("bitcoin", ("crypto", "finance")),
        ("election", ("politics",)),
        ("medical devices", ("health",)),
        ("react hooks", ("react", "javascript", "technology")),
        ("technology", ()),
        ("bridges", ()),
    ],
)
def test_topics_have_broader_ones_nearest_first(topic, parents):
    assert parents_of(topic) == parents


@given(st.sampled_from(sorted(PARENTS)))
def test_every_chain_of_parents_ends_in_a_category(topic):
    assert parents_of(topic)[-1] in CATEGORIES


@pytest.mark.parametrize(
    "text",
    [
        "Climate, EMISSIONS.",
        "3climate (emissions)",
        "«climate»—emissions2 emissions",
        "climate\uff0cemissions",
    ],
)
def test_words_are_found_between_any_signs(text: str) -> None:
    assert "environment" in categories_in(text)


@pytest.mark.parametrize(
    "text", ["climates2 emissionsx", "klimaclimate emissions", "climaté emissions"]
)
def test_parts_of_words_are_no_keywords(text: str) -> None:
    assert "environment" not in categories_in(text)
