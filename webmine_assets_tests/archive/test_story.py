from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from webmine_assets.archive.story import (
    ContentMetadata,
    HttpMetadata,
    Story,
    build_story,
    canonical_domain,
    known_fields,
)
from webmine_assets.records import (
    PageContent,
    PageMetadata,
    PageTopic,
    RssEntry,
    Seed,
    SeedSource,
    SnapshotMeta,
)
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
LISTED = date(2022, 1, 25)


def test_every_field_is_present_and_null_if_unknown() -> None:
    found = build_story(snapshot(), None, None, [], seed=None).metadata_json()
    assert {name: " ".join(part) for name, part in found.items()} == FIELDS
    assert found["rss_entry"]["pub_date"] is None
    assert found["content_metadata"]["publication_date"] is None


def test_enhancement_and_feed_fill_the_fields() -> None:
    found = build_story(snapshot(), CONTENT, METADATA, [TOPIC], seed=SEED)
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
            "via": "https://u1.edu/feed.xml",
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


def test_each_way_in_says_how_the_page_was_acquired() -> None:
    crawled = snapshot(discovered_from="https://u1.edu/news")
    listed = replace(SEED, source=SeedSource.CSV, via="2022-01-25.csv:7", listed_on=LISTED)
    configured = replace(SEED, source=SeedSource.CONFIG, via="u1.yaml")
    entries = [
        build_story(crawled, None, None, [], seed=seed).rss_entry
        for seed in (None, SEED, listed, configured)
    ]
    feed = "https://u1.edu/feed.xml"
    assert [(entry.via, entry.source_url, entry.fetch_date) for entry in entries] == [
        ("webmine:u1", "https://u1.edu/news", "2026-03-04"),
        (feed, feed, "2026-03-04"),
        ("2022-01-25.csv:7", None, "2022-01-25"),
        ("webmine:u1", None, "2026-03-04"),
    ]


def test_what_an_imported_page_was_told_goes_before_what_we_know() -> None:
    told = RssEntry(link="1234", fetch_date="2015-06-01", source_feed_id=7, via="s3://b/h.csv")
    story = build_story(snapshot(rss_entry=told), None, None, [], seed=None)
    assert story.rss_entry == replace(told, domain="u1.edu")


@pytest.mark.parametrize(
    ("source", "fetch_date", "flavour"),
    [
        ("crawl", None, ""),
        ("sitemap", None, ""),
        ("feed", None, ""),
        ("warc", "2015-06-01", ""),
        ("csv", "2015-06-01", "csv"),
        ("historical", "2015-06-01", "hist2015"),
        ("historical", None, "hist2026"),
        ("historical", "../x", "hist2026"),
    ],
)
def test_the_flavour_names_the_kind_of_file(
    source: str, fetch_date: str | None, flavour: str
) -> None:
    entry = RssEntry(fetch_date=fetch_date)
    page = snapshot(meta=SnapshotMeta(source=source), rss_entry=entry)
    assert build_story(page, None, None, [], seed=None).flavour == flavour


@pytest.mark.parametrize(
    ("final_url", "url", "link", "target"),
    [
        ("http://final/", "http://content/", "http://rss/", "http://final/"),
        (None, "http://content/", "http://rss/", "http://content/"),
        (None, None, "http://rss/", "http://rss/"),
        (None, None, None, ""),
    ],
)
def test_the_target_is_chosen_in_media_clouds_order(
    final_url: str | None, url: str | None, link: str | None, target: str
) -> None:
    story = Story(
        rss_entry=RssEntry(link=link),
        http_metadata=HttpMetadata(final_url=final_url),
        content_metadata=ContentMetadata(url=url),
        body=b"",
    )
    assert story.target_uri == target


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
    assert known_fields(RssEntry, {"source_feed_id": 2**63, "link": "x"}) == RssEntry(link="x")
    assert known_fields(ContentMetadata, ["not", "an", "object"]) == ContentMetadata()


@pytest.mark.parametrize("stamp", [None, 0.0, -5.0, float("nan"), float("inf"), 1e18])
def test_a_time_that_is_none_is_unknown(stamp: float | None) -> None:
    assert HttpMetadata(fetch_timestamp=stamp).fetched_at is None
