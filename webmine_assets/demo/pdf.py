"""A PDF written by hand: A4 pages of plain text in Helvetica, the same bytes every time."""

import textwrap
from datetime import date

_LINES_A_PAGE = 46
_CHARACTERS_A_LINE = 82


def build_pdf(title: str, paragraphs: list[str], *, author: str, created_on: date) -> bytes:
    """Text must fit Latin-1, which is what the standard fonts encode without an embedded font."""
    lines = [title, "", *_wrapped(paragraphs)]
    starts = range(0, len(lines), _LINES_A_PAGE)
    pages = [lines[start : start + _LINES_A_PAGE] for start in starts]
    return _assemble(_objects(_information(title, author, created_on), pages))


def _wrapped(paragraphs: list[str]) -> list[str]:
    return [
        line
        for paragraph in paragraphs
        for line in [*textwrap.wrap(" ".join(paragraph.split()), _CHARACTERS_A_LINE), ""]
    ]


def _information(title: str, author: str, created_on: date) -> bytes:
    values = {
        b"Title": title,
        b"Author": author,
        b"CreationDate": f"D:{created_on:%Y%m%d}090000Z",
        b"Producer": "webmine demo",
    }
    return b"".join(b"/%b %b " % (name, _literal(value)) for name, value in values.items())


def _objects(information: bytes, pages: list[list[str]]) -> list[bytes]:
    """Catalog, page tree, font and information first, then a page and its content in turn."""
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< " + information + b">>",
    ]
    for index, lines in enumerate(pages):
        objects += [_page(6 + 2 * index), _content(lines)]
    return objects


def _page(content: int) -> bytes:
    return (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] "
        f"/Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>"
    ).encode()


def _content(lines: list[str]) -> bytes:
    drawn = b"".join(_literal(line) + b" Tj T*\n" for line in lines)
    stream = b"BT /F1 11 Tf 15 TL 60 770 Td\n" + drawn + b"ET"
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream)


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252") + b")"


def _assemble(objects: list[bytes]) -> bytes:
    document = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(document))
        document += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        document
        + b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R >>\n" % size
        + b"startxref\n%d\n%%%%EOF\n" % len(document)
    )
