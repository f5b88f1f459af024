from urllib.parse import urlsplit

import py3langid
import pypdfium2
import pytest
from lxml import etree

from webmine_assets.demo.university import build_university
from webmine_assets_tests.demo.walk import (
    BASE_URL,
    assert_well_formed,
    html_pages,
    internal_targets,
    linked_paths,
    parse,
    references,
    text_of,
)

SITE = build_university(BASE_URL)
PAGES = html_pages(SITE)
AUTHORED = {path: page for path, page in PAGES.items() if not path.startswith("/calendar")}
SHORT = {"/campus/webcam", "/campus/canteen"}
PDFS = {"/documents/annual-report-2024.pdf", "/documents/international-guide.pdf"}
TARGETS = internal_targets(SITE)


def test_there_are_at_least_forty_pages_beside_the_calendar():
    assert len(AUTHORED) >= 40


@pytest.mark.parametrize("section", ["departments", "research", "people", "courses"])
def test_each_section_has_pages_that_its_index_lists(section):
    linked = {urlsplit(address).path for address in references(f"/{section}", PAGES[f"/{section}"])}
    children = {path for path in PAGES if path.startswith(f"/{section}/")}
    assert len(children) >= 6
    assert children <= linked


@pytest.mark.parametrize("path", sorted(PAGES)[::3])
def test_pages_are_well_formed_and_declare_their_address(path):
    page = PAGES[path]
    assert_well_formed(page)
    (canonical,) = parse(page).xpath("//link[@rel='canonical']/@href")
    expected = "/calendar" if path == "/calendar?month=2025-10" else path
    assert canonical == BASE_URL + expected


@pytest.mark.parametrize("path", sorted(set(AUTHORED) - SHORT))
def test_pages_have_several_paragraphs(path):
    paragraphs = parse(PAGES[path]).xpath("//main//p")
    assert len(paragraphs) >= 3
    assert len(text_of(PAGES[path])) > 400


@pytest.mark.parametrize("path", sorted(SHORT))
def test_short_pages_are_shorter_than_the_policy_asks(path):
    assert len(parse(PAGES[path]).text_content().strip()) < 50


def test_every_internal_link_resolves_but_the_one_that_must_not():
    missing = {address for address, found in TARGETS.items() if found.status == 404}
    assert missing == {f"{BASE_URL}/departments/alchemy"}


def test_duplicates_and_slash_variants_are_linked():
    def forms(path: str) -> set[str]:
        return {
            address.removeprefix(BASE_URL)
            for address in TARGETS
            if urlsplit(address).path.rstrip("/") == path
        }

    assert {"/departments", "/departments/"} <= forms("/departments")
    assert {"/library", "/library?ref=sidebar"} <= forms("/library")
    assert {"/departments/physics", "/departments/physics/?ref=sidebar"} <= forms(
        "/departments/physics"
    )


@pytest.mark.parametrize(
    ("old", "status", "new"),
    [("/physics", 301, "/departments/physics"), ("/apply-now", 302, "/study/apply")],
)
def test_redirects_are_linked_and_lead_to_pages(old, status, new):
    redirect = TARGETS[BASE_URL + old]
    assert (redirect.status, redirect.location) == (status, new)
    assert new in PAGES


def test_robots_closes_a_linked_part_and_names_the_sitemap():
    robots = SITE.resources["/robots.txt"].body.decode().splitlines()
    assert "Disallow: /internal/" in robots
    assert "Allow: /internal/accessibility" in robots
    assert "Crawl-delay: 0.02" in robots
    assert f"Sitemap: {BASE_URL}/sitemap.xml" in robots
    assert f"{BASE_URL}/internal/staff-handbook" in TARGETS


def test_sitemap_lists_served_addresses_and_one_that_nobody_links_to():
    root = etree.fromstring(SITE.resources["/sitemap.xml"].body)
    listed = {loc.text for loc in root.iter("{*}loc")}
    assert all(address.removeprefix(BASE_URL) in SITE.resources for address in listed)
    assert {address.removeprefix(BASE_URL) for address in listed} >= PDFS
    unlinked = {address.removeprefix(BASE_URL) for address in listed} - linked_paths(SITE)
    assert unlinked == {"/archive/founding-charter"}


@pytest.mark.parametrize("path", sorted(PDFS))
def test_pdfs_are_linked_and_readable(path):
    assert BASE_URL + path in TARGETS
    with pypdfium2.PdfDocument(SITE.resources[path].body) as document:
        text = document[0].get_textpage().get_text_bounded()
    assert len(text) > 800


@pytest.mark.parametrize(
    ("path", "language"), [("/de/willkommen", "de"), ("/fr/bienvenue", "fr"), ("/about", "en")]
)
def test_pages_are_in_the_language_they_declare(path, language):
    assert parse(PAGES[path]).get("lang") == language
    assert py3langid.classify(text_of(PAGES[path]))[0] == language


def test_calendar_goes_on_month_by_month_and_ends():
    path, months = "/calendar", []
    while path:
        months.append(text_of(PAGES[path], "//h1"))
        path = "".join(parse(PAGES[path]).xpath("//a[@rel='next']/@href"))
    assert len(months) == len(set(months)) == 120


def test_an_external_link_is_there():
    outside = {a for a in references("/", PAGES["/"]) if not a.startswith(BASE_URL)}
    assert outside == {"https://www.example.org/northern-universities"}


def test_every_resource_can_be_revalidated():
    assert all(r.modified_on for r in SITE.resources.values() if r.location is None)


def test_content_is_the_same_every_time():
    assert build_university(BASE_URL) == SITE
