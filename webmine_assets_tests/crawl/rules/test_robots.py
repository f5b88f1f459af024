import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.rules.robots import MAX_BYTES, RobotsDecision, is_allowed, parse_robots

SITE = "http://u1.edu"


def allowed(robots: str | bytes, path: str, agent: str = "webmine") -> bool:
    body = robots.encode() if isinstance(robots, str) else robots
    return is_allowed(body, agent, SITE + path).allowed


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("/", ["/", "/a"], []),
        ("/fish", ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=1"],
         ["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"]),
        ("/fish*", ["/fish", "/fishheads/yummy.html", "/fish.php?id=1"], ["/Fish.asp", "/catfish"]),
        ("/fish/", ["/fish/", "/fish/?id=1", "/fish/salmon.htm"],
         ["/fish", "/fish.html", "/animal/fish/"]),
        ("/*.php", ["/index.php", "/a/b.php?x", "/filename.php/"], ["/", "/windows.PHP"]),
        ("/*.php$", ["/filename.php", "/folder/filename.php"],
         ["/filename.php?x", "/filename.php/", "/filename.php5", "/windows.PHP"]),
        ("/fish*.php", ["/fish.php", "/fishheads/catfish.php?x"], ["/Fish.PHP"]),
        ("*.gif$", ["/a.gif", "/b/a.gif"], ["/a.gift"]),
        ("/a$", ["/a"], ["/a/", "/ab", "/a?x"]),
        ("/a*b*c", ["/abc", "/axbxc", "/a/b/c/d"], ["/acb"]),
        ("/a**b", ["/ab", "/axxb"], ["/a"]),
        ("/?q=", ["/?q=x"], ["/q="]),
        ("/a$b", ["/a$b"], ["/a", "/a/b"]),
    ],
)  # fmt: skip
def test_patterns_are_prefixes_with_wildcards(
    pattern: str, matching: list[str], other: list[str]
) -> None:
    robots = f"User-agent: *\nDisallow: {pattern}\n"
    assert not any(allowed(robots, path) for path in matching)
    assert all(allowed(robots, path) for path in other)


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("disallow: /x/page.html\nallow: /x/", "/x/page.html", False),
        ("allow: /x/page.html\ndisallow: /x/", "/x/page.html", True),
        ("disallow: /x\nallow: /x", "/x", True),
        ("allow: /p\ndisallow: /", "/page", True),
        ("allow: /folder\ndisallow: /folder", "/folder/page", True),
        ("allow: /page\ndisallow: /*.htm", "/page.htm", False),
        ("allow: /$\ndisallow: /", "/", True),
        ("allow: /$\ndisallow: /", "/page.htm", False),
        ("disallow: ", "/x", True),
        ("disallow: /\nallow:", "/x", False),
        ("allow: /a/index.html\ndisallow: /a", "/a/", True),
        ("allow: /a/index.html\ndisallow: /a", "/a/other", False),
        ("disallow: /robots.txt", "/robots.txt", True),
    ],
)
def test_the_longest_rule_decides_and_allow_wins_a_tie(
    rules: str, path: str, expected: bool
) -> None:
    assert allowed(f"user-agent: webmine\n{rules}\n", path) is expected


@pytest.mark.parametrize(
    ("robots", "agent", "expected"),
    [
        ("User-agent: webmine\nDisallow: /\n", "webmine", False),
        ("User-agent: WebMine\nDisallow: /\n", "WEBMINE", False),
        ("User-agent: webmine/2.1 (x)\nDisallow: /\n", "webmine", False),
        ("User-agent: webmine\nDisallow: /\n", "webmine/0.1 (+https://u1.edu)", False),
        ("User-agent: webminer\nDisallow: /\n", "webmine", True),
        ("User-agent: web\nDisallow: /\n", "webmine", True),
        ("User-agent: *\nDisallow: /\nUser-agent: webmine\nDisallow: /x\n", "webmine", True),
        ("User-agent: *\nDisallow: /\nUser-agent: webmine\n", "webmine", True),
        ("User-agent: * bot\nDisallow: /\n", "webmine", False),
        ("User-agent: *bot\nDisallow: /\n", "webmine", True),
        ("User-agent: a\nUser-agent: webmine\nDisallow: /\n", "webmine", False),
        ("User-agent: webmine\nSitemap: http://x/\nUser-agent: a\nDisallow: /\n", "webmine", False),
        ("User-agent: webmine\nCrawl-delay: 1\nUser-agent: a\nDisallow: /\n", "webmine", False),
        ("User-agent: webmine\nDisallow: /x\nUser-agent: a\nDisallow: /\n", "webmine", True),
        ("User-agent: webmine\nDisallow: /x\nUser-agent: webmine\nDisallow: /p", "webmine", False),
        ("Disallow: /\nUser-agent: webmine\n", "webmine", True),
        ("User-agent:\nDisallow: /\n", "webmine", True),
        ("User-agent: webmine\n\n\nDisallow: /\n", "webmine", False),
        ("", "webmine", True),
        ("<html>User-agent: *</html>\nDisallow: /", "webmine", True),
    ],
)  # fmt: skip
def test_the_group_of_the_agent_is_found(robots: str, agent: str, expected: bool) -> None:
    assert allowed(robots, "/page", agent) is expected


@pytest.mark.parametrize(
    "robots",
    [
        "\ufeffUser-agent: *\nDisallow: /x", "user-agent:*\rdisallow:/x\r",
        "USER-AGENT: *\r\nDISALLOW: /x",
        "User-agent: *\nDisallow /x", "User-agent *\nDisallow: /x", "useragent: *\ndisallow: /x",
        "user agent: *\ndisallow: /x", "User-agent: *\nDissallow: /x", "User-agent: *\nDisalow: /x",
        "User-agent: *\nDissalow: /x", "User-agent: *\nDisallaw: /x", "User-agent: *\nDiasllow: /x",
        "  User-agent : *  # all\n\tDisallow\t:\t/x\t# here",
        "User-agent: *\nfoo: bar\nDisallow: /x",
        "User-agent: *\nDisallow: /x#fragment", "User-agent: *\n\0\xff\nDisallow: /x",
    ],
)  # fmt: skip
def test_separators_and_common_misspellings_are_tolerated(robots: str) -> None:
    assert not allowed(robots, "/x")
    assert allowed(robots, "/y")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", True),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/ツ", "/foo/bar/ツ", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        ("/foo/bar/baz", "/foo/bar/%62%61%7a", True),
        ("/a%2fb", "/a/b", False),
        ("/a%2fb", "/a%2Fb", True),
        ("/a%3cd.html", "/a%3Cd.html", True),
        ("/%7Ejoe/", "/~joe/index.html", True),
    ],
)
def test_percent_encoding_is_compared_in_one_form(pattern: str, path: str, matches: bool) -> None:
    assert allowed(f"user-agent: *\ndisallow: {pattern}\n", path) is not matches


def test_bytes_that_are_no_utf_8_are_compared_as_octets() -> None:
    assert not allowed(b"user-agent: *\ndisallow: /caf\xe9\n", "/caf%E9")


def test_the_deciding_line_is_named() -> None:
    robots = b"# hello\r\nUser-agent: *\r\nDisallow: /private # secret\r\nAllow: /private/open\r\n"
    decision = is_allowed(robots, "webmine", f"{SITE}/private/x")
    assert decision == RobotsDecision(False, "Disallow: /private", 3, "*")
    assert decision.detail == "robots.txt line 3: Disallow: /private (user-agent *)"
    assert is_allowed(robots, "webmine", f"{SITE}/private/open/x").line_number == 4
    assert is_allowed(robots, "webmine", f"{SITE}/").detail == "no rule applies"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Crawl-delay: 2.5", 2.5), ("crawl-delay: 3 seconds", 3.0), ("Crawl-delay: .5", 0.5),
        ("Crawl-delay: -1", None), ("Crawl-delay: soon", None), ("Crawl-delay: 99999999", 86400.0),
        ("Crawl-delay: 1\nDisallow: /x\nCrawl-delay: 4", 4.0), ("Disallow: /", None),
    ],
)  # fmt: skip
def test_crawl_delay_is_read_in_seconds(lines: str, expected: float | None) -> None:
    assert parse_robots(f"User-agent: *\n{lines}\n".encode()).crawl_delay_s("webmine") == expected


def test_a_crawl_delay_for_another_agent_is_not_ours() -> None:
    robots = parse_robots(b"User-agent: a\nCrawl-delay: 9\n\nUser-agent: webmine\nDisallow: /x\n")
    assert robots.crawl_delay_s("webmine") is None
    assert robots.crawl_delay_s("a") == 9


def test_sitemaps_are_listed_once_wherever_they_stand() -> None:
    robots = b"Sitemap: http://u1.edu/a.xml\nUser-agent: *\nSite-map: /b.xml\nsitemap:http://u1.edu/a.xml"
    assert parse_robots(robots).sitemaps == ("http://u1.edu/a.xml", "/b.xml")


def test_what_is_beyond_500_kib_is_not_read() -> None:
    start, rule = b"user-agent: *\n", b"disallow: /x\n"
    filler = b"#" * (MAX_BYTES - len(start) - len(rule) - 1) + b"\n"
    assert not allowed(start + filler + rule, "/x")
    assert allowed(start + b"#" + filler + b"#" * 20 + b"\n" + rule, "/x")


def test_forty_thousand_rules_and_hostile_patterns_cost_little() -> None:
    many = "user-agent: *\n" + "".join(f"disallow: /{number}\n" for number in range(40_000))
    bomb = "user-agent: *\ndisallow: /" + "*a" * 8000 + "$\n"
    robots, hostile = parse_robots(many.encode()), parse_robots(bomb.encode())
    assert all(not robots.decide("webmine", f"{SITE}/{number}").allowed for number in range(1000))
    assert hostile.decide("webmine", f"{SITE}/{'a' * 7999}b").allowed


@given(body=st.binary(), path=st.text(max_size=20))
def test_no_bytes_make_it_raise(body: bytes, path: str) -> None:
    robots = parse_robots(body)
    assert robots.decide("webmine", f"{SITE}/{path}").allowed in (True, False)
    assert pickle.loads(pickle.dumps(robots)).sitemaps == robots.sitemaps
