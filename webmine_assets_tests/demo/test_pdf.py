from datetime import date

import pypdfium2
import pytest

from webmine_assets.demo.pdf import build_pdf


def build(title: str, paragraphs: list[str]) -> bytes:
    return build_pdf(title, paragraphs, author="Jane Doe", created_on=date(2024, 3, 1))


def read(data: bytes) -> list[str]:
    with pypdfium2.PdfDocument(data) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


@pytest.mark.parametrize("text", ["plain words", "a (nested) \\ sign", "Grüße, café – done"])
def test_text_can_be_read_back(text):
    assert text in " ".join(read(build("A title", [text])))


def test_long_text_goes_on_to_another_page():
    paragraphs = [f"Paragraph {number} of the report." for number in range(40)]
    pages = read(build("A title", paragraphs))
    assert len(pages) == 2
    assert "Paragraph 39" in pages[1]


def test_same_text_gives_same_bytes():
    assert build("T", ["x"]) == build("T", ["x"])


def test_it_says_who_wrote_it_and_when():
    with pypdfium2.PdfDocument(build("Report", ["x"])) as document:
        assert document.get_metadata_value("Author") == "Jane Doe"
        assert document.get_metadata_value("CreationDate") == "D:20240301090000Z"
