"""`webmine crawl`: the crawl without Dagster."""

from pathlib import Path
from typing import Annotated

import typer

from webmine_assets.cli.console import (
    output,
    print_json,
    print_table,
    showing_progress,
    tell,
)
from webmine_assets.crawl.miner import build_web_miner
from webmine_assets.errors import ConfigurationError
from webmine_assets.institutions import find_institution, load_institution
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.folder_crawl import crawl_into


def crawl(
    config: Annotated[
        str, typer.Option("--config", "-c", help="an institution file, or the id of one")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="the folder for the results")],
    connections: Annotated[
        int | None, typer.Option(min=1, max=64, help="connections to a host, instead of the file's")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="ask for every page again, whatever ttl_days says")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print the report as JSON")] = False,
) -> None:
    """Crawl one institution into a folder, without Dagster and without the lake.

    Writes page_snapshots.parquet, url_ledger.parquet and report.json, and the pictures that
    rendering.screenshots asks for. Cut off at any moment, the
    same command goes on and fetches nothing twice. Pages that the folder already holds are the
    cache: within ttl_days they are not asked for again, after it only if they changed.
    """
    settings = read_settings()
    institution = load_institution(_file_of(config, settings))
    if force:
        institution = institution.model_copy(update={"ttl_days": 0})
    if connections is not None:
        politeness = institution.politeness.model_copy(update={"concurrency": connections})
        institution = institution.model_copy(update={"politeness": politeness})
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigurationError(f"{out} cannot be made: {problem.strerror}") from problem
    with showing_progress() as progress:
        miner = build_web_miner(settings)
        report = crawl_into(out, institution, miner=miner, settings=settings, progress=progress)
    is_empty = not report["counters"]["pages_used"]
    if as_json:
        print_json(report)
        raise typer.Exit(int(is_empty))
    rows = [{"decision and reason": name, "urls": n} for name, n in report["reasons"].items()]
    print_table(rows, title=f"{institution.institution_id}: {report['stopped_by']}")
    if is_empty:
        tell("warning", "no page was stored; the reasons above say why")
    elif report["counters"]["pages_kept"] == report["counters"]["pages_used"]:
        tell("warning", "nothing could be asked for: the pages of the last crawl stay")
    hint = f"results in {out}; ask about a URL with: webmine why URL --out {out}"
    output.print(hint, markup=False, soft_wrap=True)
    raise typer.Exit(int(is_empty))


def _file_of(config: str, settings: Settings) -> Path:
    """The file of this path; what has no suffix of one is an id, as for `webmine run`."""
    path = Path(config)
    return (
        path if path.suffix or path.is_file() else find_institution(settings.institutions, config)
    )
