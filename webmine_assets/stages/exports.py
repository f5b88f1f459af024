"""What leaves the corpus: one institution as Markdown, or as a package that browsers replay."""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from webmine_assets.archive.listing import archive_files
from webmine_assets.archive.wacz import pack_wacz, write_wacz_folder
from webmine_assets.errors import ArchiveError
from webmine_assets.records import PageContent
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


def export_wacz(institution: str, out: Path, *, settings: Settings, title: str) -> int:
    """Pack the archives of an institution into one WACZ file; how many files it holds."""
    files = archive_files(settings.archives / institution)
    if not files:
        raise ArchiveError(
            str(settings.archives / institution),
            f"no archive files yet; `webmine run {institution}` writes them",
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    # Beside the archives: there a file can be linked instead of copied.
    with tempfile.TemporaryDirectory(dir=settings.archives, prefix=".wacz-") as folder:
        pages = write_wacz_folder(files, Path(folder), title=title, now=datetime.now(UTC))
        pack_wacz(pages, out)
    return len(files)
