import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.links import (
    MAX_LINKS,
    Link,
    MetaRefresh,
    MetaRobots,
    PageLinks,
    parse_x_robots_tag,
    read_page_links,
)
from webmine_assets.reading.html import parse

URL = "http://u1.edu/dir/page"


def links_of(html: str, *, x_robots_tag: str = "") -> PageLinks:
    return read_page_links(parse(html, url=URL), url=URL, x_robots_tag=x_robots_tag)


def urls_of(html: str) -> list[str]:
    return [link.url for link in links_of(html).links]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='x'>x</a>", ["http://u1.edu/dir/x"]),
        ("<map><area href='/x'></map>", ["http://u1.edu/x"]),
        ("<link rel='next' href='?p=2'>", ["http://u1.edu/dir/page?p=2"]),
        ("<link rel='stylesheet' href='x.css'><link rel=prev href=y>", []),
        ("<iframe src='/frame'></iframe>", ["http://u1.edu/frame"]),
        ("<frameset><frame src='/frame'></frameset>", ["http://u1.edu/frame"]),
        ("<meta http-equiv='Refresh' content='0; URL=/new'>", ["http://u1.edu/new"]),
        ("<a>none</a><a href='mailto:x@y'>m</a><a href='javascript:x()'>j</a>", []),
        ("<a href='#part'>p</a>", ["http://u1.edu/dir/page"]),
        ("<a href='b'>1</a><a href='a'>2</a><a href='b#x'>3</a>",
         ["http://u1.edu/dir/b", "http://u1.edu/dir/a"]),
        ("<base href='/other/'><a href='x'>x</a>", ["http://u1.edu/other/x"]),
        ("<base target=_top><base href='http://cs.u1.edu/'><a href='x'>", ["http://cs.u1.edu/x"]),
        ("<base href='mailto:x'><a href='x'>x</a>", ["http://u1.edu/dir/x"]),
        (f"<base href='/{'b' * 3000}/'><a href='x'>x</a>", ["http://u1.edu/dir/x"]),
        ("<!-- <a href='hidden'>x</a> --><a href='seen'>", ["http://u1.edu/dir/seen"]),
        ("<A HREF=' /x '>X</A>", ["http://u1.edu/x"]),
    ],
)  # fmt: skip
def test_links_are_found_and_resolved(html: str, expected: list[str]) -> None:
    assert urls_of(html) == expected


def test_a_link_carries_the_url_to_fetch_and_the_key_of_its_page() -> None:
    (link,) = links_of("<a href='/a/?utm_source=x'>a</a>").links
    assert link == Link("http://u1.edu/a/?utm_source=x", "http://u1.edu/a", nofollow=False)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a rel='nofollow' href='/a'>", [True]),
        ("<a rel='external NOFOLLOW' href='/a'>", [True]),
        ("<a rel='noopener' href='/a'>", [False]),
        ("<a rel='nofollow' href='/a'></a><a href='/a'></a>", [False]),
        ("<a href='/a'></a><a rel='nofollow' href='/a'></a>", [False]),
        ("<meta name='robots' content='nofollow'><a href='/a'>", [True]),
        ("<meta name='ROBOTS' content='None'><a href='/a'>", [True]),
        ("<meta name='webmine' content='index, nofollow'><a href='/a'>", [True]),
        ("<meta name='otherbot' content='nofollow'><a href='/a'>", [False]),
    ],
)
def test_nofollow_is_obeyed(html: str, expected: list[bool]) -> None:
    assert [link.nofollow for link in links_of(html).links] == expected


@pytest.mark.parametrize(
    ("value", "noindex", "nofollow"),
    [
        ("", False, False),
        ("noindex", True, False),
        ("NOINDEX, NoFollow", True, True),
        ("none", True, True),
        ("all, noarchive", False, False),
        ("webmine: noindex", True, False),
        ("otherbot: noindex, nofollow", False, False),
        ("otherbot: noindex, webmine: nofollow", False, True),
        ("noindex, otherbot: nofollow", True, False),
        ("otherbot: nofollow, , noindex", True, False),
        ("otherbot: nofollow, , webmine: none, , max-snippet: 20", True, True),
        ("noindex, , otherbot: nofollow", True, False),
        (", ,", False, False),
        ("*: none", True, True),
        ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", True, False),
        ("unavailable_after: Wed, 25 Jun 2010 15:00:00 PST, noindex", True, False),
        ("max-image-preview:none", False, False),
        ("max-snippet: 20, nofollow", False, True),
    ],
)
def test_x_robots_tag_is_read_for_everyone_and_for_us(
    value: str, noindex: bool, nofollow: bool
) -> None:
    assert parse_x_robots_tag(value, agent="webmine") == MetaRobots(noindex, nofollow)
    assert links_of("<p>x", x_robots_tag=value).robots == MetaRobots(noindex, nofollow)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<link rel='canonical' href='/c'>", "http://u1.edu/c"),
        ("<link rel='Canonical' href='http://other.edu/c'>", "http://other.edu/c"),
        ("<base href='/b/'><link rel=canonical href='c'>", "http://u1.edu/b/c"),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical>", None),
        ("<link rel=canonical href='mailto:x'>", None),
        ("<p>none", None),
    ],
)
def test_canonical_is_resolved_against_the_base(html: str, expected: str | None) -> None:
    assert links_of(html).canonical == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("5; url=/x", MetaRefresh("http://u1.edu/x", 5)),
        ("0;URL='/x'", MetaRefresh("http://u1.edu/x", 0)),
        ("0;/x", MetaRefresh("http://u1.edu/x", 0)),
        ("1.5, url = /x", MetaRefresh("http://u1.edu/x", 1)),
        (";url=/x", MetaRefresh("http://u1.edu/x", 0)),
        ("30", None),
        ("", None),
        ("0; url=javascript:x()", None),
        (" " * 100_000, None),
    ],
)
def test_meta_refresh_is_read(content: str, expected: MetaRefresh | None) -> None:
    html = f'<meta http-equiv="refresh" content="{content}">'
    assert links_of(html).refresh == expected


def test_links_beyond_the_limit_are_counted_and_left_off() -> None:
    found = links_of("".join(f"<a href='{number}'></a>" for number in range(MAX_LINKS + 5)))
    assert len(found.links) == MAX_LINKS
    assert found.left_off == 5
    assert found.links[0].url.endswith("/0")


@given(html=st.text(alphabet="<>abhref='\" /=:#?meta&;", max_size=200))
def test_no_markup_makes_it_raise_and_results_can_be_sent(html: str) -> None:
    found = links_of(html)
    assert pickle.loads(pickle.dumps(found)) == found
