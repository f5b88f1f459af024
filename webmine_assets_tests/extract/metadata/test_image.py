import pytest

from webmine_assets_tests.extract.metadata.pages import (
    json_ld,
    meta,
    metadata_of,
    page,
    provenance_of,
    source_of,
)

OG = meta("og:image", "https://cdn.example.org/og.jpg", key="property")
SECURE = meta("og:image:secure_url", "https://cdn.example.org/secure.jpg", key="property")
TWITTER = meta("twitter:image", "https://cdn.example.org/twitter.jpg")
MICRODATA = '<img itemprop="image" src="/micro.jpg">'
JSON_LD = json_ld('{"@type": "Article", "image": {"url": "https://cdn.example.org/ld.jpg"}}')
LINK = '<link rel="image_src" href="/link.jpg">'
ARTICLE = '<article><img src="article.jpg"></article>'
ANY = '<img src="any.jpg">'


@pytest.mark.parametrize(
    ("head", "body", "source", "url"),
    [
        (OG + SECURE + TWITTER, ANY, "og:image", "https://cdn.example.org/og.jpg"),
        (SECURE + TWITTER, ANY, "og:image:secure_url", "https://cdn.example.org/secure.jpg"),
        (TWITTER + LINK, ANY, "twitter:image", "https://cdn.example.org/twitter.jpg"),
        (LINK + JSON_LD, MICRODATA, "itemprop:image", "https://www.example.org/micro.jpg"),
        (LINK + JSON_LD, ANY, "json-ld:image", "https://cdn.example.org/ld.jpg"),
        (LINK, ARTICLE, "link:image_src", "https://www.example.org/link.jpg"),
        ("", ANY + ARTICLE, "article-img", "https://www.example.org/reports/article.jpg"),
        ("", ANY, "first-img", "https://www.example.org/reports/any.jpg"),
    ],
)
def test_each_source_wins_when_the_earlier_ones_are_missing(head, body, source, url):
    metadata = metadata_of(page(head, body))
    assert (source_of(metadata, "image"), metadata.image_url) == (f"image:{source}", url)


@pytest.mark.parametrize(
    "bad",
    [
        "https://stats.example.org/1x1.gif",
        "https://example.org/pixel.png",
        "https://example.org/track?id=5",
        "https://example.org/tracking/open.gif",
        "https://example.org/beacon.gif",
        "https://example.org/tracker.gif",
        "#",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "ftp://example.org/a.jpg",
        "http://[bad/a.jpg",
        "https://",
        "https://example.org/" + "a" * 3000,
    ],
)
def test_trackers_and_other_schemes_are_no_images(bad):
    metadata = metadata_of(page(meta("og:image", bad), ANY))
    assert source_of(metadata, "image") == "image:first-img"
    assert provenance_of(metadata, "image").lost[0].source == "image:og:image"


@pytest.mark.parametrize("good", ["soundtrack.jpg", "pixelated-art.png", "trackside.jpg"])
def test_words_that_only_contain_a_tracker_word_are_images(good):
    assert metadata_of(page("", f'<img src="{good}">')).image_url.endswith(good)


def test_a_dot_is_a_tracking_pixel_whatever_its_name():
    body = '<img src="logo.gif" width="1" height="1"><img src="photo.jpg" width="800" height="600">'
    assert metadata_of(page("", body)).image_url == "https://www.example.org/reports/photo.jpg"


def test_a_lazy_image_is_read_from_its_data_attribute():
    body = '<img src="data:image/gif;base64,R0" data-src="/late.jpg">'
    assert metadata_of(page("", body)).image_url == "https://www.example.org/late.jpg"


def test_relative_addresses_follow_the_base_element():
    assert (
        metadata_of(page('<base href="https://cdn.example.org/x/">', '<img src="a.jpg">')).image_url
        == "https://cdn.example.org/x/a.jpg"
    )
