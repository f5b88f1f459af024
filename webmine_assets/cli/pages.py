"""`webmine extract`: content, metadata and topics of single pages."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli.chosen import lake_to_ask
from webmine_assets.cli.console import output, print_json
from webmine_assets.errors import ConfigurationError, StorageError
from webmine_assets.extract.flat_text import as_html
from webmine_assets.extract.jsonl import extract_jsonl
from webmine_assets.extract.page import ExtractedPage, extract_page
from webmine_assets.institutions import load_institutions
from webmine_assets.reading.pdf import PdfRefusal, is_pdf, read_pdf
from webmine_assets.settings import read_settings
from webmine_assets.stages.page_rows import extract_stored, stored_page
from webmine_assets.stages.reextract import find_stored
from webmine_assets.urls import resolve

_PDF_TIMEOUT_S = 60.0


def extract(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="HTML or PDF files, JSON lines with --jsonl; - is standard input"),
    ] = None,
    url: Annotated[str, typer.Option(help="the page's URL, so that links become absolute")] = "",
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help="JSON lines {id, url, html_b64} in and out",
        ),
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="only the Markdown")] = False,
    stored: Annotated[
        str | None,
        typer.Option("--stored", metavar="URL", help="a page of the corpus, by its URL"),
    ] = None,
) -> None:
    """Extract text, Markdown, metadata and topics, each value with its source; no network.

    A stored page is extracted under the rules and topics of its institution's file as they are now.
    """
    if url and not resolve(url, url):
        raise ConfigurationError(f"--url: found {url!r}; expected an http:// or https:// URL")
    if jsonl:
        if markdown:
            raise ConfigurationError("--markdown is of one page; --jsonl answers with JSON lines")
        _extract_lines(files or [Path("-")])
        return
    if stored is not None:
        _show(_extract_stored(stored), markdown=markdown)
    elif not files:
        raise ConfigurationError(
            "name an HTML or PDF file, - for standard input, or use --stored URL or --jsonl"
        )
    for path in files or ():
        _show(extract_page(_page_in(path), url=url), markdown=markdown)


def _extract_lines(files: list[Path]) -> None:
    for path in files:
        if str(path) == "-":
            extract_jsonl(sys.stdin, sys.stdout)
            continue
        try:
            with path.open(encoding="utf-8", errors="replace") as lines:
                extract_jsonl(lines, sys.stdout)
        except OSError as problem:
            raise ConfigurationError(f"{path} cannot be read: {problem.strerror}") from problem


def _show(page: ExtractedPage, *, markdown: bool) -> None:
    if markdown:
        output.out(page.content.full_content)
    else:
        print_json(page.to_json_dict())


def _extract_stored(url: str) -> ExtractedPage:
    settings = read_settings()
    lake = lake_to_ask(settings)
    snapshot = find_stored(lake, url)
    if snapshot is None:
        raise StorageError(f"{url} is not stored; `webmine why {url}` tells what is known of it")
    institutions = load_institutions(settings.institutions).institutions
    page = stored_page(snapshot, institutions.get(snapshot.institution), now=datetime.now(UTC))
    return extract_stored(page)


def _page_in(path: Path) -> bytes | str:
    body = _read(path)
    if not is_pdf(body):
        return body
    pdf = read_pdf(body, timeout_s=_PDF_TIMEOUT_S)
    if isinstance(pdf, PdfRefusal):
        raise ConfigurationError(f"{path}: the PDF is {pdf.reason}: {pdf.detail}")
    return as_html(pdf.text, pdf_properties=pdf.properties)


def _read(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as problem:
        raise ConfigurationError(f"{path} cannot be read: {problem.strerror}") from problem
