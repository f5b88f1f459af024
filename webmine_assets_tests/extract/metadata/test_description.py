import pytest

from webmine_assets_tests.extract.metadata.pages import (
    json_ld,
    meta,
    metadata_of,
    page,
    provenance_of,
    source_of,
)

OG = meta("og:description", "The description from Open Graph.", key="property")
TWITTER = meta("twitter:description", "The description from the Twitter card.")
META = meta("description", "The description from the standard tag.")
MICRODATA = '<div itemprop="description">The description from microdata.</div>'
JSON_LD = json_ld('{"@type": "WebPage", "description": "The description from structured data."}')
DUBLIN_CORE = meta("DC.description", "The description from Dublin Core.")
PARAGRAPH = (
    "<article><p>The first paragraph of the article is long enough to say something.</p></article>"
)


@pytest.mark.parametrize(
    ("head", "body", "source"),
    [
        (OG + TWITTER + META, PARAGRAPH, "og:description"),
        (TWITTER + META, PARAGRAPH, "twitter:description"),
        (META + JSON_LD, MICRODATA, "meta:description"),
        (JSON_LD + DUBLIN_CORE, MICRODATA, "itemprop:description"),
        (JSON_LD + DUBLIN_CORE, "", "json-ld:description"),
        (DUBLIN_CORE, PARAGRAPH, "dc.description"),
        ("", PARAGRAPH, "first-p"),
    ],
)
def test_each_source_wins_when_the_earlier_ones_are_missing(head, body, source):
    assert source_of(metadata_of(page(head, body)), "description") == f"description:{source}"


@pytest.mark.parametrize(("length", "valid"), [(19, False), (20, True), (500, True), (501, False)])
def test_twenty_to_five_hundred_characters_are_valid(length, valid):
    metadata = metadata_of(page(meta("description", "x" * length)))
    assert (metadata.description is not None) is valid


def test_white_space_markup_and_entities_are_cleaned():
    head = meta(
        "description",
        "&lt;p&gt;Two\n  lines &amp;amp; some &lt;b&gt;markup&lt;/b&gt; here&lt;/p&gt;",
    )
    assert metadata_of(page(head)).description == "Two lines & some markup here"


def test_a_description_cut_short_loses_to_the_whole_one():
    whole = "A long story of a town and its river that ends in spring."
    head = meta("og:description", "A long story of a town and its river th...") + meta(
        "description", whole
    )
    metadata = metadata_of(page(head))
    assert (metadata.description, source_of(metadata, "description")) == (
        whole,
        "description:meta:description",
    )
    assert "cut short" in provenance_of(metadata, "description").lost[0].reason


def test_the_first_paragraph_is_prose_of_the_article():
    body = (
        "<nav><p>A paragraph in the navigation that is quite long but no description.</p></nav>"
        "<article><p>(Photo: The photographer)</p><p>The council decided on Monday to build a new"
        " bridge across the river next year.</p></article>"
    )
    assert metadata_of(page("", body)).description.startswith("The council decided")


def test_of_two_cuts_of_one_text_the_shorter_is_the_summary():
    text = "The council met on Monday and spoke of the bridge, the river and the budget of the town"
    head = meta("og:description", f"{text} for next year and the years [...]") + meta(
        "description", f"{text}..."
    )
    metadata = metadata_of(page(head))
    assert metadata.description == f"{text}..."
    head = meta("og:description", f"{text}...") + meta("description", f"{text} for next year ...")
    assert source_of(metadata_of(page(head)), "description") == "description:og:description"
