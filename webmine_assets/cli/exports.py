"""`webmine export`: tables, Markdown and web archive packages for other tools."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from webmine_assets.cli.chosen import chosen_institution, stored_institutions
from webmine_assets.cli.console import errors, showing_progress
from webmine_assets.errors import ConfigurationError
from webmine_assets.records import TABLES
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.exports import export_wacz, page_markdown
from webmine_assets.storage.export import ExportFormat, export_table
from webmine_assets.storage.lake import Lake


def export(
    what: Annotated[str, typer.Argument(help=f"{', '.join(TABLES)}; markdown; or wacz")],
    format: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="of a table")
    ] = ExportFormat.PARQUET,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the file; text goes to the screen without")
    ] = None,
    institution: Annotated[
        str | None, typer.Option("--institution", "-i", help="only this one; else all of a table")
    ] = None,
    bodies: Annotated[
        bool, typer.Option("--bodies/--no-bodies", help="with the bytes of pages (base 64 in text)")
    ] = True,
) -> None:
    """Write a table, an institution's Markdown, or its archives as one WACZ file.

    A table goes to Parquet, CSV or JSON lines, row by row, however large it is. `markdown` is every
    page of an institution in the order of the crawl, each under `--- URL (depth N) ---`. `wacz` is
    a package that ReplayWeb.page and other tools show in the browser.
    """
    settings = read_settings()
    if what == "markdown":
        _markdown(settings, _required(settings, institution), out)
    elif what == "wacz":
        _wacz(settings, _required(settings, institution), out)
    elif what in TABLES:
        _table(settings, what, format, out, institution, bodies=bodies)
    else:
        known = ", ".join(TABLES)
        raise ConfigurationError(f"{what!r} cannot be exported; known: {known}, markdown, wacz")


def _table(
    settings: Settings,
    table: str,
    format: ExportFormat,
    out: Path | None,
    institution: str | None,
    *,
    bodies: bool,
) -> None:
    if out is None and format is ExportFormat.PARQUET:
        raise ConfigurationError("--format parquet needs --out FILE")
    lake = Lake(settings.lake)
    names = stored_institutions(settings, lake, table, institution)
    total = sum(lake.count(table, name) for name in names)
    with (
        _sink(out) as sink,
        showing_progress() as progress,
        progress.task(f"write {table}", total) as task,
    ):
        rows = export_table(
            lake,
            table,
            names,
            sink,
            format=format,
            with_bodies=bodies,
            on_rows=lambda done: task.update(done, total),
        )
    _say(f"{rows} rows of {table}", out)


def _markdown(settings: Settings, institution: str, out: Path | None) -> None:
    lake = Lake(settings.lake)
    pages, total = 0, lake.count("page_content", institution)
    with (
        _sink(out) as sink,
        showing_progress() as progress,
        progress.task(f"{institution}: write Markdown", total) as task,
    ):
        for pages, text in enumerate(page_markdown(lake, institution), 1):
            sink.write(text.encode("utf-8", "replace"))
            task.update(pages, total)
    _say(f"{pages} pages of {institution}", out)


def _wacz(settings: Settings, institution: str, out: Path | None) -> None:
    if out is None:
        raise ConfigurationError("export wacz needs --out FILE, for example --out site.wacz")
    with (
        _explained(out),
        showing_progress() as progress,
        progress.task(f"{institution}: pack archives") as task,
    ):
        files = export_wacz(institution, out, settings=settings, title=institution)
        task.update(files, files)
    _say(f"{files} archive files of {institution}", out)


def _required(settings: Settings, institution: str | None) -> str:
    if institution is None:
        raise ConfigurationError("name an institution: --institution ID")
    if institution not in Lake(settings.lake).institutions("page_snapshots"):
        chosen_institution(settings, institution)
    return institution


@contextlib.contextmanager
def _sink(out: Path | None) -> Iterator[BinaryIO]:
    """The screen, or a file that has its name only when it is whole."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    aside = out.with_name(f".{out.name}.part")
    with _explained(out):
        try:
            with aside.open("wb") as file:
                yield file
            aside.replace(out)
        finally:
            aside.unlink(missing_ok=True)


@contextlib.contextmanager
def _explained(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise ConfigurationError(f"{out} cannot be written: {problem.strerror}") from problem


def _say(what: str, out: Path | None) -> None:
    if out is not None:
        errors.print(f"{what} in {out}", markup=False, soft_wrap=True)
