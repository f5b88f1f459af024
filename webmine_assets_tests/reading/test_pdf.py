import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from webmine_assets.reading.pdf import PdfReader, PdfRefusal, PdfText, read_pdf


def build_pdf(
    text: str, *, pages: int = 1, repeat: int = 1, title: str = "", trailer: str = ""
) -> bytes:
    """A small valid PDF whose pages share one content stream."""
    shown = "BT /F1 12 Tf 72 720 Td " + f"({text}) Tj 0 -14 Td " * repeat + "ET"
    kids = " ".join(f"{number} 0 R" for number in range(6, 6 + pages))
    resources = "/Resources<</Font<</F1 3 0 R>>>>"
    page = f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R{resources}>>"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {pages}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(shown)}>>stream\n{shown}\nendstream",
        f"<</Title({title})>>",
        *[page] * pages,
    ]
    body = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj{content}endobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    end += f"trailer<</Size {size}/Root 1 0 R/Info 5 0 R{trailer}>>"
    return f"{body}{end}\nstartxref\n{len(body)}\n%%EOF".encode("latin-1")


@pytest.fixture
def reader() -> Iterator[PdfReader]:
    with PdfReader() as reader:
        yield reader


def test_text_title_and_pages_are_read(reader: PdfReader) -> None:
    body = build_pdf("Annual report of the faculty", pages=2, title="Report 2024")
    text = "Annual report of the faculty\n\nAnnual report of the faculty"
    assert reader.read(body, timeout_s=20) == PdfText(text, 2, {"Title": "Report 2024"})


def test_properties_are_read_on_one_line_each_and_bounded(reader: PdfReader) -> None:
    info = f"Report)/Author(Jane\\n Doe)/Subject()/ModDate(D:20240131)/Keywords({'x' * 900}"
    read = reader.read(build_pdf("x", title=info), timeout_s=20)
    assert isinstance(read, PdfText)
    assert read.properties == {
        "Title": "Report",
        "Author": "Jane Doe",
        "ModDate": "D:20240131",
        "Keywords": "x" * 500,
    }


def test_a_pdf_without_a_title_has_none(reader: PdfReader) -> None:
    read = reader.read(build_pdf("x"), timeout_s=20)
    assert isinstance(read, PdfText)
    assert read.title is None


@pytest.mark.parametrize("body", [b"", b"%PDF-1.4 broken", b"\0" * 1000, build_pdf("x")[:200]])
def test_broken_files_are_refused(reader: PdfReader, body: bytes) -> None:
    refusal = reader.read(body, timeout_s=20)
    assert isinstance(refusal, PdfRefusal)
    assert refusal.reason == "broken"


def test_encrypted_files_are_refused(reader: PdfReader) -> None:
    key = "A" * 32
    encrypt = f"/Encrypt<</Filter/Standard/V 1/R 2/O({key})/U({key})/P -4>>/ID[(a)(a)]"
    refusal = reader.read(build_pdf("secret", trailer=encrypt), timeout_s=20)
    assert isinstance(refusal, PdfRefusal)
    assert refusal.reason == "encrypted"


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_refused_and_the_next_is_read(reader: PdfReader) -> None:
    slow = build_pdf("word " * 20, pages=3000, repeat=5000)
    assert reader.read(slow, timeout_s=0.5) == PdfRefusal("timeout", "more than 0.5 s")
    assert isinstance(reader.read(build_pdf("next"), timeout_s=20), PdfText)


@pytest.mark.slow
def test_a_worker_whose_asker_is_gone_ends_by_itself() -> None:
    slow = build_pdf("word " * 20, pages=3000, repeat=5000)
    serve = "import sys; from webmine_assets.reading.pdf_worker import serve; "
    serve += "serve(sys.stdin.buffer, sys.stdout.buffer, limit_s=1)"
    ended = subprocess.run(
        [sys.executable, "-c", serve],
        input=len(slow).to_bytes(8, "big") + slow,
        timeout=60,
        check=False,
    )
    assert ended.returncode == -signal.SIGALRM


def test_one_worker_serves_many_files_and_can_be_ended() -> None:
    answers = [read_pdf(build_pdf(f"file {number}"), timeout_s=20) for number in range(3)]
    assert [answer.text for answer in answers if isinstance(answer, PdfText)] == [
        "file 0", "file 1", "file 2",
    ]  # fmt: skip
    reader = PdfReader()
    reader.close()
    assert isinstance(reader.read(build_pdf("again"), timeout_s=20), PdfText)
    reader.close()
