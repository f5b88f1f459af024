import pypdfium2
import pytest

from webmine_assets.demo.pdf import build_pdf


def read(data: bytes) -> list[str]:
    with pypdfium2.PdfDocument(data) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


@pytest.mark.parametrize("text", ["plain words", "a (nested) \\ sign", "Grüße, café – done"])
def test_text_can_be_read_back(text):
    assert text in " ".join(read(build_pdf("A title", [text])))


def test_long_text_goes_on_to_another_page():
    paragraphs = [f"Paragraph {number} of the report." for number in range(40)]
    pages = read(build_pdf("A title", paragraphs))
    assert len(pages) == 2
    assert "Paragraph 39" in pages[1]


def test_same_text_gives_same_bytes():
    assert build_pdf("T", ["x"]) == build_pdf("T", ["x"])
