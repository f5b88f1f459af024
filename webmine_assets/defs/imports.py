"""The import of archives as a job: its pages are seen as a crawl's, so enhancement follows."""

from dagster import (
    AssetMaterialization,
    Failure,
    OpExecutionContext,
    ResourceParam,
    job,
    op,
)

from webmine_assets.defs.config import ImportConfig
from webmine_assets.defs.metadata import import_metadata, table_metadata
from webmine_assets.defs.resources import Corpus, Display
from webmine_assets.defs.turns import waiting_for_others
from webmine_assets.stages.imports import PageImport
from webmine_assets.stages.selection import as_written


@op(description="Take the pages of WARC files into an institution's tables; no network for files.")
def import_pages(
    context: OpExecutionContext,
    config: ImportConfig,
    corpus: Corpus,
    display: ResourceParam[Display],
) -> None:
    """Import and tell Dagster which partition has new pages; an input that fails stops no other."""
    taking = PageImport(
        institution=corpus.institution(config.institution),
        lake=corpus.lake,
        settings=corpus.settings,
        progress=display.of(context),
        limit=config.limit or None,
        any_host=config.any_host,
    )
    with waiting_for_others(has_watcher=display.progress is not None):
        outcome = taking.warc(config.files)
    if outcome.added or outcome.renewed:
        for table in ("url_ledger", "page_snapshots"):
            written = as_written(corpus.lake, table, config.institution)
            context.log_event(
                AssetMaterialization(
                    table,
                    partition=config.institution,
                    metadata=table_metadata(corpus.lake, written) | import_metadata(outcome),
                )
            )
    if outcome.failed:
        raise Failure(
            description="\n".join(f"{name}: {problem}" for name, problem in outcome.failed),
            allow_retries=False,
        )


@job(
    description="Take the pages of WARC files into an institution's tables; enhancement follows. "
    "Files that were taken before are passed over."
)
def import_archive() -> None:
    import_pages()
