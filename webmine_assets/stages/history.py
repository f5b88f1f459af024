"""What earlier crawls left behind, across institutions."""

from datetime import datetime

from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake


def last_crawls(lake: Lake) -> dict[str, datetime]:
    """When each institution's last crawl began."""
    rows = warehouse.query(
        lake, "select institution, max(started_at) as at from crawl_reports group by institution"
    )
    return {row["institution"]: row["at"] for row in rows.to_pylist()}
