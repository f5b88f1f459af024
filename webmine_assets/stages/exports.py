"""What leaves the corpus: Markdown, a package that browsers replay, stories in Elasticsearch."""

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webmine_assets.archive.listing import archive_files
from webmine_assets.archive.story import build_content_metadata
from webmine_assets.archive.wacz import pack_wacz, write_wacz_folder
from webmine_assets.errors import ArchiveError
from webmine_assets.records import PageContent, PageMetadata, PageSnapshot
from webmine_assets.settings import Settings
from webmine_assets.storage.finder import RowFinder, finding
from webmine_assets.storage.lake import Lake


def page_markdown(lake: Lake, institution: str) -> Iterator[str]:
    """The Markdown of every page under its address and depth, in the order of the crawl.

    Pages that are not enhanced yet are left out.
    """
    content: RowFinder[PageContent]
    with finding(lake, "page_content", institution) as content:
        columns = ["page_id", "url", "depth"]
        for batch in lake.batches("page_snapshots", institution, columns=columns, size=1_000):
            for row in batch.to_pylist():
                page = content.find(row["page_id"])
                if page is not None:
                    yield f"\n--- {row['url']} (depth {row['depth']}) ---\n{page.full_content}"


def story_contents(lake: Lake, institutions: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The `content_metadata` of every page's story, in the order of the crawls."""
    content: RowFinder[PageContent]
    metadata: RowFinder[PageMetadata]
    for name in institutions:
        with (
            finding(lake, "page_content", name) as content,
            finding(lake, "page_metadata", name) as metadata,
        ):
            for page in lake.read(PageSnapshot, "page_snapshots", name, size=16):
                found = content.find(page.page_id), metadata.find(page.page_id)
                yield asdict(build_content_metadata(page, *found))


@dataclass(frozen=True, slots=True)
class Packed:
    """How many archive files are in a package, and what is wrong with those that are not."""

    files: int
    damaged: tuple[ArchiveError, ...]


def export_wacz(institution: str, out: Path, *, settings: Settings, title: str) -> Packed:
    """Pack the archives of an institution into one WACZ file, but for those that are damaged."""
    files = archive_files(settings.archives / institution)
    if not files:
        raise ArchiveError(
            str(settings.archives / institution),
            f"no archive files yet; `webmine run {institution}` writes them",
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    # Beside the archives: there a file can be linked instead of copied.
    with tempfile.TemporaryDirectory(dir=settings.archives, prefix=".wacz-") as folder:
        damaged = write_wacz_folder(files, Path(folder), title=title, now=datetime.now(UTC))
        if len(damaged) < len(files):
            pack_wacz(Path(folder), out)
    return Packed(len(files) - len(damaged), tuple(damaged))
