"""The commands and how they are grouped in `webmine --help`."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc
from typing import Annotated

import typer

from webmine_assets import __version__

WORK = "Work"
ASK = "Ask"
SERVE = "Serve"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, or a group of commands, and where it is written."""

    name: str
    panel: str
    module: str
    attribute: str


COMMANDS = (
    Entry("run", WORK, "corpus", "run"),
    Entry("demo", WORK, "corpus", "demo"),
    Entry("init", WORK, "files", "init"),
    Entry("institutions", WORK, "files", "institutions"),
    Entry("crawl", WORK, "crawling", "crawl"),
    Entry("reextract", WORK, "reextracting", "reextract"),
    Entry("import", WORK, "imports", "imports"),
    Entry("export", WORK, "exports", "export"),
    Entry("archive", WORK, "archives", "archives"),
    Entry("why", ASK, "why", "why"),
    Entry("extract", ASK, "pages", "extract"),
    Entry("query", ASK, "query", "query"),
    Entry("search", ASK, "searching", "search"),
    Entry("studio", SERVE, "studio", "studio"),
    Entry("ui", SERVE, "services", "ui"),
    Entry("worker", SERVE, "services", "worker"),
    Entry("doctor", SERVE, "services", "doctor"),
)


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """The command line for these arguments.

    Only the command that they name is imported: all of them together take 1.5 s of CPU, of which
    `webmine query` needs a quarter.
    """
    app = typer.Typer(
        name="webmine",
        help=(
            "Keep institutional web sites fresh, searchable and archived.\n\n"
            "Institutions are YAML files in data/institutions. `webmine demo` shows everything on "
            "three bundled sites; `webmine init` writes your first file; `webmine run` does the "
            "work."
        ),
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for entry in _needed(arguments[:1]):
        _add(app, entry)
    return app


def _needed(first: Sequence[str]) -> Sequence[Entry]:
    if "--version" in first:
        return ()
    return [entry for entry in COMMANDS if entry.name in first] or COMMANDS


def _add(app: typer.Typer, entry: Entry) -> None:
    command = getattr(import_module(f"webmine_assets.cli.{entry.module}"), entry.attribute)
    if isinstance(command, typer.Typer):
        for inner in command.registered_commands:
            inner.help = _flowing(inner.help or getdoc(inner.callback))
        app.add_typer(command, rich_help_panel=entry.panel)
    else:
        help_text = _flowing(getdoc(command))
        app.command(entry.name, help=help_text, rich_help_panel=entry.panel)(command)


def _flowing(text: str | None) -> str:
    """Paragraphs without the line ends of our source, which are none of the reader's terminal."""
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"webmine {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of every command."""
