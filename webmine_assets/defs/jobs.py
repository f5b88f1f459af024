"""The jobs a person launches by name."""

from dagster import AssetCheckKey, AssetKey, AssetSelection, define_asset_job

CRAWL_ASSETS = AssetSelection.assets("seeds", "page_snapshots", "url_ledger", "crawl_reports")
ENHANCEMENT_ASSETS = AssetSelection.assets(
    "page_content", "page_metadata", "page_topics", "page_archives", "search_index"
)

ENHANCES = "webmine/enhances"
"""Tag of runs that enhance what they crawl, so that the sensor has nothing to add."""

crawl = define_asset_job(
    "crawl", CRAWL_ASSETS, description="Crawl institutions; enhancement follows by its sensor."
)
refresh_feeds = define_asset_job(
    "refresh_feeds",
    CRAWL_ASSETS,
    description="Read the feeds and fetch what is new; pages within their ttl_days stay.",
)
enhance_metadata = define_asset_job(
    "enhance_metadata",
    ENHANCEMENT_ASSETS,
    description="Content, metadata, topics, archives and search from stored pages; no network. "
    "The launchpad's op `enhance` takes content_ids, batch_size and force_rescrape.",
)
whole_chain = define_asset_job(
    "whole_chain",
    AssetSelection.all(),
    tags={ENHANCES: "true"},
    description="From seeds to archives in one run.",
)

FRESH = "fresh"
check_freshness = define_asset_job(
    "check_freshness",
    AssetSelection.checks(AssetCheckKey(AssetKey("page_snapshots"), FRESH)),
    description="Look at the age of an institution's pages; launched when it became too high.",
)

ASSET_JOBS = [crawl, refresh_feeds, enhance_metadata, whole_chain, check_freshness]
