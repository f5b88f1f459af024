"""The assets: one per table, partitioned by institution. They only wire; stages do the work."""

from collections.abc import Iterator
from typing import Any

from dagster import (
    AssetExecutionContext,
    AssetSpec,
    BackfillPolicy,
    Backoff,
    MaterializeResult,
    MetadataValue,
    ResourceParam,
    RetryPolicy,
    asset,
    multi_asset,
)

from webmine_assets import __version__
from webmine_assets.defs.config import CrawlConfig, EnhanceConfig
from webmine_assets.defs.lineage import definition_metadata, describe
from webmine_assets.defs.metadata import (
    archive_metadata,
    batch_metadata,
    crawl_metadata,
    enhancement_metadata,
    screenshot_metadata,
    table_metadata,
)
from webmine_assets.defs.partitions import institutions_partitions
from webmine_assets.defs.resources import Corpus, Display
from webmine_assets.defs.turns import waiting_for_others
from webmine_assets.defs.versions import version_of, version_of_all
from webmine_assets.extract.version import EXTRACTOR_VERSION
from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.stages import crawl as crawl_stage
from webmine_assets.stages.archive import archive_pages
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.search import index_missing, index_pages
from webmine_assets.stages.seeds import collect_seeds
from webmine_assets.stages.selection import as_written, enhance_some

# A crawl is one run per institution: it is long, and may fail alone. Enhancement of many partitions
# shares one run: 50 small partitions take 1.6 s in one run against 2.8 s each in runs of their own.
ONE_AT_A_TIME = BackfillPolicy.multi_run(max_partitions_per_run=1)
TOGETHER = BackfillPolicy.single_run()
# One group: the UI draws the groups of a graph closed, and this graph is to be seen at once.
GROUP = "corpus"
# So that the UI's filter finds them: tag:"webmine/stage"="crawl".
STAGE = "webmine/stage"
ENHANCED = ("page_content", "page_metadata", "page_topics")
RETRY = RetryPolicy(max_retries=2, delay=10, backoff=Backoff.EXPONENTIAL)


def _spec(table: str, *, deps: list[str], code_version: str, stage: str = "crawl") -> AssetSpec:
    return AssetSpec(
        table,
        deps=deps,
        group_name=GROUP,
        code_version=code_version,
        description=describe(table),
        metadata=definition_metadata(table),
        kinds={"parquet", "duckdb"},
        tags={STAGE: stage},
        partitions_def=institutions_partitions,
    )


@asset(
    partitions_def=institutions_partitions,
    group_name=GROUP,
    code_version=__version__,
    description=describe("seeds"),
    metadata=definition_metadata("seeds"),
    kinds={"parquet", "duckdb"},
    tags={STAGE: "crawl"},
    backfill_policy=ONE_AT_A_TIME,
)
def seeds(
    context: AssetExecutionContext, corpus: Corpus, display: ResourceParam[Display]
) -> MaterializeResult:  # type: ignore[type-arg]  # the parameter is for values handed on, we hand none
    """The URLs an institution's crawl starts from."""
    institution = corpus.institution(context.partition_key)
    collected = collect_seeds(
        institution, lake=corpus.lake, settings=corpus.settings, progress=display.of(context)
    )
    problems = "\n".join(f"- {problem}" for problem in collected.problems)
    return MaterializeResult(
        metadata=table_metadata(corpus.lake, collected.table)
        | {"announced": collected.announced, "problems": MetadataValue.md(problems or "none")},
        data_version=version_of(corpus.lake, collected.table),
    )


@multi_asset(
    specs=[
        _spec(table, deps=["seeds"], code_version=__version__)
        for table in ("page_snapshots", "url_ledger", "crawl_reports")
    ],
    backfill_policy=ONE_AT_A_TIME,
)
def crawl_pages(
    context: AssetExecutionContext,
    config: CrawlConfig,
    corpus: Corpus,
    display: ResourceParam[Display],
) -> Iterator[MaterializeResult]:  # type: ignore[type-arg]  # as above
    """Crawl one institution: pages, a reason for every URL, and a report."""
    institution = corpus.institution(context.partition_key)
    with waiting_for_others(has_watcher=display.progress is not None):
        outcome = crawl_stage.crawl_pages(
            config.applied_to(institution),
            lake=corpus.lake,
            settings=corpus.settings,
            progress=display.of(context),
            force=config.force,
            # What holds for one run takes no page away that the file has a place for.
            max_kept=institution.max_pages,
        )
    pictures = screenshot_metadata(corpus.lake, corpus.settings, context.partition_key)
    for written in (outcome.ledger, outcome.reports, outcome.snapshots):
        yield MaterializeResult(
            asset_key=written.table,
            metadata=table_metadata(corpus.lake, written)
            | crawl_metadata(written.table, outcome.report)
            | (pictures if written is outcome.snapshots else {}),
            data_version=version_of(corpus.lake, written),
        )


@multi_asset(
    specs=[
        _spec(table, deps=deps, code_version=EXTRACTOR_VERSION, stage="enhancement")
        for table, deps in (
            ("page_content", ["page_snapshots"]),
            ("page_metadata", ["page_snapshots"]),
            ("page_topics", ["page_content", "page_metadata"]),
        )
    ],
    backfill_policy=TOGETHER,
    retry_policy=RETRY,
)
def enhance(
    context: AssetExecutionContext,
    config: EnhanceConfig,
    corpus: Corpus,
    display: ResourceParam[Display],
) -> Iterator[MaterializeResult]:  # type: ignore[type-arg]  # as above
    """Content, metadata and topics of stored pages, from one parse each, without network."""
    keys = context.partition_keys
    for key in keys:
        added = _enhance_partition(corpus.institution(key), config, corpus, display.of(context))
        for table in ENHANCED:
            written = as_written(corpus.lake, table, key)
            metadata = table_metadata(corpus.lake, written) | added.get(table, {})
            context.add_asset_metadata(metadata, asset_key=table, partition_key=key)
    for table in ENHANCED:
        yield MaterializeResult(
            asset_key=table,
            data_version=version_of_all(corpus.lake, table, keys),
        )


def _enhance_partition(
    institution: Institution, config: EnhanceConfig, corpus: Corpus, progress: Progress
) -> dict[str, dict[str, Any]]:
    """Enhance all pages or those the config asks for; what to show beside the tables."""
    lake = corpus.lake
    if config.is_whole_partition:
        outcome = enhance_pages(
            institution, lake=lake, progress=progress, force=config.force_rescrape
        )
        return {"page_content": enhancement_metadata(lake, outcome)}
    answer = enhance_some(
        institution,
        lake=lake,
        content_ids=frozenset(config.content_ids),
        batch_size=config.batch_size or None,
        force=config.force_rescrape,
    )
    return {"page_content": batch_metadata(lake, institution.institution_id, answer)}


@asset(
    partitions_def=institutions_partitions,
    deps=["page_snapshots", "page_topics"],
    group_name=GROUP,
    code_version=__version__,
    description=describe("page_archives"),
    metadata=definition_metadata("page_archives"),
    kinds={"parquet", "duckdb", "warc"},
    tags={STAGE: "enhancement"},
    backfill_policy=TOGETHER,
    retry_policy=RETRY,
)
def page_archives(
    context: AssetExecutionContext, corpus: Corpus, display: ResourceParam[Display]
) -> MaterializeResult:  # type: ignore[type-arg]  # as above
    """WARC files of every page version, and where each one is in them."""
    keys = context.partition_keys
    for key in keys:
        outcome = archive_pages(
            corpus.institution(key),
            lake=corpus.lake,
            settings=corpus.settings,
            progress=display.of(context),
        )
        context.add_asset_metadata(
            table_metadata(corpus.lake, outcome.table) | archive_metadata(corpus.settings, outcome),
            partition_key=key,
        )
    return MaterializeResult(data_version=version_of_all(corpus.lake, "page_archives", keys))


@asset(
    partitions_def=institutions_partitions,
    deps=["page_topics"],
    group_name=GROUP,
    code_version=EXTRACTOR_VERSION,
    kinds={"tantivy"},
    tags={STAGE: "enhancement"},
    backfill_policy=TOGETHER,
    retry_policy=RETRY,
)
def search_index(
    context: AssetExecutionContext, corpus: Corpus, display: ResourceParam[Display]
) -> MaterializeResult:  # type: ignore[type-arg]  # as above
    """The full-text index over content, metadata and topics. Grain: one document a page.

    Ask it with `webmine search "words"`, or in the studio.
    """
    for key in context.partition_keys:
        documents = index_pages(
            corpus.institution(key),
            lake=corpus.lake,
            settings=corpus.settings,
            progress=display.of(context),
        )
        context.add_asset_metadata({"documents": documents}, partition_key=key)
    index_missing(lake=corpus.lake, settings=corpus.settings, progress=display.of(context))
    return MaterializeResult()


ASSETS = [seeds, crawl_pages, enhance, page_archives, search_index]
