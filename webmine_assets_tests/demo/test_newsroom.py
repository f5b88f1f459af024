import json
from collections import Counter

import feedparser
import pytest
from lxml import etree

from webmine_assets.demo.newsroom import Article, build_newsroom
from webmine_assets.demo.painter import read_records
from webmine_assets_tests.demo.walk import (
    BASE_URL,
    assert_well_formed,
    html_pages,
    internal_targets,
    parse,
    text_of,
)

SITE = build_newsroom(BASE_URL)
PAGES = html_pages(SITE)
ARTICLES = [Article(**record) for record in read_records("newsroom", "article")]
BY_PATH = {article.path: article for article in ARTICLES}


def articles_with(markup: str) -> list[Article]:
    return [article for article in ARTICLES if article.markup == markup]


def test_there_are_at_least_25_articles_in_every_markup():
    assert len(BY_PATH) == len(ARTICLES) >= 25
    counts = Counter(article.markup for article in ARTICLES)
    assert set(counts) == {"opengraph", "twitter", "jsonld", "microdata", "bare"}
    assert min(counts.values()) >= 4


def test_there_are_several_sections_and_a_press_section():
    sections = Counter(article.section for article in ARTICLES)
    expected = {"technology", "ai", "health", "sports", "finance", "environment", "press"}
    assert expected <= set(sections)
    assert min(sections.values()) >= 3
    assert all(f"/{section}" in PAGES for section in sections)


@pytest.mark.parametrize("path", sorted(PAGES))
def test_pages_are_well_formed_and_declare_address_and_feeds(path):
    assert_well_formed(PAGES[path])
    page = parse(PAGES[path])
    assert page.xpath("//link[@rel='canonical']/@href") == [BASE_URL + path]
    assert page.xpath("//link[@rel='alternate']/@href") == ["/feeds/rss.xml", "/feeds/atom.xml"]


@pytest.mark.parametrize("path", sorted(BY_PATH))
def test_articles_have_paragraphs_and_the_boxes_around_them(path):
    page = parse(PAGES[path])
    body = text_of(PAGES[path], "//div[@class='article-body']//p")
    assert len(page.xpath("//div[@class='article-body']/p")) >= 3
    assert len(body) > 600
    for name in ("related-articles", "share-bar", "newsletter-signup", "comments"):
        assert len(page.xpath(f"//*[@class='{name}']")) == 1
    assert len(page.xpath("//div[@class='related-articles']//a")) == 3


def test_every_internal_link_resolves():
    assert {a for a, found in internal_targets(SITE).items() if found.status != 200} == set()


@pytest.mark.parametrize("article", articles_with("opengraph"), ids=lambda a: a.slug)
def test_open_graph_articles_tell_all_in_meta(article):
    page = parse(PAGES[article.path])

    def content(name: str) -> list[str]:
        return page.xpath("//meta[@property=$name]/@content", name=name)

    assert content("og:title") == [article.title]
    assert content("og:image") == [BASE_URL + article.image]
    assert content("article:published_time") == [article.published.isoformat()]
    assert content("article:tag") == article.tags
    assert page.xpath("//meta[@name='author']/@content") == [article.author]


@pytest.mark.parametrize("article", articles_with("twitter"), ids=lambda a: a.slug)
def test_twitter_articles_carry_a_card_and_keywords(article):
    page = parse(PAGES[article.path])
    assert page.xpath("//meta[@name='twitter:title']/@content") == [article.title]
    assert page.xpath("//meta[@name='keywords']/@content") == [", ".join(article.tags)]
    assert page.xpath("//a[@rel='author']/text()") == [article.author]


@pytest.mark.parametrize("article", articles_with("jsonld"), ids=lambda a: a.slug)
def test_json_ld_parses(article):
    (script,) = parse(PAGES[article.path]).xpath("//script[@type='application/ld+json']/text()")
    record = json.loads(script)
    assert record["@type"] == "NewsArticle"
    assert record["headline"] == article.title
    assert record["author"][0]["name"] == article.author
    assert record["datePublished"] == article.published.isoformat()


@pytest.mark.parametrize("article", articles_with("microdata"), ids=lambda a: a.slug)
def test_microdata_articles_are_items(article):
    page = parse(PAGES[article.path])
    assert page.xpath("//*[@itemprop='headline']/text()") == [article.title]
    assert page.xpath("//*[@itemprop='author']//*[@itemprop='name']/text()") == [article.author]
    assert page.xpath("//*[@itemprop='datePublished']/@content") == [article.published.isoformat()]


@pytest.mark.parametrize("article", articles_with("bare"), ids=lambda a: a.slug)
def test_bare_articles_have_visible_text_only(article):
    page = parse(PAGES[article.path])
    assert not page.xpath("//meta[@property] | //meta[@name='description'] | //script")
    assert page.xpath("string(//p[@class='byline'])").startswith(f"By {article.author}")
    assert page.xpath("//li[@class='tag']/text()") == article.tags


@pytest.mark.parametrize(
    ("path", "version"), [("/feeds/rss.xml", "rss20"), ("/feeds/atom.xml", "atom10")]
)
def test_feeds_are_valid_and_name_newest_articles_first(path, version):
    feed = feedparser.parse(SITE.resources[path].body)
    dates = [entry.published_parsed for entry in feed.entries]
    assert (feed.bozo, feed.version, len(feed.entries)) == (False, version, 15)
    assert dates == sorted(dates, reverse=True)
    for entry in feed.entries:
        article = BY_PATH[entry.link.removeprefix(BASE_URL)]
        assert (entry.title, entry.author) == (article.title, article.author)
        assert [tag.term for tag in entry.tags] == article.tags


def test_sitemap_lists_all_articles():
    root = etree.fromstring(SITE.resources["/sitemap.xml"].body)
    listed = {loc.text.removeprefix(BASE_URL) for loc in root.iter("{*}loc")}
    assert set(BY_PATH) < listed <= set(PAGES)


def test_one_article_has_code_and_one_a_table():
    with_code = [path for path in BY_PATH if parse(PAGES[path]).xpath("//pre/code")]
    with_table = [path for path in BY_PATH if parse(PAGES[path]).xpath("//table/tbody/tr")]
    assert (len(with_code), len(with_table)) == (1, 1)


def test_content_is_the_same_every_time():
    assert build_newsroom(BASE_URL) == SITE
