import gzip
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.sitemap import MAX_URLS, Sitemap, SitemapEntry, parse_sitemap

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'


def urls_of(body: bytes) -> list[str]:
    return [entry.raw_url for entry in parse_sitemap(body).entries]


def urlset(*urls: str) -> bytes:
    pages = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{pages}</urlset>'.encode()


def test_pages_with_their_dates_are_read() -> None:
    body = (
        f"<urlset {NAMESPACE} {IMAGE}><url><loc> http://u1.edu/a?x=1&amp;y=2 </loc>"
        "<lastmod>2024-05-01</lastmod><image:image><image:loc>http://u1.edu/i.png</image:loc>"
        "</image:image></url><url><loc><![CDATA[http://u1.edu/b]]></loc></url></urlset>"
    )
    entries = SitemapEntry("http://u1.edu/a?x=1&y=2", "2024-05-01"), SitemapEntry("http://u1.edu/b")
    assert parse_sitemap(body.encode()) == Sitemap(entries)
    assert parse_sitemap(gzip.compress(body.encode())) == Sitemap(entries)


def test_an_index_gives_nested_sitemaps() -> None:
    body = f"<sitemapindex {NAMESPACE}><sitemap><loc>http://u1.edu/1.xml.gz</loc></sitemap></sitemapindex>"
    assert parse_sitemap(body.encode()) == Sitemap((), ("http://u1.edu/1.xml.gz",))


@pytest.mark.parametrize(
    "body",
    [
        b"http://u1.edu/a\r\nhttp://u1.edu/b\n",
        b"\xef\xbb\xbfhttp://u1.edu/a\n\nnot a url\nhttp://u1.edu/b",
        gzip.compress(b"http://u1.edu/a\nhttp://u1.edu/b", mtime=0),
        gzip.compress(b"http://u1.edu/a\n", mtime=0) + gzip.compress(b"http://u1.edu/b", mtime=0),
        b"\xef\xbb\xbf \n" + urlset("http://u1.edu/a", "http://u1.edu/b"),
        urlset("http://u1.edu/a", "http://u1.edu/b")
        .decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        b"<urlset><url><loc>http://u1.edu/a</loc></url><url><loc>http://u1.edu/b</loc></url></urlset>",
    ],
)  # fmt: skip
def test_forms_of_the_same_list(body: bytes) -> None:
    assert urls_of(body) == ["http://u1.edu/a", "http://u1.edu/b"]
    assert parse_sitemap(body).problem is None


def test_raw_ampersands_are_part_of_the_address() -> None:
    assert urls_of(urlset("http://u1.edu/?a=1&b=2&copy=3")) == ["http://u1.edu/?a=1&b=2&copy=3"]
    many = [f"http://u1.edu/?a={number}&b=2" for number in range(5000)]
    assert urls_of(urlset(*many)) == many


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (urlset("http://u1.edu/a", "http://u1.edu/long")[:-30], ["http://u1.edu/a"]),
        (urlset("http://u1.edu/a").replace(b"</urlset>", b"<url><loc>http://u1."), ["http://u1.edu/a"]),
        (b"<urlset><url><loc>http://u1.edu/a</loc></url><url><loc>http://u1.edu/b</url>",
         ["http://u1.edu/a"]),
        (gzip.compress(urlset(*[f"http://u1.edu/{n}" for n in range(9)]), mtime=0)[:-9], None),
        (gzip.compress(urlset("http://u1.edu/a"), mtime=0)[:12], []),
        (b"", []), (b"<", []), (b"<html><body><p>no sitemap<br></body>", []), (b"\x1f\x8b", []),
    ],
)  # fmt: skip
def test_damage_ends_the_reading_but_keeps_what_came_before(
    body: bytes, expected: list[str] | None
) -> None:
    sitemap = parse_sitemap(body)
    if expected is not None:
        assert [entry.raw_url for entry in sitemap.entries] == expected
    assert sitemap.problem or not body


def test_at_most_50_000_addresses_are_taken() -> None:
    sitemap = parse_sitemap(urlset(*[f"http://u1.edu/{number}" for number in range(MAX_URLS + 9)]))
    assert len(sitemap.entries) == MAX_URLS
    assert sitemap.problem == "more than 50000 addresses"
    lines = "\n".join(f"http://u1.edu/{number}" for number in range(MAX_URLS + 9))
    assert len(parse_sitemap(lines.encode()).entries) == MAX_URLS


def test_exactly_50_000_addresses_are_no_problem() -> None:
    sitemap = parse_sitemap(urlset(*[f"http://u1.edu/{number}" for number in range(MAX_URLS)]))
    assert (len(sitemap.entries), sitemap.problem) == (MAX_URLS, None)


@pytest.mark.slow
@pytest.mark.parametrize("filling", [b"<x/>", b"<x>", b" ", b"<!-- x -->"])
def test_bombs_are_cut_off(filling: bytes) -> None:
    body = gzip.compress(b"<urlset>" + filling * (60_000_000 // len(filling)), 1)
    sitemap = parse_sitemap(body)
    assert sitemap.entries == ()
    assert sitemap.problem is not None


def test_entities_are_never_resolved() -> None:
    external = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    for declaration in (external, laughs):
        body = f"{declaration}<urlset><url><loc>http://u1.edu/&a;&b;</loc></url></urlset>"
        assert urls_of(body.encode()) == ["http://u1.edu/&a;&b;"]


@given(body=st.binary(max_size=300))
def test_no_bytes_make_it_raise(body: bytes) -> None:
    for candidate in (body, b"<urlset>" + body, b"\x1f\x8b\x08" + body):
        sitemap = parse_sitemap(candidate)
        assert pickle.loads(pickle.dumps(sitemap)) == sitemap
