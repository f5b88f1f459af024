import json
from collections.abc import Mapping
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.feeds import (
    FeedEntry,
    conditional_headers,
    feed_seeds,
    fetch_feed,
    parse_feed,
    read_answer,
)
from webmine_assets.ingest.inputs import Fetched
from webmine_assets.ingest.tracker import FeedState
from webmine_assets.records import SeedSource
from webmine_assets_tests.factories import NOON

URL = "https://u1.edu/news/feed.xml"
RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<link>https://u1.edu/news/</link>
<item><title>One &amp; only</title><link>https://u1.edu/1</link>
<pubDate>Sun, 01 Feb 2026 10:00:00 +0100</pubDate></item>
<item><title>Two</title><link>two.html</link></item>
<item><guid>https://u1.edu/3</guid></item>
<item><title>Again</title><link>https://u1.edu/1</link></item>
<item><link>mailto:x@u1.edu</link></item>
<item><title>No link</title><guid isPermaLink="false">x</guid></item>
</channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><title>One</title><link rel="alternate" href="https://u1.edu/1"/>
<updated>2026-02-01T10:00:00Z</updated></entry></feed>"""
JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "items": [
        {"url": "/1", "title": " One\n", "date_published": "2026-02-01T10:00:00+01:00"},
        {"external_url": "https://u1.edu/2", "date_published": "soon"},
        {"title": "no url"},
        "not an item",
        {"url": 5},
    ],
}


def test_rss_entries_come_once_with_absolute_links_and_utc_dates() -> None:
    assert parse_feed(RSS, URL) == [
        FeedEntry(
            url="https://u1.edu/1", title="One & only", published_at="2026-02-01T09:00:00+00:00"
        ),
        FeedEntry(url="https://u1.edu/news/two.html", title="Two"),
        FeedEntry(url="https://u1.edu/3"),
    ]


def test_atom_entries_have_the_date_of_their_update() -> None:
    [entry] = parse_feed(ATOM, URL)
    assert entry == FeedEntry(
        url="https://u1.edu/1", title="One", published_at="2026-02-01T10:00:00+00:00"
    )


def test_json_feeds_are_read_too() -> None:
    assert parse_feed(json.dumps(JSON_FEED).encode(), URL) == [
        FeedEntry(url="https://u1.edu/1", title="One", published_at="2026-02-01T10:00:00+01:00"),
        FeedEntry(url="https://u1.edu/2"),
    ]


@pytest.mark.parametrize(
    "body", [b"", b"<html><p>Not found</p></html>", b"{}", b"{broken", b'{"items": 5}', b"\0\1\2"]
)
def test_what_is_no_feed_is_an_error_that_names_the_url(body: bytes) -> None:
    with pytest.raises(ImportSourceError, match=URL):
        parse_feed(body, URL)


def test_a_feed_without_entries_is_a_feed() -> None:
    assert parse_feed(b"<rss version='2.0'><channel><title>x</title></channel></rss>", URL) == []


def test_an_entity_bomb_does_not_explode() -> None:
    entities = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 12))
    bomb = b'<!DOCTYPE r [<!ENTITY e0 "x">' + entities + b"]><rss version='2.0'><channel>"
    bomb += b"<item><title>&e11;</title><link>https://u1.edu/1</link></item></channel></rss>"
    try:
        entries = parse_feed(bomb, URL)
    except ImportSourceError:
        return
    assert all(len(entry.title or "") <= 1000 for entry in entries)


@given(st.binary(max_size=300), st.sampled_from([b"", b"<rss><item>", b'{"items":[', b"<feed>"]))
def test_no_bytes_make_the_parser_fail_otherwise(data: bytes, head: bytes) -> None:
    with suppress(ImportSourceError):
        parse_feed(head + data, URL)


def answer(status: int = 200, body: bytes = RSS, **headers: str) -> Fetched:
    return Fetched(url=URL, status=status, headers=headers, body=body)


def test_the_second_request_is_conditional_and_304_gives_nothing() -> None:
    asked: list[Mapping[str, str]] = []

    def fetch(url: str, headers: Mapping[str, str]) -> Fetched:
        asked.append(headers)
        return answer(304, b"") if headers else answer(etag='"1"', **{"last-modified": "Mon"})

    first = fetch_feed(URL, fetch, state=None, fetch_limit=9)
    second = fetch_feed(URL, fetch, state=first.state, fetch_limit=9)
    assert asked == [{}, {"If-None-Match": '"1"', "If-Modified-Since": "Mon"}]
    assert len(first.entries) == 3
    assert (second.entries, second.unchanged, second.state) == ((), True, first.state)


def test_the_same_body_again_is_unchanged_too() -> None:
    first = read_answer(answer(), URL, None, 9)
    assert conditional_headers(first.state) == {}
    second = read_answer(answer(), URL, first.state, 9)
    assert (second.entries, second.unchanged) == ((), True)
    assert len(read_answer(answer(body=ATOM), URL, first.state, 9).entries) == 1


def test_a_limit_keeps_the_first_entries() -> None:
    assert [e.url for e in read_answer(answer(), URL, None, 2).entries] == [
        "https://u1.edu/1",
        "https://u1.edu/news/two.html",
    ]
    assert read_answer(answer(), URL, None, 0).entries == ()


def test_an_error_status_is_an_error() -> None:
    with pytest.raises(ImportSourceError, match="answered 404"):
        read_answer(answer(404), URL, FeedState(etag="x"), 9)


def test_entries_become_seeds_that_say_where_they_are_from() -> None:
    [seed] = feed_seeds(parse_feed(ATOM, URL), institution="u1", feed_url=URL, now=NOON)
    assert (seed.source, seed.via, seed.title) == (SeedSource.FEED, URL, "One")
    assert seed.published_at == "2026-02-01T10:00:00+00:00"
