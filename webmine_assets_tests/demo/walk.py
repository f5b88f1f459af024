"""Reads the demo sites' pages the way a visitor would: their links, ids and declared addresses."""

from urllib.parse import urljoin, urlsplit

from lxml import html

from webmine_assets.demo.site import Resource, Site, find_resource

BASE_URL = "http://127.0.0.1:8800"


def html_pages(site: Site) -> dict[str, Resource]:
    return {
        path: resource
        for path, resource in site.resources.items()
        if resource.content_type.startswith("text/html") and resource.location is None
    }


def parse(resource: Resource) -> html.HtmlElement:
    return html.document_fromstring(resource.body.decode())


def text_of(resource: Resource, path: str = "//main//p") -> str:
    return " ".join(node.text_content() for node in parse(resource).xpath(path))


def references(path: str, resource: Resource) -> set[str]:
    """Absolute addresses of all that a page links to, shows or loads."""
    found = parse(resource).xpath("//a/@href | //img/@src | //link/@href | //script/@src")
    return {urljoin(BASE_URL + path, reference) for reference in found}


def internal_targets(site: Site) -> dict[str, Resource]:
    """Every internal address any page refers to, and what is served there."""
    addresses = {
        address
        for path, page in html_pages(site).items()
        for address in references(path, page)
        if address.startswith(BASE_URL)
    }
    parts = {address: urlsplit(address) for address in addresses}
    return {address: find_resource(site, part.path, part.query) for address, part in parts.items()}


def linked_paths(site: Site) -> set[str]:
    """Paths that an `a` element of some page leads to, without query and trailing slash."""
    hrefs = {
        urlsplit(href)
        for page in html_pages(site).values()
        for href in parse(page).xpath("//a/@href")
    }
    return {part.path.rstrip("/") or "/" for part in hrefs if not part.netloc}


def assert_well_formed(resource: Resource) -> None:
    """What HTML asks of each of our pages; the full validator is not a test dependency."""
    source = resource.body.decode()
    page = parse(resource)
    identifiers = page.xpath("//@id")
    assert source.startswith("<!DOCTYPE html>\n<html lang=")
    assert len(page.xpath("//head/title[normalize-space()]")) == 1
    assert len(identifiers) == len(set(identifiers))
    assert not page.xpath("//img[not(@alt)]")
