"""The process behind `pdf`: reads PDF files from its input, answers one line of JSON for each."""

import json
import signal
import sys
from typing import IO, Any

import pypdfium2
from pypdfium2 import raw

# Far above what a document of the allowed size needs, and far below what the machine has: a
# compression bomb ends this process and nothing else.
_MAX_MEMORY_BYTES = 1_000_000_000
# Above any time that an asker gives a file: one that asked and was killed cannot end this process.
_LIMIT_S = 120
_MAX_TEXT_CHARS = 5_000_000
_MAX_PROPERTY_CHARS = 500
_PROPERTIES = ("Title", "Author", "Subject", "Keywords", "CreationDate", "ModDate")


def read_document(body: bytes) -> dict[str, Any]:
    """Text, page count and properties, or the reason and detail of a refusal."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as problem:
        encrypted = problem.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        return {"reason": "encrypted" if encrypted else "broken", "detail": str(problem)}
    try:
        text, properties = _text(document), _properties(document)
        return {"text": text, "page_count": len(document), "properties": properties}
    except pypdfium2.PdfiumError as problem:
        return {"reason": "broken", "detail": str(problem)}
    finally:
        document.close()


def serve(requests: IO[bytes], answers: IO[bytes], *, limit_s: int = _LIMIT_S) -> None:
    """Answer until the input ends: each request is eight bytes of length and the file."""
    while len(length := requests.read(8)) == 8:
        body = requests.read(int.from_bytes(length, "big"))
        signal.alarm(limit_s)
        answer = read_document(body)
        signal.alarm(0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _properties(document: pypdfium2.PdfDocument) -> dict[str, str]:
    """What the file says of itself, each value on one line; empty ones are left out."""
    values = ((name, _clean(document.get_metadata_value(name))) for name in _PROPERTIES)
    lines = ((name, " ".join(value.split())[:_MAX_PROPERTY_CHARS]) for name, value in values)
    return {name: line for name, line in lines if line}


def _text(document: pypdfium2.PdfDocument) -> str:
    pages: list[str] = []
    chars = 0
    for number in range(len(document)):
        page = document[number]
        text_page = page.get_textpage()
        pages.append(_clean(text_page.get_text_bounded()))
        text_page.close()
        page.close()
        chars += len(pages[-1])
        if chars > _MAX_TEXT_CHARS:
            break
    return "\n\n".join(page for page in pages if page)[:_MAX_TEXT_CHARS]


def _clean(page_text: str) -> str:
    """Lines without PDFium's carriage returns, its hyphenation mark and stray surrogates."""
    text = page_text.replace("\r\n", "\n").replace("\ufffe", "").replace("\0", "")
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))


def main() -> None:
    """Say that the process is ready, then serve."""
    _limit_memory()
    sys.stdout.buffer.write(b"ready\n")
    sys.stdout.buffer.flush()
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
