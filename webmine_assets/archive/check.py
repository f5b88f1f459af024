"""Whether an archive file is sound: digests, pairs, limits and its index."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from webmine_assets.archive.container import WarcRecord, digest_matches, read_records
from webmine_assets.archive.index import index_path, read_index
from webmine_assets.archive.message import head_size
from webmine_assets.archive.reader import PAGE_KINDS, refers_to
from webmine_assets.archive.story import METADATA_TYPE, ContentMetadata, HttpMetadata
from webmine_assets.archive.story_records import SOFTWARE
from webmine_assets.archive.warc import MAX_STORIES
from webmine_assets.errors import ArchiveError
from webmine_assets.records import RssEntry

_PARTS: dict[str, type] = {
    "rss_entry": RssEntry,
    "http_metadata": HttpMetadata,
    "content_metadata": ContentMetadata,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong; `kind` is damage, order, digest, pair, metadata, limit or index."""

    offset: int | None
    kind: str
    detail: str

    def __str__(self) -> str:
        where = f"byte {self.offset}: " if self.offset is not None else ""
        return f"{where}{self.kind}: {self.detail}"


def check_archive(path: Path, *, max_stories: int = MAX_STORIES) -> list[Problem]:
    """All that is wrong with a file; pairs, limit and index are asked only of story archives."""
    check = _Check(path)
    problems = list(check.records())
    return [*problems, *check.whole_file(max_stories)]


class _Check:
    """One pass over a file, remembering no more than where its pages are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ours = False
        self._has_stories = False
        self._pages: list[tuple[int, int, str, str]] = []
        self._unpaired: list[int] = []
        self._read_to = math.inf

    def records(self) -> Iterator[Problem]:
        """What is wrong with the records, one by one, up to the damage."""
        page: WarcRecord | None = None
        paired, number = True, -1
        try:
            with self._path.open("rb") as stream:
                for number, record in enumerate(read_records(stream, self._path.name)):
                    if number == 0:
                        yield from self._first(record)
                    yield from _digest_problems(record)
                    if record.kind in PAGE_KINDS:
                        self._close(page, paired)
                        page, paired = record, False
                    elif is_story_metadata(record):
                        self._has_stories = True
                        yield from _metadata_problems(record, page)
                        paired = paired or (page is not None and refers_to(record, page))
        except ArchiveError as problem:
            self._read_to = problem.offset or 0
            yield Problem(problem.offset, "damage", problem.problem)
        except OSError as problem:
            self._read_to = 0
            yield Problem(None, "damage", problem.strerror or "not readable")
        else:
            if number < 0:
                yield Problem(0, "damage", "an empty file, as a download that failed leaves it")
        # The metadata of the last page before damage may be what is damaged.
        self._close(page, paired or self._read_to < math.inf)

    def whole_file(self, max_stories: int) -> Iterator[Problem]:
        """What is wrong with the file as a whole; ask after its records."""
        if not (self._has_stories or self._ours):
            return
        for offset in self._unpaired:
            yield Problem(offset, "pair", "a page without the metadata record that refers to it")
        if len(self._pages) > max_stories:
            yield Problem(None, "limit", f"{len(self._pages)} stories, at most {max_stories}")
        if self._ours or index_path(self._path).exists():
            yield from _index_problems(self._path, self._pages, self._read_to)

    def _first(self, record: WarcRecord) -> Iterator[Problem]:
        self._ours = f"software: {SOFTWARE}".encode() in (record.body or b"")
        if record.kind != "warcinfo":
            yield Problem(record.offset, "order", f"starts with {record.kind!r}, not warcinfo")

    def _close(self, page: WarcRecord | None, paired: bool) -> None:
        if page is None:
            return
        digest = page.headers.get("warc-payload-digest", "")
        self._pages.append((page.offset, page.length, page.target_uri, digest))
        if not paired:
            self._unpaired.append(page.offset)


def is_story_metadata(record: WarcRecord) -> bool:
    return record.kind == "metadata" and record.headers.get("content-type") == METADATA_TYPE


def _digest_problems(record: WarcRecord) -> Iterator[Problem]:
    block, body = record.block, record.body
    if block is None or body is None:
        return
    if record.kind == "request":
        body = block[head_size(block, 0, len(block)) :]
    parts = {"warc-block-digest": block}
    if record.kind != "revisit":  # its payload digest is that of the page it stands for
        parts["warc-payload-digest"] = body
    for name, data in parts.items():
        wanted = record.headers.get(name)
        if wanted and not digest_matches(wanted, data):
            yield Problem(record.offset, "digest", f"{name} {wanted} is not that of the bytes")


def _metadata_problems(record: WarcRecord, page: WarcRecord | None) -> Iterator[Problem]:
    if page is None or not refers_to(record, page):
        yield Problem(record.offset, "pair", "metadata that does not refer to the page before it")
    try:
        value = json.loads(record.body or b"")
    except (ValueError, RecursionError) as problem:
        yield Problem(record.offset, "metadata", f"not JSON ({problem})")
        return
    for name, kind in _PARTS.items():
        part = value.get(name) if isinstance(value, dict) else None
        if not isinstance(part, dict):
            yield Problem(record.offset, "metadata", f"no object {name!r}")
        elif name == "http_metadata" and "encoding" not in part:
            yield Problem(record.offset, "metadata", "http_metadata has no 'encoding'")
        elif unknown := sorted(part.keys() - _accepted(kind)):
            yield Problem(record.offset, "metadata", f"{name} has unknown keys {unknown}")


def _accepted(kind: type) -> set[str]:
    """The keys Media Cloud's classes take: ours, and those its own files have besides."""
    names = {f.name for f in fields(kind)}
    if kind is RssEntry:
        return names | {"file_name"}
    if kind is ContentMetadata:
        more = "original_url normalized_url full_language text_extraction_method is_homepage"
        return names | {*more.split(), "normalized_article_title", "is_shortened"}
    return names


def _index_problems(
    path: Path, pages: list[tuple[int, int, str, str]], read_to: float
) -> Iterator[Problem]:
    """What of the index does not fit; what lies behind damage is told with the damage."""
    index = index_path(path)
    if not index.exists():
        missing = f"{index.name} is not beside it; `webmine archive index {path}` makes it"
        yield Problem(None, "index", missing)
        return
    try:
        lines = read_index(index)
    except (OSError, ArchiveError) as problem:
        yield Problem(None, "index", f"{index.name} is not readable ({problem})")
        return
    if [str(line) for line in lines] != sorted(map(str, lines), key=str.encode):
        yield Problem(None, "index", f"{index.name} is not sorted")
    indexed = {
        (line.offset, line.length, line.url, line.digest) for line in lines if line.offset < read_to
    }
    for offset, *_, url, _ in sorted(set(pages) - indexed):
        yield Problem(offset, "index", f"{url} is not in {index.name} as it is stored")
    for offset, *_, url, _ in sorted(indexed - set(pages)):
        yield Problem(offset, "index", f"{index.name} names {url}, which is not there")
