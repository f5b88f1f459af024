"""`webmine search`: ranked pages with snippets."""

import dataclasses
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from webmine_assets.cli.console import output, print_json
from webmine_assets.errors import ConfigurationError
from webmine_assets.settings import read_settings
from webmine_assets.storage.search import Hit, SearchIndex

# A letter or digit of any script; a star alone asks for every page.
_WORD = re.compile(r"\w|\*")


def search(
    words: Annotated[
        list[str], typer.Argument(help="words; '\"a phrase\" +must -mustnot' in quotes")
    ],
    institution: Annotated[
        str | None, typer.Option("--institution", "-i", help="only this institution")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="published or changed since")
    ] = None,
    topic: Annotated[str | None, typer.Option(help="only pages with this topic")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="how many")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="a list of objects")] = False,
) -> None:
    """Search titles and texts of all pages, best first."""
    asked = " ".join(words)
    if not _WORD.search(asked):
        raise ConfigurationError(f"{asked!r} has no word to search for")
    folder = read_settings().search_index
    index = SearchIndex(folder)
    hits = index.search(
        asked,
        institution=institution,
        since=since.date() if since else None,
        topic=topic,
        limit=limit,
    )
    if as_json:
        print_json([dataclasses.asdict(hit) for hit in hits])
        return
    if not hits:
        output.print(_nothing(index, institution, folder), markup=False, soft_wrap=True)
    for hit in hits:
        _show(hit)


def _nothing(index: SearchIndex, institution: str | None, folder: Path) -> str:
    """Why there may be nothing, if it is not for the words."""
    counts = index.counts()
    if not counts:
        return f"nothing found: no page is in the index at {folder}; `webmine run` fills it"
    if institution is not None and institution not in counts:
        known = ", ".join(counts)
        return f"nothing found: no page of {institution!r} is in the index, only of {known}"
    return "nothing found"


def _show(hit: Hit) -> None:
    day = f"{hit.date:%Y-%m-%d}  " if hit.date else ""
    output.print(f"[bold]{escape(hit.title) or hit.url}[/]", soft_wrap=True)
    output.print(f"  [dim]{day}{hit.institution}  {hit.url}[/]", soft_wrap=True)
    if hit.snippet:
        output.print(f"  {_highlighted(hit)}", soft_wrap=True)


def _highlighted(hit: Hit) -> str:
    shown, place = "", 0
    for start, end in hit.highlights:
        shown += escape(hit.snippet[place:start])
        shown += f"[yellow]{escape(hit.snippet[start:end])}[/]"
        place = end
    return " ".join((shown + escape(hit.snippet[place:])).split())
