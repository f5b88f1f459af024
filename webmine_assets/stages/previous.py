"""The last partition of page_snapshots as the crawler's cache."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from webmine_assets.crawl.cache import NoPrevious, Previous, PreviousSnapshots
from webmine_assets.records import PageSnapshot
from webmine_assets.storage.finder import RowFinder, finding, finding_in
from webmine_assets.storage.lake import Lake

_LIGHT = [
    "url",
    "requested_url",
    "etag",
    "last_modified",
    "fetched_at",
    "checksum",
    "first_seen_at",
    "changed_at",
    "depth",
    "meta",
]


class LakeSnapshots:
    """Light columns in memory; whole rows, with their bodies, are read when they are needed."""

    def __init__(self, rows: RowFinder[PageSnapshot], lights: Iterable[dict[str, Any]]) -> None:
        self._rows = rows
        self._lights: dict[str, Previous] = {}
        self._by_alias: dict[str, str] = {}
        for light in lights:
            self._remember(light)

    def _remember(self, row: dict[str, Any]) -> None:
        meta = row.pop("meta")
        aliases = dict(zip(meta["alias_urls"], meta["alias_reasons"], strict=True))
        light = Previous(**row, aliases=aliases, rendered=bool(meta["rendered"]))
        self._lights[light.url] = light
        for url in (light.requested_url, *aliases):
            self._by_alias.setdefault(url, light.url)

    def find(self, url: str) -> Previous | None:
        return self._lights.get(url) or self._lights.get(self._by_alias.get(url, ""))

    def read(self, url: str) -> PageSnapshot:
        row = self._rows.find(url)
        if row is None:
            raise KeyError(url)
        return row

    def urls(self) -> Iterable[str]:
        return self._lights.keys()


@contextmanager
def stored_snapshots(path: Path, institution: str) -> Iterator[PreviousSnapshots]:
    """The same cache in a single file, as `webmine crawl` leaves it; none if there is no file."""
    if not path.exists():
        yield NoPrevious()
        return
    with finding_in(path, PageSnapshot, key="url") as rows:
        lights = rows.light([*_LIGHT, "institution"])
        yield LakeSnapshots(rows, (row for row in lights if row.pop("institution") == institution))


@contextmanager
def previous_snapshots(lake: Lake, institution: str) -> Iterator[PreviousSnapshots]:
    """The cache of an institution; it stays the same while a new partition is published."""
    if not lake.has("page_snapshots", institution):
        yield NoPrevious()
        return
    with finding(lake, "page_snapshots", institution, key="url") as rows:
        yield LakeSnapshots(rows, rows.light(_LIGHT))
