import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.pages.links import MetaRobots
from webmine_assets.crawl.pages.text import PageText
from webmine_assets.crawl.rules.policy import (
    ContentType,
    Kind,
    decide_page,
    decide_response,
    decide_text,
    kind_of,
    parse_content_type,
)
from webmine_assets.institutions import Budgets, Policy
from webmine_assets.reading.language import Language

CYRILLIC = "<html>" + "Университет открыт для всех. " * 25
HTML = b"<!doctype html><html><body><p>Hello</p></body></html>"


def reason_of(refusal: Refusal | None) -> str | None:
    return refusal.reason if refusal else None


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html", ContentType("text/html", None)),
        ("Text/HTML; Charset=\"UTF-8\"", ContentType("text/html", "UTF-8")),
        ("text/html;charset = windows-1251; x=y", ContentType("text/html", "windows-1251")),
        ("text/html, text/plain", ContentType("text/html", None)),
        ("", ContentType("", None)),
        (None, ContentType("", None)),
    ],
)  # fmt: skip
def test_content_types_are_read(header: str | None, expected: ContentType) -> None:
    assert parse_content_type(header) == expected


@pytest.mark.parametrize(
    ("header", "body", "expected"),
    [
        ("text/html", HTML, Kind.HTML),
        ("application/xhtml+xml", HTML, Kind.HTML),
        ("text/plain", b"words", Kind.TEXT),
        ("application/pdf", b"%PDF-1.7", Kind.PDF),
        ("text/html", b"%PDF-1.7", Kind.PDF),
        ("application/octet-stream", b"\n%PDF-1.7", Kind.PDF),
        (None, HTML, Kind.HTML),
        (None, b"words", None),
        ("image/png", b"\x89PNG", None),
        ("application/json", b"{}", None),
        ("text/css", b"p{}", None),
    ],
)
def test_the_kind_follows_the_header_then_the_bytes(
    header: str | None, body: bytes, expected: Kind | None
) -> None:
    assert kind_of(header, body) == expected


@pytest.mark.parametrize(
    ("status", "content_type", "body", "expected"),
    [
        (200, "text/html", HTML, None),
        (200, "text/html", b"", None),
        (204, "text/html", b"", "status"),
        (206, "text/html", HTML, "status"),
        (304, "text/html", b"", "status"),
        (404, "text/html", HTML, "http_404"),
        (500, "text/html", HTML, "http_500"),
        (200, "image/png", b"\x89PNG", "content_type"),
        (200, "text/html", b"\x89PNG\r\n\x1a\n", "binary"),
        (200, "text/html", b"PK\x03\x04abc", "binary"),
        (200, "text/html; charset=UTF-16LE", CYRILLIC.encode("utf-16-le"), None),
        (200, "text/html", CYRILLIC.encode("utf-16-le"), None),
        (200, "text/html", CYRILLIC.encode("utf-16-be"), None),
        (200, "text/html", CYRILLIC.encode("utf-16"), None),
        (200, "text/html", b"<\0\x01\x02\x03\x04", "binary"),
        (200, "text/html", bytes(range(256)) * 4, "binary"),
        (200, "text/plain", b"\0\0\0\x18ftypmp42", "binary"),
        (200, "text/html", HTML.decode().encode("utf-16"), None),
        (200, "text/html", HTML.decode().encode("utf-16-le"), None),
        (200, "text/html", HTML.decode().encode("utf-16-be"), None),
        (200, "text/html", HTML + b"\0", None),
        (200, "text/html", "日本語".encode("iso2022_jp") * 9, None),
        (200, "text/html", b"x" * 2000, None),
        (200, "text/html", b"x" * 2001, "body_size"),
        (200, "application/pdf", b"%PDF-" + b"x" * 2995, None),
        (200, "application/pdf", b"%PDF-" + b"x" * 2996, "pdf_size"),
    ],
)
def test_responses_that_are_no_pages_are_refused(
    status: int, content_type: str, body: bytes, expected: str | None
) -> None:
    budgets = Budgets(max_body_bytes=2000, pdf_size_limit_mb=0.003)
    refusal = decide_response(status, content_type, body, budgets=budgets)
    assert reason_of(refusal) == expected
    if refusal:
        assert refusal.decision == ("http_error" if status >= 400 else "content_policy")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("x" * 50, Language("en", 0.99), None),
        ("x" * 49, Language("en", 0.99), "min_text"),
        (" " * 100, None, "min_text"),
        ("x" * 50, Language("de", 0.7), None),
        ("x" * 50, Language("fr", 0.7), "language"),
        ("x" * 50, Language("fr", 0.69), None),
        ("x" * 50, Language("en", 0.1), None),
        ("x" * 50, None, None),
    ],
)
def test_short_and_foreign_texts_are_refused(
    text: str, language: Language | None, expected: str | None
) -> None:
    policy = Policy(min_text_length=50, languages=("en-GB", "DE"), language_confidence=0.7)
    assert reason_of(decide_text(text, language, policy=policy)) == expected


def test_without_an_allow_list_every_language_is_welcome() -> None:
    assert decide_text("x" * 60, Language("fr", 1.0), policy=Policy()) is None


@pytest.mark.parametrize(
    ("title", "heading", "text", "expected"),
    [
        ("404 Not Found", None, "Sorry.", "soft_404"),
        ("U1", "Page not found", "Try the search.", "soft_404"),
        ("Seite nicht gefunden | U1", None, "x", "soft_404"),
        ("Page introuvable", None, "x", "soft_404"),
        ("Error 404", None, "x", "soft_404"),
        ("The page you asked for could not be found", None, "x", "soft_404"),
        ("Lost and found", "Found objects", "x", None),
        ("Room 404", None, "x", None),
        ("What to do when a page is not found", None, "x" * 1501, None),
        (None, None, "not found", None),
    ],
)
def test_pages_that_say_they_do_not_exist_are_refused(
    title: str | None, heading: str | None, text: str, expected: str | None
) -> None:
    assert reason_of(decide_page(PageText(title, heading, text), MetaRobots())) == expected


def test_noindex_is_obeyed() -> None:
    page = PageText("Title", None, "x" * 2000)
    assert reason_of(decide_page(page, MetaRobots(noindex=True))) == "noindex"
    assert decide_page(page, MetaRobots(nofollow=True)) is None


@given(body=st.binary(max_size=200), content_type=st.text(max_size=40))
def test_no_response_makes_it_raise(body: bytes, content_type: str) -> None:
    refusal = decide_response(200, content_type, body, budgets=Budgets())
    assert refusal is None or refusal.decision == "content_policy"
