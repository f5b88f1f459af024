import pytest
from lxml import html

from webmine_assets.extract.structured import (
    page_nodes,
    parse_json_ld,
    people,
    texts,
    types_of,
    urls,
)


def _nodes(*scripts: str):
    root = html.fromstring("<div></div>")
    for script in scripts:
        element = html.Element("script", type="application/ld+json")
        element.text = script
        root.append(element)
    return parse_json_ld(root.iter("script"))


@pytest.mark.parametrize(
    "broken",
    [
        '<!-- {"@type": "Article", "headline": "Found"} -->',
        '//<![CDATA[\n{"@type": "Article", "headline": "Found"}\n//]]>',
        '{"@type": "Article", "headline": "Found",}',
        '{"@type": "Article", "tags": ["a", "b",], "headline": "Found"};',
        '{"@type": "Article"\n"headline": "Found"}',
        '{"@type": "Article", "headline": "Found", "text": "two\nlines\tand a tab"}',
        "{&quot;@type&quot;: &quot;Article&quot;, &quot;headline&quot;: &quot;Found&quot;}",
    ],
)
def test_broken_json_is_repaired(broken):
    assert _nodes(broken)[0]["headline"] == "Found"


@pytest.mark.parametrize(
    "hopeless", ["", "{", "var x = 1;", "[" * 100_000, '{"a": ' * 5_000, "null", '"text"', "12"]
)
def test_hopeless_json_is_skipped(hopeless):
    assert _nodes(hopeless, '{"@type": "Article"}') == [{"@type": "Article"}]


def test_graphs_and_nested_nodes_are_flattened():
    nodes = _nodes('{"@graph": [{"@type": "WebPage", "mainEntity": {"@type": "Article"}}]}')
    assert [types_of(node) for node in nodes] == [(), ("WebPage",), ("Article",)]


def test_references_are_filled_in():
    nodes = _nodes(
        '{"@graph": [{"@type": "Article", "author": {"@id": "#jane"}},'
        ' {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}]}'
    )
    assert people(page_nodes(nodes)[0]["author"]) == ["Jane Doe"]


def test_a_reference_in_a_circle_ends():
    nodes = _nodes('{"@id": "#a", "x": {"@id": "#a"}, "@type": "Article"}')
    assert nodes[0]["x"]["@type"] == "Article"


def test_articles_come_before_other_page_types_and_the_rest_is_left_out():
    nodes = _nodes(
        '[{"@type": "Organization"}, {"@type": "WebPage"}, {"@type": ["schema:NewsArticle"]},'
        ' {"@type": "https://schema.org/BreadcrumbList"}]'
    )
    assert [types_of(node) for node in page_nodes(nodes)] == [("NewsArticle",), ("WebPage",)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", ["a"]),
        (["a", {"@value": "b"}, {"name": "c"}, 7, None, ["d"]], ["a", "b", "c", "7"]),
        ({"other": "x"}, []),
        (None, []),
        (True, []),
    ],
)
def test_texts_of_any_property_value(value, expected):
    assert texts(value) == expected


def test_addresses_of_any_image_value():
    assert urls([{"url": "a"}, "b", {"contentUrl": "c"}, 5]) == ["a", "b", "c"]


def test_many_nodes_are_bounded():
    nodes = _nodes("[" + ",".join(['{"@type": "Article"}'] * 10_000) + "]")
    assert len(nodes) == 3_000
