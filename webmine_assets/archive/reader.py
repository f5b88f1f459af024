"""Stories out of archive files: ours, Media Cloud's, and WARC files of any other origin."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from webmine_assets.archive.container import (
    MAX_BLOCK_BYTES,
    WarcRecord,
    read_records,
    sha1_digest,
)
from webmine_assets.archive.message import HttpMessage, parse_message
from webmine_assets.archive.story import (
    EXTRAS_TYPE,
    METADATA_TYPE,
    ContentMetadata,
    HttpMetadata,
    Story,
    known_fields,
)
from webmine_assets.errors import ArchiveError
from webmine_assets.reading.stored import StoredPage
from webmine_assets.records import PageArchive, RssEntry

PAGE_KINDS = frozenset(("response", "resource"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedStory:
    """One page record with the metadata that refers to it.

    `has_metadata` tells whether Media Cloud's metadata record was there.
    """

    page: StoredPage
    http_metadata: HttpMetadata
    content_metadata: ContentMetadata
    record_id: str
    kind: str
    offset: int
    length: int
    has_metadata: bool

    def as_story(self) -> Story:
        """The story again, as the writer takes it."""
        return Story(
            rss_entry=self.page.rss_entry,
            http_metadata=self.http_metadata,
            content_metadata=self.content_metadata,
            body=self.page.body,
            content_type=self.page.content_type,
            headers=self.page.headers,
            extras=self.page.extras,
        )


def read_archive(
    source: Path | str | BinaryIO, *, name: str | None = None, max_body_bytes: int = MAX_BLOCK_BYTES
) -> Iterator[ArchivedStory]:
    """The stories of a WARC file or stream in order; damage raises after all before it came."""
    title = name or (str(source) if isinstance(source, Path | str) else "stream")
    with opened(source, title) as stream:
        records = read_records(stream, title, max_block_bytes=max_body_bytes)
        for page, about in grouped(records):
            yield _build_story(page, about, title, max_body_bytes)


def read_record(folder: Path, row: PageArchive) -> bytes:
    """The body of one archived page, from its place in its file; its digest is checked."""
    path = folder / row.file
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ArchiveError(row.file, "the path leads out of the archive folder")
    try:
        with path.open("rb") as file:
            file.seek(row.offset)
            stored = file.read(row.length)
    except OSError as problem:
        raise ArchiveError(str(path), problem.strerror or "not readable") from None
    for record in read_records(BytesIO(stored), str(path)):
        body = record.body or b""
        if record.record_id == row.record_id and sha1_digest(body) == row.payload_digest:
            return body
        break
    raise ArchiveError(str(path), "another record is at this place", offset=row.offset)


def opened(source: Path | str | BinaryIO, title: str) -> AbstractContextManager[BinaryIO]:
    """A path as a stream, or the stream itself, which stays open."""
    if not isinstance(source, Path | str):
        return nullcontext(source)
    try:
        return Path(source).open("rb")
    except OSError as problem:
        raise ArchiveError(title, problem.strerror or "not readable") from None


def grouped(records: Iterator[WarcRecord]) -> Iterator[tuple[WarcRecord, dict[str, WarcRecord]]]:
    """Each page record with the metadata records before the next page that refer to it, by type.

    The first of each type that is known here: memory does not grow with what a file has of them.
    """
    page: WarcRecord | None = None
    about: dict[str, WarcRecord] = {}
    damage: ArchiveError | None = None
    while True:
        try:
            record = next(records, None)
        except ArchiveError as problem:
            record, damage = None, problem
        if page and (record is None or record.kind in PAGE_KINDS):
            yield page, about
        if record is None:
            break
        if record.kind in PAGE_KINDS:
            page, about = record, {}
        elif page and record.kind == "metadata" and refers_to(record, page):
            kind = record.headers.get("content-type", "")
            if kind in (METADATA_TYPE, EXTRAS_TYPE):
                about.setdefault(kind, record)
    if damage:
        raise damage


def refers_to(record: WarcRecord, page: WarcRecord) -> bool:
    """Whether a metadata record is about this page record."""
    links = [record.headers.get(key) for key in ("warc-refers-to", "warc-concurrent-to")]
    return bool(page.record_id) and page.record_id in links


def _build_story(
    page: WarcRecord, about: dict[str, WarcRecord], name: str, max_body_bytes: int
) -> ArchivedStory:
    told = {kind: parse_json(record) for kind, record in about.items()}
    metadata = told.get(METADATA_TYPE, {})
    http = known_fields(HttpMetadata, metadata.get("http_metadata"))
    rss = known_fields(RssEntry, metadata.get("rss_entry"))
    message = _message(page, max_body_bytes)
    content_type = message.headers.get("content-type", "")
    return ArchivedStory(
        page=StoredPage(
            url=page.target_uri or http.final_url or rss.link or "",
            body=message.body,
            status=message.status or http.response_code or (200 if metadata else 0),
            headers=message.headers,
            content_type=content_type.split(";")[0].strip().lower(),
            encoding=http.encoding or _charset(content_type),
            fetched_at=http.fetched_at or page.date,
            source="warc",
            via=name,
            rss_entry=rss,
            extras=told.get(EXTRAS_TYPE, {}),
            problem=message.problem,
        ),
        http_metadata=http,
        content_metadata=known_fields(ContentMetadata, metadata.get("content_metadata")),
        record_id=page.record_id,
        kind=page.kind,
        offset=page.offset,
        length=page.length,
        has_metadata=METADATA_TYPE in about,
    )


def _message(page: WarcRecord, max_body_bytes: int) -> HttpMessage:
    if page.body is None:
        problem = f"larger than {max_body_bytes} bytes"
        return HttpMessage(status=None, headers={}, body=b"", problem=problem)
    if page.kind == "resource":
        kind = page.headers.get("content-type", "")
        return HttpMessage(
            status=200, headers={"content-type": kind}, body=page.http_head + page.body
        )
    return parse_message(page.http_head, page.body, max_body_bytes)


def parse_json(record: WarcRecord) -> dict[str, Any]:
    """The object in a metadata record; empty if it holds none."""
    try:
        value = json.loads(record.body or b"")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _charset(content_type: str) -> str | None:
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() in ("charset", "encoding") and value.strip():
            return value.strip().strip("\"'").lower()
    return None
