import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.page import PageInput, read_page
from webmine_assets_tests.crawl.site import html, prose

URL = "https://u1.edu/a/"


def _input(body: bytes, content_type: str = "text/html", **headers: str) -> PageInput:
    return PageInput(url=URL, body=body, headers={"content-type": content_type} | headers)


def test_page_is_read_in_one_go() -> None:
    head = '<link rel="canonical" href="/real/?utm_source=x"><base href="/base/">'
    page = read_page(_input(html("libraries", links=["one", "/two/"], head=head)))
    assert (page.title, page.text, page.lang) == ("libraries", prose("libraries"), "en")
    assert page.canonical == "https://u1.edu/real"
    assert page.links == (
        ("https://u1.edu/base/one", "https://u1.edu/base/one", False),
        ("https://u1.edu/two/", "https://u1.edu/two", False),
    )
    assert page.checksum.startswith("sha256:")
    assert page.simhash != 0
    assert page.refusal is None


def test_text_of_a_known_page_is_not_read_again() -> None:
    body = html("libraries", links=["/x"])
    page = read_page(PageInput(url=URL, body=body, headers={}, links_only=True))
    assert page.text == ""
    assert [url for url, _, _ in page.links] == ["https://u1.edu/x"]


@pytest.mark.parametrize(
    ("script", "routes"),
    [
        ("window.$docsify = {}", ["#/guide", "#/api", "#/tag?id=a&sort=b"]),
        ("", ["#/guide", "#/guide?id=install", "#/?id=top", "#/api?id=calls", "#/tag?id=a&sort=b"]),
    ],
)
def test_headings_of_docsify_are_no_pages(script: str, routes: list[str]) -> None:
    hrefs = ("#/guide", "#/guide?id=install", "#/?id=top", "#/api?id=calls", "#/tag?id=a&sort=b")
    links = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    body = f"<script>{script}</script>{links}".encode()
    page = PageInput(url="https://u1.edu/docs/", body=body, headers={}, keeps_routes=True)
    found = [url.removeprefix("https://u1.edu/docs/") for url, _, _ in read_page(page).links]
    assert [url for url in found if url] == routes


def test_text_and_links_that_a_server_drew_into_a_shadow_root_are_the_page_s() -> None:
    inside = f'<h1>Drawn</h1><p>{prose("shadows")}</p><a href="/x">x</a>'
    body = f'<x-page><template shadowrootmode="open">{inside}</template></x-page>'
    page = read_page(_input(f"<title>T</title>{body}<template>not this</template>".encode()))
    assert prose("shadows") in page.text
    assert "not this" not in page.text
    assert [url for url, _, _ in page.links] == ["https://u1.edu/x"]


@pytest.mark.parametrize("content_type", ["text/html; charset=shift_jis", "text/html"])
def test_charset_is_found(content_type: str) -> None:
    meta = '<meta charset="shift_jis">'
    page = read_page(
        _input(f"{meta}<p>{'日本語の文章です。' * 20}</p>".encode("shift_jis"), content_type)
    )
    assert page.encoding == "shift_jis"
    assert page.lang == "ja"


@given(st.binary(max_size=3000), st.sampled_from(["text/html", "text/plain", "", "x;charset=\x00"]))
def test_no_bytes_make_the_reader_raise(body: bytes, content_type: str) -> None:
    page = read_page(_input(body, content_type))
    assert page.refusal is None or page.refusal.reason in ("soft_404", "pdf_broken")


def test_broken_pdf_is_refused_with_its_reason() -> None:
    page = read_page(_input(b"%PDF-1.7 nothing", "application/pdf"))
    assert page.refusal is not None
    assert page.refusal.reason == "pdf_broken"
