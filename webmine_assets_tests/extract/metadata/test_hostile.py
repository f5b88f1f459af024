import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmine_assets.extract.document import Document
from webmine_assets.extract.topics import extract_topics
from webmine_assets_tests.extract.metadata.pages import URL, json_ld, meta, metadata_of, page

SPACES = " " * 50_000
ATTRIBUTES = (
    "title",
    "class",
    "itemprop",
    "property",
    "rel",
    "href",
    "src",
    "datetime",
    "content",
    "id",
    "role",
)


def test_ten_thousand_meta_tags_are_harmless():
    many = "".join(meta(f"article:tag{i}", f"value {i}") for i in range(5_000))
    same = "".join(meta("author", f"Person Number{i}") for i in range(5_000))
    metadata = metadata_of(page(many + same + "<title>Still a title</title>"))
    assert metadata.title == "Still a title"
    assert len(metadata.authors) <= 50
    assert all(len(entry.lost) <= 24 for entry in metadata.provenance)


def test_endless_white_space_and_separators_cost_no_time():
    head = (
        f"<title>a{SPACES}|{SPACES}b</title>"
        + meta("og:title", f"x{SPACES}y" + " - " * 20_000)
        + meta("author", "by " * 20_000)
        + meta("date", "1" * 100_000)
        + meta("description", "<" * 100_000)
        + meta("keywords", ",".join(["word"] * 20_000))
    )
    metadata = metadata_of(page(head, f"<h1>{'a ' * 50_000}</h1><p>{'1.1.' * 50_000}</p>"))
    assert metadata.authors == ()


def test_deep_nesting_is_read_without_recursion():
    html = page("", "<div class='author'>" * 3_000 + "Jane Doe" + "</div>" * 3_000)
    metadata_of(html)


def test_half_characters_of_json_can_be_stored():
    head = json_ld(
        '{"@type": "Article", "headline": "Half \\ud83d title", "author": "A \\udc00 B"}'
    )
    metadata = metadata_of(page(head))
    metadata.title.encode()
    repr(metadata.provenance).encode()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ATTRIBUTES), st.text(max_size=40)), max_size=6))
def test_no_attribute_value_makes_it_raise(attributes):
    def escaped(value: str) -> str:
        return value.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")

    written = " ".join(f'{name}="{escaped(value)}"' for name, value in attributes)
    html = page(
        f"<meta name='date' {written}>",
        f"<a {written}>x</a><time {written}>y</time><h1 {written}>z</h1>",
    )
    metadata_of(html)
    extract_topics(Document.parse(html, url=URL), "text", url=URL)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_no_json_ld_and_no_address_make_it_raise(json, url):
    metadata_of(page(json_ld(json)), url=url)
    extract_topics(Document.parse(page(), url=url), json, url=url)


@pytest.mark.parametrize(
    "json",
    [
        "[" * 100_000,
        "[" * 50_000 + "]" * 50_000,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"@type": "Article", "author": ' + "[" * 500 + '"A B"' + "]" * 500 + "}",
        '{"@type": "Article" ,' + " " * 200_000 + '"a"',
        '{"@type": "Article", "datePublished": NaN, "author": 1e999, "headline": null}',
        '{"@graph": [{"@id": "#a", "@type": "Article", "author": {"@id": "#b"},'
        ' "headline": {"@id": "#a"}}, {"@id": "#b", "author": {"@id": "#a"}, "name": null}]}',
    ],
    ids=["open", "deep", "objects", "author", "spaces", "numbers", "cyclic"],
)
def test_deep_cyclic_and_broken_json_ld_is_passed_over(json):
    metadata = metadata_of(page("<title>Still a title</title>" + json_ld(json)))
    assert (metadata.title, metadata.authors) == ("Still a title", ())
    assert metadata.published_at is None


def test_attributes_of_a_megabyte_are_harmless():
    body = f'<div class="{"author " * 100_000}" id="{"comment" * 100_000}">By Jane Doe</div>'
    metadata_of(page(meta("date", "1" * 1_000_000), body))
