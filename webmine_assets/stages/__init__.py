"""What each asset does, as one function: the Dagster assets and the CLI both call these."""

from webmine_assets.stages.archive import archive_pages
from webmine_assets.stages.crawl import CrawlOutcome, crawl_pages
from webmine_assets.stages.enhance import Enhancement, enhance_pages
from webmine_assets.stages.search import index_pages
from webmine_assets.stages.seeds import collect_seeds

__all__ = [
    "CrawlOutcome",
    "Enhancement",
    "archive_pages",
    "collect_seeds",
    "crawl_pages",
    "enhance_pages",
    "index_pages",
]
