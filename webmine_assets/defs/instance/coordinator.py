"""The run queue: every run that writes an institution's pages says so, whoever launched it."""

from dagster import AssetKey, DagsterRun, QueuedRunCoordinator, SubmitRunContext

CRAWL_TAG = "webmine/crawl"
"""Its value is the institution; the instance lets one such run per value be under way."""

PAGE_WRITERS = frozenset({"crawl", "refresh_feeds", "whole_chain", "import_archive"})
"""Jobs that write pages when they are launched as a whole."""

_PAGES = AssetKey("page_snapshots")
_PARTITION = "dagster/partition"
# The runs of a backfill name a range, be it of one partition.
_RANGE = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")


class CrawlQueue(QueuedRunCoordinator):
    """A queue that tags crawls: runs from the UI and of backfills come without our tag."""

    def submit_run(self, context: SubmitRunContext) -> DagsterRun:
        run = context.dagster_run
        institution = institution_of(run)
        if institution and CRAWL_TAG not in run.tags and writes_pages(run):
            self._instance.add_run_tags(run.run_id, {CRAWL_TAG: institution})
        return super().submit_run(context)


def writes_pages(run: DagsterRun) -> bool:
    """Whether a run will replace the pages of its partition."""
    if run.asset_selection is not None:
        return _PAGES in run.asset_selection
    return run.job_name in PAGE_WRITERS


def institution_of(run: DagsterRun) -> str | None:
    """The one institution of a run; None if it has none or many."""
    first, last = (run.tags.get(tag) for tag in _RANGE)
    return run.tags.get(_PARTITION) or (first if first == last else None)
