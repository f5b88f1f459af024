"""`webmine extract`: pages, PDFs and JSON lines from files."""

import json
from datetime import date
from pathlib import Path

from webmine_assets.demo.pdf import build_pdf
from webmine_assets_tests.cli.webmine import (
    Webmine,
    assert_clear,
)


def test_extract_reads_a_file_and_json_lines(webmine: Webmine, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = " ".join(f"Sentence number {n} of this page says something else." for n in range(12))
    page.write_text(f"<title>A page</title><article><h1>A page</h1><p>{words}</p></article>")
    found = json.loads(webmine("extract", str(page), "--url", "https://u1.edu/p").stdout)
    assert found["title"] == "A page"
    assert "Sentence number 7" in found["text"]
    line = json.dumps({"id": "7", "url": "https://u1.edu/", "html_b64": "PHA+SGVsbG88L3A+"})
    answers = webmine("extract", "--jsonl", text=f"{line}\nnonsense\n").stdout.splitlines()
    assert [json.loads(answer)["id"] for answer in answers] == ["7", None]
    assert "error" in json.loads(answers[1])
    assert_clear(webmine("extract", str(tmp_path / "none.html")), 2, "cannot be read")
    assert_clear(webmine("extract"), 2, "name an HTML or PDF file")


def test_extract_reads_a_pdf_and_what_it_says_of_itself(webmine: Webmine, tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    sentences = [f"Sentence number {n} of this report says something else." for n in range(12)]
    file.write_bytes(
        build_pdf("Report 2023", sentences, author="Jane Doe", created_on=date(2024, 3, 1))
    )
    found = json.loads(webmine("extract", str(file)).stdout)
    assert (found["title"], found["author"]) == ("Report 2023", "Jane Doe")
    assert found["published_at"] == "2024-03-01T09:00:00+00:00"
    assert "Sentence number 7" in found["text"]
    assert found["sources"]["title"] == "title:pdf:title"
    assert found["sources"]["date"] == "date:pdf:creationdate"
    file.write_bytes(b"%PDF-1.7 nothing")
    assert_clear(webmine("extract", str(file)), 2, "report.pdf: the PDF is broken")


def test_json_lines_come_from_files_too_and_broken_ones_are_named(
    webmine: Webmine, tmp_path: Path
) -> None:
    pages = tmp_path / "pages.jsonl"
    good = {"id": 1, "url": "https://u1.edu/", "html_b64": "PHA+SGVsbG88L3A+"}
    lines = ["nonsense", "[]", {"id": 3}, good | {"url": 5}, good | {"html_b64": "!"}, good]
    pages.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))
    shown = webmine("extract", "--jsonl", str(pages)).stdout.splitlines()
    answers = [json.loads(answer) for answer in shown]
    assert [answer.get("error", "")[:22] for answer in answers] == [
        "line 1: not JSON (Expe",
        "line 2: not a JSON obj",
        "line 3: html_b64: miss",
        "line 4: url: found 5; ",
        "line 5: html_b64: expe",
        "",
    ]
    assert "Error(" not in "".join(shown)
    assert_clear(webmine("extract", "--jsonl", str(tmp_path / "none")), 2, "cannot be read")
    assert_clear(webmine("extract", str(pages), "--url", "u1.edu"), 2, "--url", "expected an http")
