"""`webmine archive`: the WARC files of the corpus, listed, checked, read and taken in."""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from webmine_assets.archive.check import check_archive
from webmine_assets.archive.listing import archive_files, list_archives, rebuild_index
from webmine_assets.cli import imports
from webmine_assets.cli.chosen import chosen_institution
from webmine_assets.cli.console import errors, output, print_json, print_table, showing_progress
from webmine_assets.errors import ArchiveError, ConfigurationError
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.copies import Copy, newest_copy
from webmine_assets.storage.lake import Lake
from webmine_assets.urls import url_problem

archives = typer.Typer(
    name="archive",
    help="The long-term copy: WARC files that other tools can read, with an index beside each.",
    no_args_is_help=True,
)
archives.command("import")(imports.warc)

_Institution = Annotated[
    str | None, typer.Option("--institution", "-i", help="only this institution's files")
]


@archives.command("list")
def list_files(
    institution: _Institution = None,
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """List the archive files: size, stories, and when the first and last page was fetched."""
    settings = read_settings()
    rows = [
        {
            "file": str(file.path.relative_to(settings.archives)),
            "bytes": file.size_bytes,
            "stories": file.stories,
            "first": file.first_at,
            "last": file.last_at,
        }
        for file in list_archives(_folder(settings, institution))
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_table(rows, title=f"{len(rows)} files in {settings.archives}")
    else:
        output.print(f"no archive files in {settings.archives}; `webmine run` writes them")


@archives.command()
def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            exists=True, help="WARC files or folders; all of the corpus if none is given"
        ),
    ] = None,
    institution: _Institution = None,
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """Check digests, pairs of page and metadata, limits and the index; exit 1 on any problem."""
    paths = _files_in(files or [_folder(read_settings(), institution)])
    found: list[dict[str, Any]] = []
    with showing_progress() as progress, progress.task("check", len(paths)) as task:
        for number, path in enumerate(paths, 1):
            problems = check_archive(path)
            found.append({"file": str(path), "problems": [str(problem) for problem in problems]})
            task.update(number, len(paths))
    if as_json:
        print_json(found)
    else:
        _show_checked(found)
    raise typer.Exit(1 if any(entry["problems"] for entry in found) else 0)


@archives.command()
def index(
    files: Annotated[
        list[Path],
        typer.Argument(exists=True, help="WARC files, gzip or plain, of any origin, or folders"),
    ],
) -> None:
    """Write the CDXJ index of files anew, beside each: replay tools such as pywb search it.

    A damaged file is named and keeps the index it has; the others get theirs, and the exit code
    is 1.
    """
    paths = _files_in(files)
    failed = 0
    for path in paths:
        try:
            output.print(str(rebuild_index(path)), markup=False, soft_wrap=True)
        except ArchiveError as problem:
            errors.print(str(problem), style="red", markup=False, soft_wrap=True)
            failed += 1
    if not paths:
        errors.print("no WARC files there")
    raise typer.Exit(1 if failed or not paths else 0)


@archives.command()
def read(
    url: Annotated[str, typer.Argument(help="a page's URL")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", dir_okay=False, help="write to this file, not to the screen"),
    ] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="what is known of the page, as JSON, not its bytes")
    ] = False,
) -> None:
    """Give the bytes of a page's newest copy; their digest is checked."""
    settings = read_settings()
    if wrong := url_problem(url):
        raise ConfigurationError(wrong)
    copy = newest_copy(Lake(settings.lake), settings, url)
    if copy is None:
        known = f"there is no copy in {settings.archives}"
        raise ArchiveError(url, f"{known}; `webmine why {url}` tells what was decided about it")
    if metadata:
        print_json(_metadata(copy))
        return
    body = copy.read()
    if out is None:
        sys.stdout.buffer.write(body)
        return
    try:
        out.write_bytes(body)
    except OSError as problem:
        raise ConfigurationError(f"{out} cannot be written: {problem.strerror}") from problem
    errors.print(f"{len(body)} bytes of {copy.fetched_at:%Y-%m-%d %H:%M:%S} UTC in {out}")


def _files_in(chosen: list[Path]) -> list[Path]:
    return [path for one in chosen for path in (archive_files(one) if one.is_dir() else [one])]


def _folder(settings: Settings, institution: str | None) -> Path:
    folder = settings.archives
    if institution is None:
        return folder
    if not (folder / institution).is_dir():
        chosen_institution(settings, institution)
    return folder / institution


def _metadata(copy: Copy) -> dict[str, Any]:
    story = copy.story()
    return {
        "url": story.page.url,
        "fetched_at": copy.fetched_at,
        "file": str(copy.path),
        "offset": copy.offset,
        "status": story.page.status,
        "headers": story.page.headers,
        "rss_entry": dataclasses.asdict(story.page.rss_entry),
        "http_metadata": dataclasses.asdict(story.http_metadata),
        "content_metadata": dataclasses.asdict(story.content_metadata),
        "extras": story.page.extras,
    }


def _show_checked(found: list[dict[str, Any]]) -> None:
    for entry in found:
        for problem in entry["problems"]:
            errors.print(f"{entry['file']}: {problem}", markup=False, soft_wrap=True)
    bad = sum(bool(entry["problems"]) for entry in found)
    output.print(f"{len(found)} files checked, {bad} with problems")
