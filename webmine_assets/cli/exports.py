"""`webmine export`: tables, Markdown, web archive packages and stories for other tools."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from webmine_assets.cli.chosen import chosen_institution, lake_to_ask, stored_institutions
from webmine_assets.cli.console import errors, showing_progress
from webmine_assets.errors import ConfigurationError, StorageError
from webmine_assets.progress import Task
from webmine_assets.records import TABLES
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.exports import export_wacz, page_markdown, story_contents
from webmine_assets.storage.elastic import DEFAULT_INDEX, ElasticSink
from webmine_assets.storage.export import ExportFormat, export_table

_OTHERS = ("markdown", "wacz", "elasticsearch")
_SHOWN_REFUSALS = 5


def export(
    what: Annotated[str, typer.Argument(help=f"{', '.join(TABLES)}; {', '.join(_OTHERS)}")],
    format: Annotated[
        ExportFormat | None, typer.Option("--format", "-f", help="of a table; else parquet")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", dir_okay=False, help="the file; text goes to the screen without"
        ),
    ] = None,
    institution: Annotated[
        str | None, typer.Option("--institution", "-i", help="only this one; else all of a table")
    ] = None,
    bodies: Annotated[
        bool, typer.Option("--bodies/--no-bodies", help="with the bytes of pages (base 64 in text)")
    ] = True,
    url: Annotated[
        str | None,
        typer.Option(help="of Elasticsearch, as http://host:9200; else WEBMINE_ELASTIC_URL"),
    ] = None,
    index: Annotated[str, typer.Option(help="of Elasticsearch")] = DEFAULT_INDEX,
) -> None:
    """Write a table, an institution's Markdown, or its archives as one WACZ file.

    A table goes to Parquet, CSV or JSON lines, row by row, however large it is. `markdown` is every
    page of an institution in the order of the crawl, each under `--- URL (depth N) ---`. `wacz` is
    a package that ReplayWeb.page and other tools show in the browser. `elasticsearch` sends the
    stories to an index in Media Cloud's field names; sent again, they replace themselves.
    """
    settings = read_settings()
    if format is not None and what in _OTHERS:
        raise ConfigurationError(f"--format is of a table; {what} has a form of its own")
    if what == "markdown":
        _markdown(settings, _required(settings, institution), out)
    elif what == "wacz":
        _wacz(settings, _required(settings, institution), out)
    elif what == "elasticsearch":
        _elasticsearch(settings, url or settings.elastic_url, index, institution)
    elif what in TABLES:
        chosen = format or ExportFormat.PARQUET
        _table(settings, what, chosen, out, institution, bodies=bodies)
    else:
        known = ", ".join((*TABLES, *_OTHERS))
        raise ConfigurationError(f"{what!r} cannot be exported; known: {known}")


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
    lake = lake_to_ask(settings, institution)
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
    lake = lake_to_ask(settings)
    pages, total = 0, lake.count("page_content", institution)
    if not total:
        raise StorageError(
            f"{institution} has no extracted pages; `webmine run {institution}` makes them"
        )
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
        packed = export_wacz(institution, out, settings=settings, title=institution)
        task.update(packed.files, packed.files)
    if packed.files:
        _say(f"{packed.files} archive files of {institution}", out)
    for problem in packed.damaged:
        errors.print(f"left out: {problem}", style="red", markup=False, soft_wrap=True)
    if packed.damaged:
        raise typer.Exit(1)


def _elasticsearch(
    settings: Settings, url: str | None, index: str, institution: str | None
) -> None:
    if url is None:
        raise ConfigurationError(
            "export elasticsearch needs --url http://host:9200, or WEBMINE_ELASTIC_URL"
        )
    sink = ElasticSink(url, index=index, api_key=settings.elastic_key)
    lake = lake_to_ask(settings, institution)
    names = stored_institutions(settings, lake, "page_snapshots", institution)
    total = sum(lake.count("page_snapshots", name) for name in names)
    with showing_progress() as progress, progress.task("send stories", total) as task:
        sink.create_index()
        report = sink.write(_counted(story_contents(lake, names), task))
    errors.print(f"{report.indexed} stories in {index}", markup=False, soft_wrap=True)
    for story, reason in report.refused[:_SHOWN_REFUSALS]:
        errors.print(f"refused: {story}: {reason}", style="red", markup=False, soft_wrap=True)
    if report.refused:
        raise StorageError(f"Elasticsearch refused {len(report.refused)} of {total} stories")


def _required(settings: Settings, institution: str | None) -> str:
    if institution is None:
        raise ConfigurationError("name an institution: --institution ID")
    # Archives may have been brought here without the tables.
    if not (settings.archives / institution).is_dir():
        known = lake_to_ask(settings, institution).institutions("page_snapshots")
        if institution not in known:
            chosen_institution(settings, institution)
    return institution


def _counted(rows: Iterator[dict[str, Any]], task: Task) -> Iterator[dict[str, Any]]:
    for done, row in enumerate(rows, 1):
        yield row
        task.update(done)


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
