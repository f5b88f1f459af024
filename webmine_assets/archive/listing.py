"""What is in a folder of archive files, told from their indexes; an index can be made again."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from webmine_assets.archive.container import (
    WarcRecord,
    digest_matches,
    read_records,
    sha1_digest,
)
from webmine_assets.archive.index import IndexLine, index_path, read_index, surt, write_index
from webmine_assets.archive.message import parse_message
from webmine_assets.archive.reader import PAGE_KINDS, opened
from webmine_assets.errors import ArchiveError

WARC_SUFFIXES = (".warc.gz", ".warc")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFile:
    """One archive file; times are those of its first and last fetch."""

    path: Path
    size_bytes: int
    stories: int
    first_at: datetime | None
    last_at: datetime | None


def archive_files(folder: Path) -> list[Path]:
    """The finished archive files of a folder and its subfolders, oldest name first."""
    found = (path for path in folder.rglob("*") if path.name.endswith(WARC_SUFFIXES))
    return sorted(path for path in found if not path.name.startswith("."))


def list_archives(folder: Path) -> Iterator[ArchiveFile]:
    """What each file holds; a file without an index is read through, up to any damage."""
    for path in archive_files(folder):
        lines = index_of(path)
        times = sorted(line.fetched_at for line in lines)
        yield ArchiveFile(
            path=path,
            size_bytes=path.stat().st_size,
            stories=len(lines),
            first_at=times[0] if times else None,
            last_at=times[-1] if times else None,
        )


def find_copies(folder: Path, url: str) -> list[tuple[Path, IndexLine]]:
    """Every copy of a page, newest first; URLs are compared as replay tools do."""
    key = surt(url)
    found = [
        (path, line)
        for path in archive_files(folder)
        for line in index_of(path)
        if surt(line.url) == key
    ]
    return sorted(found, key=lambda copy: copy[1].fetched_at, reverse=True)


def read_copy(path: Path, line: IndexLine) -> bytes:
    """The body of one copy that an index names."""
    with opened(path, str(path)) as file:
        file.seek(line.offset)
        for record in read_records(file, str(path)):
            body = record.body or b""
            # Files of other tools: their digests may be hexadecimal, or of another algorithm.
            if record.target_uri == line.url and digest_matches(line.digest, body):
                return body
            break
    raise ArchiveError(str(path), "another record is at this place", offset=line.offset)


def index_of(path: Path) -> list[IndexLine]:
    """The index beside a file, or what it would say."""
    if index_path(path).exists():
        return read_index(index_path(path))
    lines: list[IndexLine] = []
    try:
        lines.extend(scan_index(path))
    except ArchiveError:
        return lines
    return lines


def rebuild_index(path: Path) -> Path:
    """Write the index of a file anew; damage is an error, as the index would be short."""
    return write_index(path, list(scan_index(path)))


def scan_index(path: Path) -> Iterator[IndexLine]:
    """One line for each page record of a file."""
    with opened(path, str(path)) as stream:
        for record in read_records(stream, str(path)):
            if record.kind in PAGE_KINDS and record.date:
                yield _line(record, path, record.date)


def _line(record: WarcRecord, path: Path, fetched_at: datetime) -> IndexLine:
    body = record.body or b""
    message = parse_message(record.http_head, b"", 0)
    kind = message.headers.get("content-type") or record.headers.get("content-type", "")
    return IndexLine(
        url=record.target_uri,
        fetched_at=fetched_at,
        mime=kind.split(";")[0].strip() or "unk",
        status=message.status or 200,
        digest=record.headers.get("warc-payload-digest") or sha1_digest(body),
        offset=record.offset,
        length=record.length,
        filename=path.name,
    )
