"""The commands and how they are grouped in `webmine --help`."""

from typing import Annotated

import typer

from webmine_assets import __version__
from webmine_assets.cli.archives import archives
from webmine_assets.cli.corpus import demo, init, institutions, run
from webmine_assets.cli.crawling import crawl, why
from webmine_assets.cli.exports import export
from webmine_assets.cli.imports import imports
from webmine_assets.cli.pages import extract
from webmine_assets.cli.query import query
from webmine_assets.cli.reextracting import reextract
from webmine_assets.cli.searching import search
from webmine_assets.cli.services import doctor, ui
from webmine_assets.cli.studio import studio

app = typer.Typer(
    name="webmine",
    help=(
        "Keep institutional web sites fresh, searchable and archived.\n\n"
        "Institutions are YAML files in data/institutions. `webmine demo` shows everything on "
        "three bundled sites; `webmine init` writes your first file; `webmine run` does the work."
    ),
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

WORK = "Work"
ASK = "Ask"
SERVE = "Serve"


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"webmine {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of every command."""


app.command("run", rich_help_panel=WORK)(run)
app.command("demo", rich_help_panel=WORK)(demo)
app.command("init", rich_help_panel=WORK)(init)
app.command("institutions", rich_help_panel=WORK)(institutions)
app.command("crawl", rich_help_panel=WORK)(crawl)
app.command("reextract", rich_help_panel=WORK)(reextract)
app.add_typer(imports, rich_help_panel=WORK)
app.command("export", rich_help_panel=WORK)(export)
app.add_typer(archives, rich_help_panel=WORK)
app.command("why", rich_help_panel=ASK)(why)
app.command("extract", rich_help_panel=ASK)(extract)
app.command("query", rich_help_panel=ASK)(query)
app.command("search", rich_help_panel=ASK)(search)
app.command("studio", rich_help_panel=SERVE)(studio)
app.command("ui", rich_help_panel=SERVE)(ui)
app.command("doctor", rich_help_panel=SERVE)(doctor)
