import pytest

from webmine_assets.extract.document import Document
from webmine_assets.extract.topics import extract_topics
from webmine_assets_tests.extract.metadata.pages import json_ld, meta, page

URL = "https://www.example.org/"
PLAIN = "https://www.example.org/x"


def _topics(head="", body="", *, text="", url=PLAIN, user=()):
    document = Document.parse(page(head, body), url=url)
    return extract_topics(document, text, url=url, user_topics=user)


def _names(topics):
    return [topic.topic for topic in topics]


def test_the_react_tutorial_has_the_topics_of_the_specification():
    head = (
        meta("keywords", "web development, javascript, react")
        + meta("article:tag", "frontend", key="property")
        + meta("article:tag", "coding", key="property")
    )
    text = "Programming is fun: a developer writes code. Code is what a developer likes."
    topics = _topics(head, text=text, url="https://example.org/blog/react-tutorial")
    assert _names(topics) == [
        "web development",
        "javascript",
        "react",
        "frontend",
        "coding",
        "technology",
    ]
    by_name = {topic.topic: topic for topic in topics}
    assert by_name["react"].sources == ("meta:keywords", "url:path")
    assert by_name["react"].parents == ("javascript", "technology")
    assert by_name["technology"].sources == ("content:analysis",)
    assert by_name["technology"].keywords == ("code", "developer", "programming")
    assert [topic.rank for topic in topics] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("head", "body", "url", "source"),
    [
        (meta("keywords", "bridges"), "", PLAIN, "meta:keywords"),
        (meta("article:tag", "bridges", key="property"), "", PLAIN, "article:tag"),
        ("", '<span itemprop="keywords">bridges</span>', PLAIN, "itemprop:keywords"),
        (json_ld('{"@type": "Article", "keywords": "bridges"}'), "", PLAIN, "itemprop:keywords"),
        ("", '<a rel="tag" href="/t">Bridges</a>', PLAIN, "html:tags"),
        ("", '<ul class="tags"><li><a>Bridges</a></li></ul>', PLAIN, "html:tags"),
        ("", '<span class="category">Bridges</span>', PLAIN, "html:tags"),
        ("", "", "https://example.org/blog/bridges/2020", "url:path"),
    ],
)
def test_each_source_names_topics(head, body, url, source):
    (topic,) = _topics(head, body, url=url)
    assert (topic.topic, topic.sources) == ("bridges", (source,))


def test_tags_of_the_site_are_not_tags_of_the_page():
    cloud = '<div class="tags">' + "".join(f"<a>tag{i}</a>" for i in range(50)) + "</div>"
    aside = '<aside><a rel="tag">elsewhere</a></aside>'
    assert _topics("", cloud + aside) == ()


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://gerbera.io/", ["gerbera"]),
        ("https://example.org/", []),
        ("https://example.org/blog/post/123", []),
        ("https://example.org/news/2020/01/02/science", ["science"]),
        ("https://example.org/climate-policy/index.html", ["climate policy"]),
        ("https://example.org/how-the-mayor-of-the-town-lost-the-election", []),
        ("https://example.org/why-the-new-react-release-matters-for-teams", ["react"]),
        ("http://[bad", []),
        ("", []),
    ],
)
def test_the_address_names_topics_by_short_segments(url, names):
    assert _names(_topics(url=url)) == names


def test_user_topics_come_first_and_are_never_replaced():
    head = meta("keywords", ",".join(f"keyword {i} x" for i in range(20)) + ",R and D,physics")
    topics = _topics(head, user=["R&D", "Physics", "physics"])
    assert _names(topics)[:2] == ["r&d", "physics"]
    assert len(topics) == 10
    assert topics[1].sources == ("user", "meta:keywords")
    assert [topic.confidence for topic in topics[:2]] == [1.0, 1.0]
    assert all(topic.user_provided for topic in topics[:2])
    assert not any(topic.user_provided for topic in topics[2:])


def test_all_user_topics_are_kept_even_above_ten():
    topics = _topics(meta("keywords", "extracted"), user=[f"topic {i} x" for i in range(12)])
    assert len(topics) == 12
    assert all(topic.user_provided for topic in topics)


def test_more_evidence_gives_more_confidence():
    one = _topics(meta("keywords", "bridges"))[0]
    two = _topics(meta("keywords", "bridges"), '<a rel="tag">bridges</a>')[0]
    assert 0 < one.confidence < two.confidence < 1


def test_of_many_topics_the_best_supported_are_kept_in_the_order_of_their_sources():
    head = meta("keywords", ",".join(f"weak{i}x" for i in range(12)))
    body = '<a rel="tag">weak11x</a>'
    topics = _topics(head, body, text="a doctor and a patient in medical treatment for a disease")
    assert len(topics) == 10
    assert _names(topics)[-2:] == ["weak11x", "health"]
