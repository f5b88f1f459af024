"""Pictures of rendered pages: PNG thumbnails beside the lake, one file a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webmine_assets.crawl.result import CrawlResult
from webmine_assets.storage.lake import Lake


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A stored page that has a picture."""

    url: str
    path: Path


def keep_screenshots(result: CrawlResult, folder: Path) -> None:
    """Store the pictures of a crawl; those of pages that are gone go too.

    A page that came from the cache keeps its picture.
    """
    for page_id, picture in result.screenshots():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{page_id}.png").write_bytes(picture)
    if folder.is_dir():
        stored = set(result.page_ids())
        for path in folder.glob("*.png"):
            if path.stem not in stored:
                path.unlink(missing_ok=True)


def find_screenshots(lake: Lake, institution: str, folder: Path) -> Iterator[Screenshot]:
    """The stored pages that have a picture, in the order of the crawl."""
    if not folder.is_dir():
        return
    columns = ["page_id", "url"]
    for batch in lake.batches("page_snapshots", institution, columns=columns, size=1_000):
        for row in batch.to_pylist():
            path = folder / f"{row['page_id']}.png"
            if path.is_file():
                yield Screenshot(row["url"], path)
