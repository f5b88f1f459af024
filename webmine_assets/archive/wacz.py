"""Archives as one package: the folder that a WACZ file is made of, and the file itself.

WACZ 1.1.1 is a ZIP that browsers can replay: archive files, their index, a list of pages.
"""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from webmine_assets.archive.container import format_date
from webmine_assets.archive.listing import index_of
from webmine_assets.archive.reader import read_archive
from webmine_assets.archive.story_records import SOFTWARE
from webmine_assets.errors import ArchiveError

_PAGES_HEADER = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
_CHUNK_BYTES = 1024 * 1024


def write_wacz_folder(
    archives: Iterable[Path], target: Path, *, title: str, now: datetime
) -> list[ArchiveError]:
    """A new folder with the archive files, one index, the list of their pages and a manifest.

    Files that cannot be read to their end are left out: what is wrong with each is the answer.
    """
    if target.exists() and any(target.iterdir()):
        raise ArchiveError(str(target), "the folder is not empty")
    for name in ("archive", "indexes", "pages"):
        (target / name).mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    pages: list[dict[str, Any]] = [_PAGES_HEADER]
    damaged: list[ArchiveError] = []
    for path in sorted(archives):
        try:
            pages += list(_pages(path))
        except ArchiveError as problem:
            damaged.append(problem)
            continue
        files.append(path)
        _link(path, target / "archive" / path.name)
    lines = sorted((str(line) for path in files for line in index_of(path)), key=str.encode)
    (target / "indexes" / "index.cdx").write_text("".join(f"{x}\n" for x in lines), "utf-8")
    _write_json_lines(target / "pages" / "pages.jsonl", pages)
    _write_manifest(target, title=title, now=now)
    return damaged


def pack_wacz(folder: Path, path: Path) -> Path:
    """The WACZ file of such a folder; nothing is compressed again, so that readers can seek."""
    aside = path.with_name(f".{path.name}.part")
    with zipfile.ZipFile(aside, "w", zipfile.ZIP_STORED, allowZip64=True) as package:
        for file in _files(folder):
            package.write(file, file.relative_to(folder).as_posix())
    aside.replace(path)
    return path


def _link(source: Path, target: Path) -> None:
    """The same file under another name, or a copy where the disk is another."""
    if target.exists():
        raise ArchiveError(str(source), "two archive files have this name")
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _pages(path: Path) -> Iterator[dict[str, Any]]:
    for story in read_archive(path):
        fetched_at = story.page.fetched_at or datetime.fromtimestamp(0, UTC)
        yield {
            "id": story.record_id.strip("<>"),
            "url": story.page.url,
            "ts": format_date(fetched_at),
            "title": story.content_metadata.article_title or story.page.url,
        }


def _write_json_lines(path: Path, values: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False) + "\n")


def _write_manifest(folder: Path, *, title: str, now: datetime) -> None:
    manifest = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": title,
        "software": SOFTWARE,
        "created": format_date(now),
        "resources": [_resource(file, folder) for file in _files(folder)],
    }
    text = json.dumps(manifest, indent=2)
    (folder / "datapackage.json").write_text(text, "utf-8")
    digest = {
        "path": "datapackage.json",
        "hash": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}",
    }
    (folder / "datapackage-digest.json").write_text(json.dumps(digest), "utf-8")


def _resource(file: Path, folder: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            digest.update(chunk)
    return {
        "name": file.name,
        "path": file.relative_to(folder).as_posix(),
        "hash": f"sha256:{digest.hexdigest()}",
        "bytes": file.stat().st_size,
    }


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
