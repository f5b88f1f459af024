import pytest

from webmine_assets_tests.extract.metadata.pages import metadata_of, page, source_of

WORDS = "The council met on Monday and spoke of the bridge across the river."


def _in(tag: str, attributes: str = "") -> str:
    return f"<{tag} {attributes}>{WORDS}</{tag}>"


@pytest.mark.parametrize(
    ("body", "source"),
    [
        (_in("article") + _in("main") + f"<p>{WORDS}</p>", "article"),
        (_in("div", 'role="main"') + _in("main"), "role:main"),
        (_in("div", 'itemprop="articleBody"') + _in("main"), "itemprop:articleBody"),
        (_in("main") + _in("div", 'class="content"'), "main"),
        (_in("div", 'class="content"') + _in("div", 'class="article-body"'), "class:content"),
        (_in("div", 'class="wide post-content"'), "class:content"),
        (_in("div", 'class="entry-content"'), "class:content"),
        (_in("div", 'class="article-body"') + _in("div", 'class="post"'), "class:article"),
        (_in("div", 'class="article-content"'), "class:article"),
        (_in("div", 'class="post"') + _in("div", 'id="content"'), "class:post"),
        (_in("div", 'class="entry"'), "class:post"),
        (_in("div", 'id="content"') + f"<p>{WORDS}</p>", "id:content"),
        (_in("div", 'id="main-content"'), "id:content"),
        (f"<div><p>{WORDS}</p></div>", "paragraphs"),
    ],
)
def test_each_container_wins_when_the_earlier_ones_are_missing(body, source):
    metadata = metadata_of(page("", body))
    assert source_of(metadata, "content") == f"content:{source}"
    assert metadata.content_text == WORDS


def test_a_container_with_less_than_fifty_characters_loses():
    body = f"<article>{'x' * 49}</article><main>{'y' * 50}</main>"
    metadata = metadata_of(page("", body))
    assert metadata.content_text == "y" * 50


def test_two_thousand_characters_are_kept_and_all_words_counted():
    metadata = metadata_of(page("", f"<article>{'word ' * 1000}</article>"))
    assert len(metadata.content_text) <= 2000
    assert metadata.word_count == 1000


def test_navigation_scripts_and_advertisements_are_left_out():
    body = (
        "<article><nav>Menu</nav><script>var x;</script><style>p{}</style><aside>See also</aside>"
        f'<div class="ad">Buy now</div><div class="advertisement">Buy</div><p>{WORDS}</p>'
        '<div class="shadow">kept</div><footer>Imprint</footer></article>'
    )
    assert metadata_of(page("", body)).content_text == f"{WORDS} kept"


def test_a_page_without_text_has_none():
    metadata = metadata_of(page())
    assert (metadata.content_text, metadata.word_count) == (None, 0)
