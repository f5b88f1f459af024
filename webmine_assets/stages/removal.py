"""Taking an institution away: what there is of it, and the end of all that."""

import shutil
from collections.abc import Iterable

from webmine_assets.archive.listing import archive_files
from webmine_assets.ingest.tracker import Tracker
from webmine_assets.records import TABLES
from webmine_assets.settings import Settings
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.search import SearchIndex


def kept_of(institution: str, *, lake: Lake, settings: Settings) -> list[str]:
    """What is kept of an institution besides its file, in lines for a person; none if nothing."""
    rows = {table: lake.count(table, institution) for table in TABLES}
    archives, shots = settings.archives / institution, settings.screenshots / institution
    lines = [f"{count} rows of {table}" for table, count in rows.items() if count]
    if files := archive_files(archives):
        lines.append(f"{len(files)} archive files in {archives}")
    if shots.is_dir():
        lines.append(f"the screenshots in {shots}")
    return lines


def remove_kept(
    institution: str, *, lake: Lake, settings: Settings, feeds: Iterable[str] = ()
) -> None:
    """Take away what crawls and imports of an institution left; another one's stays.

    Its imports and `feeds` are forgotten with it: they would be news to an institution of this id.
    """
    with writing_pages(settings, institution):
        for table in TABLES:
            lake.remove(table, institution)
        shutil.rmtree(settings.archives / institution, ignore_errors=True)
        shutil.rmtree(settings.screenshots / institution, ignore_errors=True)
        index = SearchIndex(settings.search_index)
        if index.counts().get(institution):
            index.update(institution, ())
        if settings.tracker.exists():
            with Tracker(settings.tracker) as tracker:
                tracker.forget(institution, feeds)
        for leftover in settings.journals.glob(f"{institution}.*"):
            leftover.unlink(missing_ok=True)
