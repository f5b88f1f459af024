from datetime import UTC, date, datetime

import pytest

from webmine_assets.archive.story import (
    ContentMetadata,
    HttpMetadata,
    build_story,
    canonical_domain,
    known_fields,
)
from webmine_assets.reading.stored import RssEntry
from webmine_assets.records import PageContent, PageMetadata, PageTopic, Seed, SeedSource
from webmine_assets_tests.factories import NOON, snapshot

FIELDS = {
    "rss_entry": (
        "link title domain pub_date fetch_date source_url source_feed_id source_source_id via"
    ),
    "http_metadata": "response_code fetch_timestamp final_url encoding",
    "content_metadata": (
        "url canonical_domain publication_date language article_title text_content parsed_date"
    ),
}

CONTENT = PageContent(
    institution="u1",
    page_id="p",
    url="https://u1.edu/",
    checksum="sha256:00",
    title="From content",
    text="The careful text.",
    raw_markdown="",
    fit_markdown="",
    full_content="",
    selected="fit",
    selection_reason="",
    text_source="",
    word_count=3,
    extractor_version="1",
    extracted_at=datetime(2026, 3, 4, 13, 0, 1, 5, tzinfo=UTC),
)
METADATA = PageMetadata(
    institution="u1",
    page_id="p",
    url="https://u1.edu/",
    title="From metadata",
    description=None,
    image_url=None,
    authors=("A. Writer",),
    published_at="2026-02-01T10:00:00+01:00",
    published_on=date(2026, 2, 1),
    modified_at=None,
    modified_on=None,
    content_text=None,
    word_count=0,
    language="de",
    language_confidence=0.9,
    declared_language=None,
    provenance=(),
    extraction_log="",
    extractor_version="1",
    metadata_scraped_at=NOON,
)
TOPIC = PageTopic(
    institution="u1",
    page_id="p",
    url="https://u1.edu/",
    topic="physics",
    rank=1,
    confidence=0.8,
    sources=("meta:keywords",),
    keywords=("quark",),
    parents=("science",),
    user_provided=False,
    extractor_version="1",
)
SEED = Seed(
    institution="u1",
    url="https://u1.edu/r?to=1",
    source=SeedSource.FEED,
    via="https://u1.edu/feed.xml",
    title="From the feed",
    published_at="2026-02-01T10:00:00+01:00",
    added_at=NOON,
)


def test_every_field_is_present_and_null_if_unknown() -> None:
    found = build_story(snapshot(), None, None, [], seed=None, via="crawl").metadata_json()
    assert {name: " ".join(part) for name, part in found.items()} == FIELDS
    assert found["rss_entry"]["pub_date"] is None
    assert found["content_metadata"]["publication_date"] is None


def test_enhancement_and_feed_fill_the_fields() -> None:
    found = build_story(snapshot(), CONTENT, METADATA, [TOPIC], seed=SEED, via="feed u1")
    assert found.metadata_json() == {
        "rss_entry": {
            "link": "https://u1.edu/r?to=1",
            "title": "From the feed",
            "domain": "u1.edu",
            "pub_date": "Sun, 01 Feb 2026 10:00:00 +0100",
            "fetch_date": "2026-03-04",
            "source_url": "https://u1.edu/feed.xml",
            "source_feed_id": None,
            "source_source_id": None,
            "via": "feed u1",
        },
        "http_metadata": {
            "response_code": 200,
            "fetch_timestamp": NOON.timestamp(),
            "final_url": "https://u1.edu/",
            "encoding": "utf-8",
        },
        "content_metadata": {
            "url": "https://u1.edu/",
            "canonical_domain": "u1.edu",
            "publication_date": "2026-02-01",
            "language": "de",
            "article_title": "From metadata",
            "text_content": "The careful text.",
            "parsed_date": "2026-03-04 13:00:01.000005",
        },
    }
    assert found.extras["topics"][0]["topic"] == "physics"
    assert found.extras["checksum"] == "sha256:00"


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.u1.edu/x", "u1.edu"),
        ("https://news.cs.u1.ac.uk/", "u1.ac.uk"),
        ("https://a.b.co.jp:8080/", "b.co.jp"),
        ("http://127.0.0.1:99/", "127.0.0.1"),
        ("http://[::1]/", "::1"),
        ("http://localhost/", "localhost"),
        ("http://[broken/", None),
        ("not a url", None),
    ],
)
def test_canonical_domain_is_the_registered_one(url: str, domain: str | None) -> None:
    assert canonical_domain(url) == domain


def test_foreign_json_keeps_only_what_fits() -> None:
    assert known_fields(HttpMetadata, {"response_code": "200", "new": 1, "encoding": "x"}) == (
        HttpMetadata(encoding="x")
    )
    assert known_fields(HttpMetadata, {"fetch_timestamp": 5}) == HttpMetadata(fetch_timestamp=5)
    assert known_fields(RssEntry, {"file_name": "old.rss"}) == RssEntry(via="old.rss")
    assert known_fields(ContentMetadata, ["not", "an", "object"]) == ContentMetadata()


@pytest.mark.parametrize("stamp", [None, 0.0, -5.0, float("nan"), float("inf"), 1e18])
def test_a_time_that_is_none_is_unknown(stamp: float | None) -> None:
    assert HttpMetadata(fetch_timestamp=stamp).fetched_at is None
