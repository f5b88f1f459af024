import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webmine_assets.urls import (
    MAX_URL_CHARS,
    canonicalise,
    host_of,
    origin_of,
    path_of,
    resolve,
    target_of,
)

PAGE = "https://u1.edu/engineering/departments/"


@pytest.mark.parametrize(
    ("raw_url", "expected"),
    [
        ("civil", "https://u1.edu/engineering/departments/civil"),
        ("../staff?id=3", "https://u1.edu/engineering/staff?id=3"),
        ("/news#top", "https://u1.edu/news"),
        ("//cs.u1.edu/x", "https://cs.u1.edu/x"),
        ("?page=2", "https://u1.edu/engineering/departments/?page=2"),
        ("", "https://u1.edu/engineering/departments/"),
        ("  /a b\n", "https://u1.edu/a%20b"),
        ("\\\\cs.u1.edu\\x", "https://cs.u1.edu/x"),
        ("http://münchen.example/straße", "http://xn--mnchen-3ya.example/stra%C3%9Fe"),
        ("HTTP://U1.EDU:80/a/./b/../c", "http://u1.edu/a/c"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
    ],
)
def test_links_resolve_as_a_browser_resolves_them(raw_url: str, expected: str) -> None:
    assert resolve(raw_url, PAGE) == expected


@pytest.mark.parametrize(
    "raw_url",
    [
        "mailto:a@u1.edu", "javascript:void(0)", "tel:+49", "data:text/html,x", "ftp://u1.edu/",
        "http://", "http://[::1", "http://a b/", "http://u1.edu:99999/", "blob:https://u1.edu/x",
        "x" * (MAX_URL_CHARS + 1), "/" + "é" * (MAX_URL_CHARS - 10),
    ],
)  # fmt: skip
def test_what_is_no_page_resolves_to_none(raw_url: str) -> None:
    assert resolve(raw_url, PAGE) is None


def test_hash_routes_survive_only_on_request() -> None:
    raw_url = "#/people/7"
    assert resolve(raw_url, PAGE) == PAGE
    kept = resolve(raw_url, PAGE, keep_fragment=True)
    assert kept == f"{PAGE}#/people/7"
    assert canonicalise(kept) == "https://u1.edu/engineering/departments"
    assert (
        canonicalise(kept, keep_fragment=True) == "https://u1.edu/engineering/departments#/people/7"
    )
    assert canonicalise("http://u1.edu/#!x", keep_fragment=True) == "http://u1.edu/#!x"
    assert canonicalise("http://u1.edu/#section", keep_fragment=True) == "http://u1.edu/"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://u1.edu", "http://u1.edu/"),
        ("HTTPS://U1.EDU:443/", "https://u1.edu/"),
        ("http://u1.edu./a", "http://u1.edu/a"),
        ("http://user:secret@u1.edu/a", "http://u1.edu/a"),
        ("http://u1.edu:8080/a/", "http://u1.edu:8080/a"),
        ("http://u1.edu/a//", "http://u1.edu/a"),
        ("http://u1.edu/index.html", "http://u1.edu/"),
        ("http://u1.edu/a/Default.aspx?b=1", "http://u1.edu/a?b=1"),
        ("http://u1.edu/a/index.php/", "http://u1.edu/a"),
        ("http://u1.edu/%7Eann/%e3%83%84", "http://u1.edu/~ann/%E3%83%84"),
        ("http://u1.edu/a%2Fb", "http://u1.edu/a%2Fb"),
        ("http://u1.edu/100%", "http://u1.edu/100%25"),
        ("http://u1.edu/a|b", "http://u1.edu/a%7Cb"),
        ("http://u1.edu/x;jsessionid=A1B2?a=1", "http://u1.edu/x?a=1"),
        ("http://u1.edu/(S(lit3py55t21z5v55vlm25s55))/x", "http://u1.edu/x"),
        ("http://u1.edu/a/..;sid=1", "http://u1.edu/"),
        ("http://u1.edu/x?b=2&a=1", "http://u1.edu/x?a=1&b=2"),
        ("http://u1.edu/x?a=2&a=1", "http://u1.edu/x?a=2&a=1"),
        ("http://u1.edu/x?q=a%20b", "http://u1.edu/x?q=a+b"),
        ("http://u1.edu/x?&&", "http://u1.edu/x"),
        ("http://u1.edu/x?utm_source=n&UTM_Medium=m&gclid=1&fbclid=2&ref=home", "http://u1.edu/x"),
        ("http://u1.edu/x?PHPSESSID=1a2b&id=7", "http://u1.edu/x?id=7"),
        ("http://u1.edu/x?sid=0123456789abcdef0123", "http://u1.edu/x"),
        ("http://u1.edu/x#part", "http://u1.edu/x"),
        ("mailto:a@u1.edu", "mailto:a@u1.edu"),
        ("not a url", "not a url"),
    ],
)  # fmt: skip
def test_spellings_of_one_page_meet(url: str, expected: str) -> None:
    assert canonicalise(url) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://u1.edu/a", "https://u1.edu/a"),
        ("http://u1.edu/a", "http://www.u1.edu/a"),
        ("http://u1.edu/a", "http://u1.edu/A"),
        ("http://u1.edu/a/b", "http://u1.edu/a//b"),
        ("http://u1.edu/a%2Fb", "http://u1.edu/a/b"),
        ("http://u1.edu/article?sid=12", "http://u1.edu/article?sid=13"),
        ("http://u1.edu/?s=history", "http://u1.edu/?s=physics"),
        ("http://u1.edu/?gid=1", "http://u1.edu/?gid=2"),
        ("http://u1.edu/?reference=1", "http://u1.edu/"),
        ("http://u1.edu/?q=a%2Bb", "http://u1.edu/?q=a+b"),
        ("http://u1.edu/?a=1%262", "http://u1.edu/?a=1&2"),
        ("http://u1.edu/indexes", "http://u1.edu/"),
        ("http://u1.edu/a/index.pdf", "http://u1.edu/a"),
        ("http://u1.edu/a;v=1", "http://u1.edu/a;v=2"),
    ],
)
def test_different_pages_stay_apart(one: str, other: str) -> None:
    assert canonicalise(one) != canonicalise(other)


PIECES = [
    *"abAZ019/?#&=%.;:@\\[](){}!$'*+,|^~ \"<>-_ü中\t\n", "%2e", "%2F", "%61", "index.html",
    "utm_a=1", ";sid=1", ";jsessionid=", "(S(a))", "/../",
]  # fmt: skip
URL_TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(url=st.one_of(st.text(), URL_TEXT.map("http://h/".__add__), URL_TEXT.map("http://".__add__)))
@example(url="http://0x7f.1..")
@example(url="http://h/a;%6Asessionid=1")
@example(url="http://h/\ud800")
@example(url="http://h/?%75tm_x=1")
def test_canonicalising_twice_changes_nothing(url: str) -> None:
    for keep_fragment in (False, True):
        once = canonicalise(url, keep_fragment=keep_fragment)
        assert canonicalise(once, keep_fragment=keep_fragment) == once


@given(raw_url=st.one_of(st.text(), URL_TEXT))
def test_resolved_urls_are_stable_and_have_a_key_on_the_same_origin(raw_url: str) -> None:
    url = resolve(raw_url, PAGE)
    if url is not None:
        assert resolve(url, "http://elsewhere.example/") == url
        assert origin_of(canonicalise(url)) == origin_of(url)


def test_parts_of_a_url() -> None:
    url = "http://u1.edu:8080/a/b/?c=d"
    assert host_of(url) == "u1.edu:8080"
    assert origin_of(url) == "http://u1.edu:8080"
    assert path_of(url) == "/a/b/"
    assert target_of(url) == "/a/b/?c=d"
    assert host_of("https://U1.edu:443") == "u1.edu"
    assert [part("mailto:x") for part in (host_of, origin_of, path_of, target_of)] == [""] * 4


@pytest.mark.parametrize(
    "urls",
    [
        ("https://u1.edu/news?page=1", "https://u1.edu/news?page=2", "https://u1.edu/news"),
        ("https://u1.edu/a?id=1", "https://u1.edu/a?id=2", "https://u1.edu/a?ID=1"),
        ("https://u1.edu/a", "https://u1.edu/A", "http://u1.edu/a", "https://www.u1.edu/a"),
        ("https://u1.edu/a.html", "https://u1.edu/a", "https://u1.edu/a.php"),
        ("https://u1.edu/index", "https://u1.edu/", "https://u1.edu/index-of-names.html"),
        ("https://u1.edu/a?s=term", "https://u1.edu/a?s=other", "https://u1.edu/a"),
        ("https://u1.edu/a?sid=12", "https://u1.edu/a?sid=13"),
        ("https://u1.edu/a?tag=x&tag=y", "https://u1.edu/a?tag=y&tag=x"),
        ("https://u1.edu/a%2Fb", "https://u1.edu/a/b"),
        ("https://u1.edu/a?reference=1", "https://u1.edu/a?reference=2"),
        ("https://u1.edu:8443/a", "https://u1.edu/a"),
    ],
)
def test_different_pages_are_not_joined(urls: tuple[str, ...]) -> None:
    assert len({canonicalise(url) for url in urls}) == len(urls)
