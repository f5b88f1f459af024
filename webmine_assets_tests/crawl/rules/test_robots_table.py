"""robots.txt by RFC 9309 and by what Google publishes of its own crawler, as one table of facts.

Each case is a file, an agent, a path and whether the path may be fetched.
"""

import pytest

from webmine_assets.crawl.rules.robots import is_allowed, parse_robots

SITE = "https://u1.edu"
ALL = "User-agent: *\n"

# RFC 9309, section 2.2.1: the user-agent line.
GROUPS = [
    # Matching is case-insensitive.
    ("User-Agent: WEBMINE\nDisallow: /\n", "webmine", "/", False),
    ("user-agent: webmine\ndisallow: /\n", "WebMine", "/", False),
    # The product token is letters, underscores and hyphens; what follows it is not compared.
    ("User-agent: web-mine_er\nDisallow: /\n", "web-mine_er/2.0", "/", False),
    ("User-agent: webmine/9\nDisallow: /\n", "webmine", "/", False),
    ("User-agent: webmine bot\nDisallow: /\n", "webmine", "/", False),
    ("User-agent: Mozilla/5.0 (compatible; webmine)\nDisallow: /\n", "webmine", "/", True),
    # A token is matched whole, not as a prefix of another.
    ("User-agent: webmine-images\nDisallow: /\n", "webmine", "/", True),
    ("User-agent: webmine\nDisallow: /\n", "webmine-images", "/", True),
    # The group of the agent replaces that of everybody, wherever it stands.
    ("User-agent: *\nDisallow: /\n\nUser-agent: webmine\nAllow: /\n", "webmine", "/a", True),
    ("User-agent: webmine\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "webmine", "/a", True),
    ("User-agent: webmine\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "other", "/a", False),
    # An own group without a rule allows everything.
    ("User-agent: *\nDisallow: /\n\nUser-agent: webmine\nDisallow:\n", "webmine", "/a", True),
    # Groups of one agent are merged.
    ("User-agent: webmine\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\n"
     "User-agent: webmine\nDisallow: /b\n", "webmine", "/a", False),
    ("User-agent: webmine\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\n"
     "User-agent: webmine\nDisallow: /b\n", "webmine", "/b", False),
    ("User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: *\nDisallow: /b\n",
     "webmine", "/b", False),
    # Several agents share the rules that follow them; blank lines and comments do not end a group.
    ("User-agent: x\n\n# shared\nUser-agent: webmine\n\nDisallow: /\n", "webmine", "/", False),
    ("User-agent: x\nDisallow: /\nUser-agent: webmine\nDisallow: /b\n", "webmine", "/a", True),
    # Lines that are no part of a group do not end the list of agents either (section 2.2.4).
    ("User-agent: webmine\nSitemap: /s.xml\nUser-agent: x\nDisallow: /\n", "webmine", "/", False),
    ("User-agent: webmine\nNoindex: /x\nUser-agent: x\nDisallow: /\n", "webmine", "/", False),
    # Rules before any agent belong to nobody.
    ("Disallow: /\n", "webmine", "/", True),
    ("Disallow: /\nUser-agent: *\nDisallow: /b\n", "webmine", "/a", True),
]  # fmt: skip

# Section 2.2.2: allow and disallow; the most specific match has the most octets.
RULES = [
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
     "/example/page/disallowed.gif", False),
    ("Allow: /example/page/\nDisallow: /example/page/disallowed.gif\n", "/example/page/ok", True),
    ("Disallow: /\nAllow: /\n", "/x", True),
    ("Allow: /a\nDisallow: /a\n", "/a", True),
    ("Disallow: /a*\nAllow: /ab\n", "/abc", True),  # equal in length: the allow
    ("Disallow: /a**\nAllow: /ab\n", "/abc", False),
    ("Disallow: /*\nAllow: /$\n", "/", True),
    ("Disallow: /*\nAllow: /$\n", "/index", False),
    ("Disallow: /a\n", "/A", True),  # paths are case-sensitive
    ("Disallow: /a\n", "/ab/c?d", False),
    ("Disallow: /a/\n", "/a", True),
    ("Disallow:\n", "/anything", True),
    ("Disallow: \t \n", "/anything", True),
    ("Allow:\nDisallow: /\n", "/anything", False),
    ("Disallow: /\n", "/robots.txt", True),  # the file itself may always be fetched
    ("Disallow: /\n", "/robots.txt.bak", False),
    ("Disallow: /a?b=1\n", "/a?b=12", False),
    ("Disallow: /*?\n", "/a?b", False),
    ("Disallow: /*?\n", "/a", True),
    ("Disallow: /*?*id=\n", "/a?x=1&id=2", False),
    ("Disallow: /a;p\n", "/a;p=1", False),
    ("Disallow: a\n", "/a", True),  # a path without its slash matches nothing
    ("Disallow: *a\n", "/ba", False),
    ("DISALLOW:/a\n", "/a", False),
    ("disallow : /a\n", "/a", False),
    ("Disallow: /a # but why\n", "/a", False),
    ("Disallow: /a#b\n", "/a", False),  # what follows # is a comment
    ("# Disallow: /a\n", "/a", True),
    ("Disallow: http://u1.edu/a\n", "/a", True),  # a path, not a URL
]  # fmt: skip

# Section 2.2.3: * is any number of octets, a final $ the end; both may be escaped.
SPECIAL = [
    ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
    ("/path/file-with-a-%2A.html", "/path/file-with-a-x.html", False),
    ("/path/foo-%24", "/path/foo-$", True),
    ("/path/foo-%24", "/path/foo-", False),
    ("/a$", "/a", True),
    ("/a$", "/a/", False),
    ("/a$", "/a?x", False),
    ("/a$b", "/a", False),
    ("/*.gif$", "/x/y.gif", True),
    ("/*.gif$", "/y.gif?s", False),
    ("/a*$", "/abc", True),
    ("/a***b", "/axb", True),
    ("/*/b/*.pdf$", "/a/b/c/d.pdf", True),
    ("/*/b/*.pdf$", "/b/d.pdf", False),
    ("/*b*b$", "/b", False),
    ("/*b*b$", "/bb", True),
    ("*", "/", True),
    ("$", "/", False),
    ("/$", "/", True),
]

# Section 2.2.2: octets outside ASCII and escapes are compared in one form.
ENCODING = [
    ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", True),
    ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar", True),
    ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84", True),
    ("/foo/bar/%E3%83%84", "/foo/bar/\u30c4", True),
    ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", True),
    ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
    ("/foo/bar/baz", "/foo/bar/%62%61%7A", True),
    ("/a%2Fb", "/a/b", False),
    ("/a/b", "/a%2Fb", False),
    ("/a%3Fb", "/a?b", False),
    ("/%7Ejoe", "/~joe", True),
    ("/%C3%B6", "/\u00f6", True),
    ("/%zz", "/%zz", True),
    ("/100%", "/100%", True),
]

# How a file may be written: line ends, marks, odd bytes.
WRITTEN = {
    "unix": b"User-agent: *\nDisallow: /x\n",
    "windows": b"User-agent: *\r\nDisallow: /x\r\n",
    "old mac": b"User-agent: *\rDisallow: /x\r",
    "mixed": b"User-agent: *\r\n\rDisallow: /x\n\r",
    "no end": b"User-agent: *\nDisallow: /x",
    "byte order mark": b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\n",
    "html before": b"<!doctype html>\n<p>\nUser-agent: *\nDisallow: /x\n",
    "nul bytes": b"\0\0\nUser-agent: *\nDisallow: /x\n",
    "no utf-8": b"# caf\xe9\nUser-agent: *\nDisallow: /x\n",
    "tabs": b"\tUser-agent\t:\t*\t\n\tDisallow\t:\t/x\t\n",
    "long line": b"# " + b"y" * 100_000 + b"\nUser-agent: *\nDisallow: /x\n",
    "unknown keys": b"Host: u1.edu\nUser-agent: *\nRequest-rate: 1/5\nDisallow: /x\n",
}


@pytest.mark.parametrize(("robots", "agent", "path", "expected"), GROUPS)
def test_group_of_an_agent(robots: str, agent: str, path: str, expected: bool) -> None:
    assert is_allowed(robots.encode(), agent, SITE + path).allowed is expected


@pytest.mark.parametrize(("rules", "path", "expected"), RULES)
def test_decisive_rule(rules: str, path: str, expected: bool) -> None:
    assert is_allowed((ALL + rules).encode(), "webmine", SITE + path).allowed is expected


@pytest.mark.parametrize(("pattern", "path", "matches"), SPECIAL + ENCODING)
def test_pattern_covers_path(pattern: str, path: str, matches: bool) -> None:
    decision = is_allowed(f"{ALL}Disallow: {pattern}\n".encode(), "webmine", SITE + path)
    assert decision.allowed is not matches


@pytest.mark.parametrize("robots", WRITTEN.values(), ids=WRITTEN.keys())
def test_file_is_read_however_it_is_written(robots: bytes) -> None:
    assert not is_allowed(robots, "webmine", f"{SITE}/x").allowed
    assert is_allowed(robots, "webmine", f"{SITE}/y").allowed


@pytest.mark.parametrize(
    "body", [b"", b"\xef\xbb\xbf", b"\n\n\n", b"#", b":", b"<html></html>", b"\xff\xfe", b"\0" * 99]
)
def test_file_that_says_nothing_allows_everything(body: bytes) -> None:
    decision = is_allowed(body, "webmine", f"{SITE}/x")
    assert (decision.allowed, decision.detail) == (True, "no rule applies")
    assert parse_robots(body).sitemaps == ()


@pytest.mark.parametrize(
    ("rules", "path", "line"),
    [
        ("Disallow: /a\nDisallow: /a/b\n", "/a/b", "robots.txt line 3: Disallow: /a/b"),
        ("Disallow: /a\r\n\r\nAllow: /a/b\n", "/a/b", "robots.txt line 4: Allow: /a/b"),
        ("Disallow: /a\nDisallow: /a\n", "/a", "robots.txt line 2: Disallow: /a"),
    ],
)
def test_line_that_decides_is_quoted(rules: str, path: str, line: str) -> None:
    decision = is_allowed((ALL + rules).encode(), "webmine", SITE + path)
    assert decision.detail == f"{line} (user-agent *)"
