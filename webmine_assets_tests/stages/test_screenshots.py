"""Pictures lie beside the lake, follow their pages, and are found again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from webmine_assets.crawl.result import CrawlResult
from webmine_assets.stages.screenshots import Screenshot, find_screenshots, keep_screenshots
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import snapshot

PNG = b"\x89PNG\r\n\x1a\n"
A, B = snapshot("https://u1.edu/a"), snapshot("https://u1.edu/b")


@dataclass
class FinishedCrawl:
    """What `keep_screenshots` asks of a crawl's result."""

    stored: list[str]
    pictures: dict[str, bytes] = field(default_factory=dict)

    def page_ids(self) -> Iterator[str]:
        return iter(self.stored)

    def screenshots(self) -> Iterator[tuple[str, bytes]]:
        return iter(self.pictures.items())


def keep(folder: Path, crawl: FinishedCrawl) -> list[str]:
    keep_screenshots(cast(CrawlResult, crawl), folder)
    return sorted(path.stem for path in folder.glob("*.png"))


def test_crawl_without_pictures_makes_no_folder(tmp_path: Path) -> None:
    assert keep(tmp_path / "u1", FinishedCrawl(["one"])) == []
    assert not (tmp_path / "u1").exists()


def test_pictures_stay_with_cached_pages_and_go_with_lost_ones(tmp_path: Path) -> None:
    folder = tmp_path / "u1"
    first = FinishedCrawl(["one", "two"], {"one": PNG, "two": PNG})
    assert keep(folder, first) == ["one", "two"]
    assert keep(folder, FinishedCrawl(["one", "three"], {"three": PNG})) == ["one", "three"]


def test_pictures_are_found_in_the_order_of_the_crawl(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    lake.write("page_snapshots", A.institution, iter([B, A]))
    folder = tmp_path / "pictures"
    assert list(find_screenshots(lake, A.institution, folder)) == []
    keep(folder, FinishedCrawl([A.page_id, B.page_id], {A.page_id: PNG, B.page_id: PNG}))
    assert list(find_screenshots(lake, A.institution, folder)) == [
        Screenshot(B.url, folder / f"{B.page_id}.png"),
        Screenshot(A.url, folder / f"{A.page_id}.png"),
    ]
