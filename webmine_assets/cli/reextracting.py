"""`webmine reextract`: what today's rules and extractor make of the stored pages."""

from typing import Annotated

import typer

from webmine_assets.cli.chosen import InstitutionOption, chosen_institution
from webmine_assets.cli.console import output, print_json, print_table, showing_progress
from webmine_assets.errors import StorageError
from webmine_assets.settings import read_settings
from webmine_assets.stages.reextract import Reextraction
from webmine_assets.stages.reextract import reextract as extract_again
from webmine_assets.stages.search import index_pages
from webmine_assets.storage.lake import Lake

_SHOWN_PAGES = 20


def reextract(
    institution: InstitutionOption,
    apply: Annotated[
        bool, typer.Option("--apply", help="publish the new rows and renew the search index")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="counts, examples and pages")] = False,
) -> None:
    """Extract content, metadata and topics again from the stored bytes, and show what changes.

    No network is used, and nothing is published without --apply: try a rule in the institution
    file, look at the difference, then apply it.
    """
    settings = read_settings()
    chosen = chosen_institution(settings, institution)
    lake = Lake(settings.lake)
    if not lake.has("page_snapshots", institution):
        raise StorageError(
            f"{institution} has no stored pages; `webmine run {institution}` fetches them"
        )
    with showing_progress() as progress:
        outcome = extract_again(chosen, lake=lake, progress=progress, apply=apply)
        if apply:
            index_pages(chosen, lake=lake, settings=settings, progress=progress)
    print_json(outcome.to_json_dict()) if as_json else _show(outcome)


def _show(outcome: Reextraction) -> None:
    found = outcome.differences
    output.print(f"{outcome.institution}: {len(found.changed)} of {found.pages} pages change")
    if outcome.dropped:
        output.print(f"{outcome.dropped} pages have rows but are stored no longer; the rows go")
    if found.fields:
        _show_fields(outcome)
        rows = [{"page": p.url, "fields": ", ".join(p.fields)} for p in found.changed]
        print_table(rows[:_SHOWN_PAGES])
        if len(rows) > _SHOWN_PAGES:
            output.print(f"{_SHOWN_PAGES} of {len(rows)} pages; --json lists all")
    if outcome.applied:
        output.print("published; the search index is renewed")
    elif found.changed or outcome.dropped:
        output.print("nothing was published; --apply does it")


def _show_fields(outcome: Reextraction) -> None:
    rows = [
        {
            "field": name,
            "added": change.counts["added"],
            "removed": change.counts["removed"],
            "changed": change.counts["changed"],
        }
        for name, change in sorted(outcome.differences.fields.items())
    ]
    print_table(rows)
    for name, change in sorted(outcome.differences.fields.items()):
        for example in change.examples[:1]:
            output.print(f"{name}  {example.url}", style="bold", markup=False, soft_wrap=True)
            output.print(f"  - {example.old or '(nothing)'}", markup=False, soft_wrap=True)
            output.print(f"  + {example.new or '(nothing)'}", markup=False, soft_wrap=True)
