import pytest

from webmine_assets_tests.extract.metadata.pages import (
    json_ld,
    meta,
    metadata_of,
    page,
    provenance_of,
    source_of,
)

H1 = "<h1>From the heading</h1>"
H2 = "<h2>From the second heading</h2>"
OG = meta("og:title", "From Open Graph", key="property")
TWITTER = meta("twitter:title", "From the Twitter card")
TITLE = "<title>From the title element</title>"
MICRODATA = '<span itemprop="headline">From microdata</span>'
JSON_LD = json_ld('{"@type": "Article", "headline": "From structured data"}')
CITATION = meta("citation_title", "From the citation")
DUBLIN_CORE = meta("DC.title", "From Dublin Core")


@pytest.mark.parametrize(
    ("head", "body", "source", "title"),
    [
        (OG + TWITTER + TITLE, H1 + H2, "h1", "From the heading"),
        (OG + TWITTER + TITLE, H2, "og:title", "From Open Graph"),
        (TWITTER + TITLE, H2, "twitter:title", "From the Twitter card"),
        (TITLE, H2 + MICRODATA, "title", "From the title element"),
        (JSON_LD, H2 + MICRODATA, "h2", "From the second heading"),
        (JSON_LD + CITATION, MICRODATA, "itemprop:headline", "From microdata"),
        (JSON_LD + CITATION, "", "json-ld:headline", "From structured data"),
        (CITATION + DUBLIN_CORE, "", "citation_title", "From the citation"),
        (DUBLIN_CORE, "", "dc.title", "From Dublin Core"),
    ],
)
def test_each_source_wins_when_the_earlier_ones_are_missing(head, body, source, title):
    metadata = metadata_of(page(head, body))
    assert source_of(metadata, "title") == f"title:{source}"
    assert metadata.title == title


@pytest.mark.parametrize(
    "bad", ["<h1>ab</h1>", f"<h1>{'a' * 201}</h1>", "<h1>???</h1>", "<h1> </h1>"]
)
def test_an_invalid_heading_loses_to_the_next_source(bad):
    metadata = metadata_of(page(OG, bad))
    assert (metadata.title, source_of(metadata, "title")) == ("From Open Graph", "title:og:title")


@pytest.mark.parametrize("length", [3, 200])
def test_the_limits_of_length_are_valid(length):
    assert metadata_of(page("", f"<h1>{'a' * length}</h1>")).title == "a" * length


def test_white_space_and_soft_hyphens_are_cleaned():
    assert metadata_of(page("", "<h1> A\n\n long&shy;er\t title </h1>")).title == "A longer title"


@pytest.mark.parametrize(
    "raw",
    [
        "Budget passed | Example Times",
        "Budget passed - Example Times",
        "Budget passed – Example Times",
        "Budget passed « Example Times",
        "Example Times | Budget passed",
    ],
)
def test_the_site_name_is_removed_from_the_title(raw):
    site = meta("og:site_name", "Example Times", key="property")
    assert metadata_of(page(f"<title>{raw}</title>{site}")).title == "Budget passed"


def test_a_short_part_behind_a_bar_is_removed_without_knowing_the_site():
    assert metadata_of(page("<title>Budget passed | Some Site</title>")).title == "Budget passed"


def test_a_dash_that_belongs_to_the_title_stays():
    title = "Gerbera - A free media server. Stream your media to devices on your home network."
    assert metadata_of(page(f"<title>{title}</title>")).title == title


@pytest.mark.parametrize(
    ("head", "body", "reason"),
    [
        (meta("og:site_name", "The Gazette"), "<h1>The Gazette</h1>", "the site's name"),
        ("", "<h1>example.org</h1>", "the site's name"),
        ("<title>Fire in town | The Gazette</title>", "<h1>The Gazette</h1>", "the site's name"),
        ("", "<h1><a href='/'>Our logo</a></h1>", "the site's name"),
        ("", "<h1>Menu</h1>", "a heading of the page's frame"),
        ("", "<aside><h1>Most read today</h1></aside>", "in a menu, a comment or a side part"),
    ],
)
def test_a_heading_of_the_site_or_its_frame_is_no_title(head, body, reason):
    metadata = metadata_of(page(head, body + "<h2>Fire in town</h2>"))
    assert metadata.title == "Fire in town"
    assert provenance_of(metadata, "title").lost[0].reason == reason


def test_of_several_headings_the_one_the_page_calls_itself_wins():
    body = "<h1>Watch our new videos</h1><h1>Three odd places in Berlin</h1>"
    metadata = metadata_of(page("<title>Three odd places in Berlin « Blog</title>", body))
    assert metadata.title == "Three odd places in Berlin"
    assert source_of(metadata, "title") == "title:h1"


def test_a_kicker_beside_the_headline_is_left_out():
    body = "<h1><span>Leaked papers</span> <span>Company data hacked</span></h1>"
    head = meta("og:title", "Company data hacked", key="property")
    assert metadata_of(page(head, body)).title == "Company data hacked"


def test_the_site_name_is_the_title_of_its_home_page():
    html = page("<title>The Gazette</title>", "<h1>The Gazette</h1>")
    assert metadata_of(html, url="https://gazette.example/").title == "The Gazette"


def test_a_feed_title_is_the_last_resort():
    metadata = metadata_of(page(), feed_title="From the feed")
    assert (metadata.title, source_of(metadata, "title")) == ("From the feed", "title:feed")


def test_losers_are_kept_with_the_reason():
    metadata = metadata_of(page(OG + "<title>ab</title>", H1))
    lost = {
        entry.source: (entry.raw, entry.reason) for entry in provenance_of(metadata, "title").lost
    }
    assert lost["title:og:title"] == ("From Open Graph", "title:h1 came first")
    assert provenance_of(metadata, "title").raw == "From the heading"


def test_a_kicker_before_the_title_does_not_make_the_title_a_site_name():
    body = "<h1>The Gazette Opinion</h1><h1>Is football violence a crime?</h1>"
    html = page("<title>Opinion | Is football violence a crime?</title>", body)
    assert metadata_of(html).title == "Is football violence a crime?"


def test_an_application_name_that_repeats_the_title_is_no_site_name():
    head = (
        "<title>Doctors offer free shots</title>"
        + meta("application-name", "Doctors offer free shots")
        + meta("og:site_name", "MSN", key="property")
    )
    body = "<h1>Doctors offer free shots</h1><h2>We write with urgency</h2>"
    assert metadata_of(page(head, body)).title == "Doctors offer free shots"


def test_a_section_of_the_site_is_no_title():
    body = "<h1>Rondônia</h1><h1>Student raises money for a dog</h1>"
    html = page("<title>Student raises money for a dog | Rondônia | G1</title>", body)
    assert metadata_of(html).title == "Student raises money for a dog"


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("Annual report 2024", "Annual report 2024"),
        ("Microsoft Word - Annual report 2024", "Annual report 2024"),
        ("Microsoft Word - report_final_v3.docx", None),
        ("flyer.indd", None),
        ("Untitled", None),
        ("PowerPoint-Präsentation", None),
        ("Slide 1", None),
    ],
)
def test_the_title_of_a_pdf_is_not_the_name_of_its_file(raw, title):
    assert metadata_of(page(meta("pdf:title", raw), "")).title == title
