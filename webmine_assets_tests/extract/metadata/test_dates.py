import pytest

from webmine_assets_tests.extract.metadata.pages import (
    json_ld,
    meta,
    metadata_of,
    page,
    provenance_of,
    source_of,
)

ARTICLE = meta("article:published_time", "2020-01-01T10:00:00+02:00", key="property")
MICRODATA = meta("datePublished", "2020-01-02", key="itemprop")
JSON_LD = json_ld('{"@type": "BlogPosting", "datePublished": "2020-01-03"}')
CITATION = meta("citation_publication_date", "2020/01/04")
DATE = meta("date", "2020-01-05")
PUBLISH = meta("publish-date", "2020-01-06")
TIME = '<time datetime="2020-01-07">x</time>'
PUBDATE = '<time pubdate datetime="2020-01-08">x</time>'
CLASS = '<span class="post-date">9 January 2020</span>'
TEXT = "<p>Published on January 10, 2020 in our series.</p>"
SCRIPT = '<script>var page = {"created_at": "2020-01-11T08:00:00Z"};</script>'


@pytest.mark.parametrize(
    ("head", "body", "source", "day"),
    [
        (ARTICLE + MICRODATA + JSON_LD + DATE, PUBDATE, "article:published_time", "01"),
        (MICRODATA + JSON_LD + DATE, PUBDATE, "itemprop:datePublished", "02"),
        (JSON_LD + CITATION, PUBDATE, "json-ld:datePublished", "03"),
        (CITATION + DATE, "", "citation_publication_date", "04"),
        (DATE + PUBLISH, "", "meta:date", "05"),
        (PUBLISH, TIME, "meta:publish-date", "06"),
        ("", TIME + PUBDATE, "time:datetime", "07"),
        ("", PUBDATE + CLASS, "time:pubdate", "08"),
        ("", CLASS + TEXT, "class:date", "09"),
        ("", TEXT + SCRIPT, "text", "10"),
        ("", SCRIPT, "script", "11"),
        (meta("DC.date", "2020-01-12"), "", "meta:other", "12"),
    ],
)
def test_each_source_wins_when_the_earlier_ones_are_missing(head, body, source, day):
    metadata = metadata_of(page(head, body))
    assert source_of(metadata, "date") == f"date:{source}"
    assert metadata.published_at[:10] == f"2020-01-{day}"


@pytest.mark.parametrize("key", ["dateModified", "updatedDate", "modified_date", "validDate"])
def test_a_script_that_says_when_the_page_changed_does_not_date_it(key):
    metadata = metadata_of(page("", f'<script>var page = {{"{key}": "2020-01-11"}};</script>'))
    assert metadata.published_at is None


def test_the_address_is_a_source():
    metadata = metadata_of(page(), url="https://example.org/2020/02/29/leap")
    assert (metadata.published_at, source_of(metadata, "date")) == ("2020-02-29", "date:url")


def test_feed_and_sitemap_dates_are_evidence():
    metadata = metadata_of(
        page(), feed_date="Fri, 02 Aug 2019 10:00:00 +0200", sitemap_date="2021-05-06"
    )
    assert metadata.published_at == "2019-08-02T10:00:00+02:00"
    assert metadata.modified_at == "2021-05-06"
    assert source_of(metadata, "date") == "date:feed"
    assert source_of(metadata, "modified") == "modified:sitemap"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("1989-12-31", "before 1990"),
        ("2025-10-05", "in the future"),
        ("2099-01-01T00:00:00Z", "in the future"),
        ("2020-02-30", "not a date"),
        ("yesterday", "not a date"),
        ("9" * 400, "not a date"),
    ],
)
def test_impossible_dates_lose(raw, reason):
    metadata = metadata_of(page(meta("article:published_time", raw) + DATE))
    assert metadata.published_at == "2020-01-05"
    assert provenance_of(metadata, "date").lost[0].reason == reason


@pytest.mark.parametrize("day", ["1990-01-01", "2025-10-04"])
def test_the_years_from_1990_to_today_are_valid(day):
    assert metadata_of(page(meta("date", day))).published_at == day


def test_an_eastern_offset_may_be_of_tomorrow():
    head = meta("article:published_time", "2025-10-05T06:00:00+12:00")
    assert metadata_of(page(head)).published_at == "2025-10-05T06:00:00+12:00"


def test_published_and_modified_are_two_fields():
    head = ARTICLE + meta("article:modified_time", "2020-03-04T05:06:07Z", key="property")
    metadata = metadata_of(page(head))
    assert metadata.published_at == "2020-01-01T10:00:00+02:00"
    assert metadata.modified_at == "2020-03-04T05:06:07+00:00"
    assert source_of(metadata, "modified") == "modified:article:modified_time"


def test_a_page_is_not_modified_before_it_is_published():
    metadata = metadata_of(page(ARTICLE + meta("article:modified_time", "2019-01-01")))
    assert metadata.modified_at is None
    assert provenance_of(metadata, "modified").lost[0].reason == "before the publication"


def test_a_date_in_utc_yields_to_the_day_in_the_address():
    head = meta("article:published_time", "2023-11-09T05:30:59Z", key="property")
    metadata = metadata_of(page(head), url="https://example.org/2023/11/08/story")
    assert metadata.published_at == "2023-11-08"


def test_a_date_in_utc_yields_to_the_local_time_the_page_shows():
    head = meta("article:published_time", "2023-11-09T06:35:29Z", key="property")
    body = '<h1>Story of a day</h1><time datetime="2023-11-08T22:35:29-08:00">Nov 8</time>'
    assert metadata_of(page(head, body)).published_at == "2023-11-08T22:35:29-08:00"


def test_a_date_tag_later_than_the_date_people_read_is_of_a_change():
    body = '<h1>Story of a day</h1><span class="date">01.01.2020</span>'
    metadata = metadata_of(page(DATE, body, lang="de"))
    assert (metadata.published_at, source_of(metadata, "date")) == ("2020-01-01", "date:class:date")


def test_an_unlisted_date_tag_yields_to_the_date_the_page_shows():
    body = '<h1>Story of a day</h1><span class="date">01.02.2020</span>'
    metadata = metadata_of(page(meta("DC.date", "2020-01-05"), body, lang="de"))
    assert (metadata.published_at, source_of(metadata, "date")) == ("2020-02-01", "date:class:date")


def test_times_of_comments_and_changes_are_not_the_publication():
    body = (
        '<h1>Story of a day</h1><div class="comment"><time datetime="2021-01-01">x</time></div>'
        '<time class="updated" datetime="2021-02-02">x</time><time datetime="2020-05-05">x</time>'
    )
    assert metadata_of(page("", body)).published_at == "2020-05-05"


def test_of_the_dates_in_the_text_the_one_at_the_heading_wins():
    body = (
        "<p>Today is 1 October 2024</p>" + "<p>menu item</p>" * 80 + "<h1>The bridge is open</h1>"
        "<p>3 May 2021</p><p>" + "text " * 50 + "on 4 June 2019</p>"
    )
    metadata = metadata_of(page("<title>The bridge is open</title>", body))
    assert (metadata.published_at, source_of(metadata, "date")) == ("2021-05-03", "date:text")
