"""`webmine import`: feeds and CSV files as seeds, WARC files and stored HTML as pages."""

from typing import Annotated

import typer

from webmine_assets.cli.chosen import InstitutionOption, chosen_institution
from webmine_assets.cli.console import errors, output, print_json, print_table, showing_progress
from webmine_assets.errors import ConfigurationError
from webmine_assets.progress import Progress
from webmine_assets.settings import read_settings
from webmine_assets.stages.imports import SEED_MARKS, ImportOutcome, PageImport, SeedImport
from webmine_assets.storage.lake import Lake

imports = typer.Typer(
    name="import",
    help=(
        "Bring in pages and URLs that no crawl found.\n\n"
        "Every input is taken once: it is known by what it holds, so a second run skips it, and "
        "one that was cut off goes on. Inputs that fail are listed, the others are taken, and the "
        "exit code is 1."
    ),
    no_args_is_help=True,
)

Inputs = Annotated[
    list[str],
    typer.Argument(
        help="files, folders, http(s) URLs, or URLs of an object store, with * if need be"
    ),
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="take at most so many; the next run takes the others")
]
AnyHost = Annotated[
    bool,
    typer.Option("--any-host", help="take pages of hosts outside allowed_domains, too"),
]
Again = Annotated[bool, typer.Option("--again", help="take inputs that were taken before")]
AsJson = Annotated[bool, typer.Option("--json", help="print what was done as JSON")]


@imports.command()
def feed(
    urls: Annotated[list[str], typer.Argument(help="RSS, Atom or JSON feeds")],
    institution: InstitutionOption,
    limit: Limit = None,
    again: Again = False,
    as_json: AsJson = False,
) -> None:
    """Add what feeds announce to the seeds; the next crawl fetches it.

    Titles and dates of the entries become evidence for the pages' metadata. To read a feed before
    every crawl, name it under `feeds` in the institution file instead.
    """
    for url in urls:
        if not url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{url} is not an http or https URL of a feed")
    with showing_progress() as progress:
        outcome = _seeds(institution, limit, progress, again=again).feeds(urls)
    _finish(outcome, "seeds", as_json=as_json)


@imports.command()
def csv(
    inputs: Inputs,
    institution: InstitutionOption,
    limit: Limit = None,
    again: Again = False,
    as_json: AsJson = False,
) -> None:
    """Add the URLs of CSV files to the seeds; the next crawl fetches them.

    The column of URLs is found by its name (url, link, href …); a file of bare URLs will do.
    Columns named title and date are kept with the URL.
    """
    with showing_progress() as progress:
        outcome = _seeds(institution, limit, progress, again=again).csv(inputs)
    _finish(outcome, "seeds", as_json=as_json)


@imports.command()
def warc(
    inputs: Inputs,
    institution: InstitutionOption,
    limit: Limit = None,
    any_host: AnyHost = False,
    again: Again = False,
    as_json: AsJson = False,
) -> None:
    """Store the pages of WARC files, with no network: ours, Media Cloud's, or any other.

    The institution's scope and content policy hold, and each URL gets its line in url_ledger. Of
    two copies of a page the newer one stays. A damaged file gives the pages before the damage.
    """
    with showing_progress() as progress:
        outcome = _pages(institution, limit, progress, any_host=any_host, again=again).warc(inputs)
    _finish(outcome, "pages", as_json=as_json)


@imports.command()
def historical(
    inputs: Inputs,
    html: Annotated[
        str, typer.Option("--html", help="folder or store with the pages, named by downloads_id")
    ],
    institution: InstitutionOption,
    limit: Limit = None,
    any_host: AnyHost = False,
    again: Again = False,
    as_json: AsJson = False,
) -> None:
    """Store pages that an older system left: CSV files that list them, and their HTML.

    Columns: downloads_id, and if there are url, collect_date, feeds_id, media_id. A page without a
    url is known by its canonical link.
    """
    with showing_progress() as progress:
        outcome = _pages(institution, limit, progress, any_host=any_host, again=again).historical(
            inputs, html
        )
    _finish(outcome, "pages", as_json=as_json)


def _seeds(institution: str, limit: int | None, progress: Progress, *, again: bool) -> SeedImport:
    settings = read_settings()
    return SeedImport(
        institution=chosen_institution(settings, institution),
        lake=Lake(settings.lake),
        settings=settings,
        progress=progress,
        limit=limit,
        again=again,
    )


def _pages(
    institution: str, limit: int | None, progress: Progress, *, any_host: bool, again: bool
) -> PageImport:
    settings = read_settings()
    return PageImport(
        institution=chosen_institution(settings, institution),
        lake=Lake(settings.lake),
        settings=settings,
        progress=progress,
        limit=limit,
        again=again,
        any_host=any_host,
    )


def _finish(outcome: ImportOutcome, noun: str, *, as_json: bool) -> None:
    if as_json:
        print_json(outcome.to_json_dict())
    else:
        _show(outcome, noun)
    for name, problem in outcome.failed:
        line = problem if name in problem else f"{name}: {problem}"
        errors.print(f"failed: {line}", style="red", markup=False, soft_wrap=True)
    raise typer.Exit(1 if outcome.failed else 0)


def _show(outcome: ImportOutcome, noun: str) -> None:
    name = outcome.institution
    refused = sum(outcome.refused.values())
    output.print(
        f"{name}: {outcome.added} {noun} added, {outcome.renewed} renewed, "
        f"{outcome.known} known already, {refused} refused"
    )
    if refused:
        rows = [
            {"reason": reason, "count": count, "for example": outcome.examples[reason][0]}
            for reason, count in outcome.refused.most_common()
        ]
        print_table(rows)
    for empty in outcome.empty:
        _line(f"nothing in it: {empty}")
    for skipped in outcome.skipped:
        _line(f"skipped, nothing new since it was taken: {skipped}")
    for unfinished in outcome.unfinished:
        _line(f"not finished, the same command goes on: {unfinished}")
    if outcome.waiting > SEED_MARKS.low:
        _line(
            f"{outcome.waiting} URLs wait for a crawl already; more are taken when no more than "
            f"{SEED_MARKS.low} wait"
        )
    if outcome.added or outcome.renewed or outcome.waiting > SEED_MARKS.low:
        _line(_next(noun, name))


def _next(noun: str, name: str) -> str:
    if noun == "seeds":
        return f"next: webmine run {name}  (fetches them)"
    return (
        f"next: webmine reextract -i {name} --apply  (their content, metadata and topics), then "
        f"webmine run {name}  (archives them before it crawls)"
    )


def _line(text: str) -> None:
    output.print(text, markup=False, soft_wrap=True)
