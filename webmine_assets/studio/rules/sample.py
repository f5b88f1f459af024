"""Stored pages to try a rule on: one page, or a spread of an institution's pages."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from webmine_assets.storage.lake import Lake

SAMPLE_PAGES = 20
# Row groups hold up to 32 MB of bodies and are read whole, so few of them are opened.
_SAMPLE_GROUPS = 4
_KEPT_INSTITUTIONS = 8
_COLUMNS = ["page_id", "url", "title", "content_type", "encoding", "body", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPage:
    """What a preview needs of a snapshot."""

    page_id: str
    url: str
    title: str | None
    content_type: str
    encoding: str | None
    body: bytes
    text: str

    @property
    def is_html(self) -> bool:
        return "html" in self.content_type or "xml" in self.content_type


class Samples:
    """Samples of institutions, read again when their partition changed."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._kept: OrderedDict[str, tuple[object, list[SampledPage]]] = OrderedDict()
        self._lock = threading.Lock()

    def sample(self, institution: str) -> list[SampledPage]:
        """The same pages each time, spread over the partition; HTML pages only."""
        with self._lock:
            # Before reading: pages that are newer than their version are only read again.
            version = self._lake.version("page_snapshots", institution)
            if version is None:
                return []
            if self._kept.get(institution, (None, []))[0] != version:
                self._kept[institution] = (version, self._read(institution))
            self._kept.move_to_end(institution)
            while len(self._kept) > _KEPT_INSTITUTIONS:
                self._kept.popitem(last=False)
            return self._kept[institution][1]

    def _read(self, institution: str) -> list[SampledPage]:
        pages: list[SampledPage] = []
        with self._lake.open("page_snapshots", institution) as file:
            if file is None:
                return []
            groups = spread(file.num_row_groups, _SAMPLE_GROUPS)
            for index, group in enumerate(groups):
                quota = -(-(SAMPLE_PAGES - len(pages)) // (len(groups) - index))
                types = file.read_row_group(group, columns=["content_type"]).column(0).to_pylist()
                html = [n for n, kind in enumerate(types) if "html" in kind or "xml" in kind]
                rows = [html[n] for n in spread(len(html), quota)]
                table = file.read_row_group(group, columns=_COLUMNS).take(rows)
                pages += [SampledPage(**row) for row in table.to_pylist()]
        return pages[:SAMPLE_PAGES]

    def read_page(self, institution: str, page_id: str) -> SampledPage | None:
        """One page with its body; only the row group that has it is read."""
        with self._lake.open("page_snapshots", institution) as file:
            if file is None:
                return None
            for group in range(file.num_row_groups):
                ids = file.read_row_group(group, columns=["page_id"]).column(0).to_pylist()
                if page_id in ids:
                    rows: Any = file.read_row_group(group, columns=_COLUMNS)
                    return SampledPage(**rows.slice(ids.index(page_id), 1).to_pylist()[0])
        return None


def spread(count: int, wanted: int) -> list[int]:
    """At most `wanted` of the numbers below `count`, evenly apart."""
    if count <= wanted:
        return list(range(count))
    return [index * count // wanted for index in range(wanted)]
