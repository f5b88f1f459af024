"""Floors of extraction quality on pages written for this project.

Elements marked `data-wanted` say what the text must have or must not have; the extractor does not
read the attribute.
"""

from pathlib import Path

import pytest
from lxml import html as lxml_html

from webmine_assets.extract import extract_page

PAGES = sorted((Path(__file__).parent / "pages").glob("*.html"))
WANTED_FLOOR = 0.97
UNWANTED_CEILING = 0.05
PAGE_WANTED_FLOOR = 0.85
# Pages that are not articles, with the number of their pieces that may be lost: article extractors
# lose most of such pages.
NOT_ARTICLES = {
    "courses": 0, "directory": 0, "forum": 0, "listing": 0, "timetable": 0, "faq": 0,
    "department": 1, "docs": 1,
}  # fmt: skip


def squeeze(text: str) -> str:
    return " ".join(text.split())


def marked(path: Path, value: str) -> list[str]:
    tree = lxml_html.fromstring(path.read_text("utf-8"))
    return [squeeze(e.text_content()) for e in tree.iter() if e.get("data-wanted") == value]


def text_of(path: Path) -> str:
    page = extract_page(path.read_bytes(), url=f"https://example.org/{path.stem}")
    return squeeze(page.content.text)


def test_the_set_has_a_dozen_kinds_of_pages() -> None:
    assert len(PAGES) >= 12


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_keeps_its_content(path: Path) -> None:
    text, wanted = text_of(path), marked(path, "yes")
    missing = [snippet for snippet in wanted if snippet not in text]
    assert len(missing) <= (1 - PAGE_WANTED_FLOOR) * len(wanted), missing


@pytest.mark.parametrize(("name", "may_lose"), NOT_ARTICLES.items())
def test_a_page_that_is_no_article_loses_nothing_to_speak_of(name: str, may_lose: int) -> None:
    path = Path(__file__).parent / "pages" / f"{name}.html"
    text = text_of(path)
    lost = [snippet for snippet in marked(path, "yes") if snippet not in text]
    assert len(lost) <= may_lose, lost


def test_the_set_keeps_nearly_all_content_and_drops_nearly_all_furniture() -> None:
    lost: list[str] = []
    leaked: list[str] = []
    wanted = unwanted = 0
    for path in PAGES:
        text = text_of(path)
        wanted += len(marked(path, "yes"))
        unwanted += len(marked(path, "no"))
        lost += [f"{path.stem}: {s}" for s in marked(path, "yes") if s not in text]
        leaked += [f"{path.stem}: {s}" for s in marked(path, "no") if s in text]
    assert len(lost) <= (1 - WANTED_FLOOR) * wanted, lost
    assert len(leaked) <= UNWANTED_CEILING * unwanted, leaked


def test_lazy_pictures_are_found_and_pixels_are_not() -> None:
    path = Path(__file__).parent / "pages" / "gallery.html"
    page = extract_page(path.read_bytes(), url="https://example.org/gallery")
    for markdown in (page.content.raw_markdown, page.content.fit_markdown):
        assert "![The lens before cleaning](https://example.org/img/lens-1.jpg)" in markdown
        assert "![Prisms on a cloth](https://example.org/img/lens-2-1600.webp)" in markdown
        assert "pixel" not in markdown
