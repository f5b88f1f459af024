"""Archive files that no row names: left by a run that ended between its files and its table.

A file of ours says of each page all that its row needs, so the pages are not archived again.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from webmine_assets.archive.container import WarcRecord, read_records
from webmine_assets.archive.index import index_path
from webmine_assets.archive.listing import rebuild_index
from webmine_assets.archive.reader import grouped, opened, parse_json
from webmine_assets.archive.story import EXTRAS_TYPE, METADATA_TYPE, HttpMetadata, known_fields
from webmine_assets.errors import ArchiveError
from webmine_assets.records import PageArchive


def adopt_files(
    folder: Path, known: Iterable[PageArchive], *, institution: str
) -> Iterator[PageArchive]:
    """The rows of this institution's pages in files of a folder that no known row names.

    A file that was left before its index was written has it made.
    """
    named = {row.file for row in known}
    for path in sorted(folder.glob("*.warc.gz")):
        if path.name not in named and not path.name.startswith("."):
            if not index_path(path).exists():
                with suppress(ArchiveError):  # damaged: `webmine archive check` tells it
                    rebuild_index(path)
            yield from _rows(path, institution)


def _rows(path: Path, institution: str) -> Iterator[PageArchive]:
    # When its last byte was written: nothing in the file tells when the row would have been.
    archived_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    try:
        with opened(path, str(path)) as stream:
            for page, about in grouped(read_records(stream, str(path))):
                if row := _row(page, about, path.name, institution, archived_at):
                    yield row
    except ArchiveError:
        return  # `webmine archive check` tells the damage; what is before it can be used


def _row(
    page: WarcRecord,
    about: dict[str, WarcRecord],
    file: str,
    institution: str,
    archived_at: datetime,
) -> PageArchive | None:
    extras, metadata = about.get(EXTRAS_TYPE), about.get(METADATA_TYPE)
    if extras is None or metadata is None or page.date is None:
        return None
    told = parse_json(extras)
    url = known_fields(HttpMetadata, parse_json(metadata).get("http_metadata")).final_url
    is_whole = all(isinstance(told.get(name), str) for name in ("page_id", "checksum"))
    if told.get("institution") != institution or url is None or not is_whole:
        return None
    return PageArchive(
        institution=institution,
        page_id=told["page_id"],
        url=url,
        target_uri=page.target_uri,
        record_type="response",
        file=file,
        offset=page.offset,
        length=page.length,
        metadata_offset=metadata.offset,
        metadata_length=metadata.length,
        record_id=page.record_id,
        payload_digest=page.headers.get("warc-payload-digest", ""),
        checksum=told["checksum"],
        fetched_at=page.date,
        archived_at=archived_at,
    )
