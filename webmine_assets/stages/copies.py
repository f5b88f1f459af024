"""Archived copies of one page: found in the table or in the indexes beside the files."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from webmine_assets.archive.listing import find_copies, read_copy
from webmine_assets.archive.reader import ArchivedStory, read_archive, read_record
from webmine_assets.errors import ArchiveError
from webmine_assets.records import PageArchive
from webmine_assets.settings import Settings
from webmine_assets.storage import warehouse
from webmine_assets.storage.finder import finding
from webmine_assets.storage.lake import Lake
from webmine_assets.urls import forms_of, resolve

_NEWEST = """
select institution, url from page_archives
where url in (select unnest($1)) or target_uri in (select unnest($1))
order by fetched_at desc limit 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One copy; `read` gives its body and checks its digest."""

    url: str
    fetched_at: datetime
    path: Path
    offset: int
    read: Callable[[], bytes]

    def story(self) -> ArchivedStory:
        """The copy with the metadata records that follow it."""
        with self.path.open("rb") as file:
            file.seek(self.offset)
            for story in read_archive(file, name=str(self.path)):
                return story
        raise ArchiveError(str(self.path), "no page is at this place", offset=self.offset)


def newest_copy(lake: Lake, settings: Settings, url: str) -> Copy | None:
    """The newest copy of a page, from whichever of both places knows it."""
    absolute = resolve(url, url, keep_fragment=True) or url
    copies = [*_from_table(lake, settings, absolute), *_from_indexes(settings, absolute)]
    return max(copies, key=lambda copy: copy.fetched_at, default=None)


def _from_table(lake: Lake, settings: Settings, url: str) -> list[Copy]:
    # The archives may outlive the lake; to ask for a page is no reason to make one.
    if not lake.is_there:
        return []
    found = warehouse.query(lake, _NEWEST, [forms_of(url)]).to_pylist()
    if not found:
        return []
    institution = found[0]["institution"]
    with finding(lake, "page_archives", institution, key="url") as finder:
        rows: list[PageArchive] = finder.find_all(found[0]["url"])
    folder = settings.archives / institution
    return [
        Copy(
            url=row.url,
            fetched_at=row.fetched_at,
            path=folder / row.file,
            offset=row.offset,
            read=partial(read_record, folder, row),
        )
        for row in rows
        if (folder / row.file).is_file()
    ]


def _from_indexes(settings: Settings, url: str) -> list[Copy]:
    return [
        Copy(
            url=line.url,
            fetched_at=line.fetched_at,
            path=path,
            offset=line.offset,
            read=partial(read_copy, path, line),
        )
        for path, line in find_copies(settings.archives, url)
    ]
