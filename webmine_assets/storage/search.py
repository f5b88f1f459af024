"""The embedded full-text index: one folder, updated one institution at a time."""

import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import tantivy

from webmine_assets.errors import QueryError, StorageError
from webmine_assets.records import PageContent, PageMetadata, PageTopic
from webmine_assets.storage.search_query import (
    analysis_of,
    build_filters,
    build_schema,
    midnight,
    parse_words,
    register_analyzers,
)

# A new number means a new folder: indexes of another schema are left alone and made again.
_VERSION = 1
_MAX_QUERY_CHARACTERS = 500
# Three times as much made indexing no faster (`benchmarks/search.py`).
_WRITER_BYTES = 64_000_000
_SNIPPET_CHARACTERS = 200
# Beyond this a text is not searched: 500,000 characters are a book.
_MAX_TEXT_CHARACTERS = 500_000
_LOCK_POLL_S = 0.2

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDocument:
    """What is searched of one page."""

    page_id: str
    institution: str
    url: str
    title: str
    text: str
    topics: tuple[str, ...] = ()
    language: str | None = None
    date: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that was found; `highlights` are character ranges of the snippet."""

    page_id: str
    institution: str
    url: str
    title: str
    snippet: str
    highlights: Spans
    score: float
    topics: tuple[str, ...]
    language: str | None
    date: datetime | None


def build_document(
    content: PageContent,
    metadata: PageMetadata | None,
    topics: Iterable[PageTopic],
    *,
    changed_at: datetime,
) -> SearchDocument:
    """The document of one page; its date is the day it was published, else when it changed."""
    published = metadata.published_on if metadata else None
    return SearchDocument(
        page_id=content.page_id,
        institution=content.institution,
        url=content.url,
        title=(metadata.title if metadata else None) or content.title or "",
        text=content.text,
        topics=tuple(topic.topic for topic in topics),
        language=metadata.language if metadata else None,
        date=midnight(published) if published else changed_at,
    )


class SearchIndex:
    """The index of a folder. Many may read it; one writes at a time, others wait `lock_wait_s`."""

    def __init__(
        self,
        folder: Path,
        *,
        lock_wait_s: float = 60,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._path = folder / f"v{_VERSION}"
        self._lock_wait_s = lock_wait_s
        self._sleep = sleep
        self._opened: tantivy.Index | None = None
        self._mirror: tempfile.TemporaryDirectory[str] | None = None

    def update(self, institution: str, documents: Iterable[SearchDocument]) -> int:
        """Replace all documents of an institution in one step; how many there are now."""
        self._path.mkdir(parents=True, exist_ok=True)
        writer = self._writer(self._index())
        count = 0
        try:
            writer.delete_documents_by_term("institution", institution)
            for document in documents:
                writer.add_document(_to_tantivy(document, institution))
                count += 1
            writer.commit()
        except ValueError as problem:
            raise StorageError(f"{self._path}: the search index failed: {problem}") from None
        finally:
            writer.wait_merging_threads()  # gives the lock back; without a commit nothing changes
        return count

    def search(
        self,
        words: str,
        *,
        institution: str | None = None,
        since: date | None = None,
        topic: str | None = None,
        limit: int = 10,
    ) -> list[Hit]:
        """The best pages for these words: all of them if any page has all, else any of them.

        Quotes, + and - work as in search engines; what is not a valid query is taken as words.
        """
        if not words.strip() or limit < 1:
            return []
        if len(words) > _MAX_QUERY_CHARACTERS:
            raise QueryError(f"a query has at most {_MAX_QUERY_CHARACTERS} characters")
        if not self._exists():
            return []
        index = self._fresh()
        searcher = index.searcher()
        narrow = build_filters(index.schema, institution=institution, since=since, topic=topic)
        for all_words in (True, False):
            query = parse_words(
                index, _valid(words), languages=_languages(searcher), all_words=all_words
            )
            found = searcher.search(query.and_must_match(*narrow) if narrow else query, limit)
            if found.hits:
                snippets = _Snippets(searcher, query, index.schema)
                return [_hit(searcher.doc(at), score, snippets) for score, at in found.hits]
        return []

    def counts(self) -> dict[str, int]:
        """How many pages of each institution can be found."""
        if not self._exists():
            return {}
        searcher = self._fresh().searcher()
        return dict(searcher.terms_with_prefix("institution", "", tantivy.Query.all_query()))

    def _exists(self) -> bool:
        return self._path.is_dir() and tantivy.Index.exists(str(self._path))

    def _fresh(self) -> tantivy.Index:
        """The index as of its last commit, whoever made it."""
        if not self._can_be_locked():
            return self._mirrored()
        index = self._index()
        index.reload()
        return index

    def _can_be_locked(self) -> bool:
        # tantivy locks its files while it opens them for reading, in a file that it has to write.
        return all(os.access(each, os.W_OK) for each in (self._path, *self._path.glob("*.lock")))

    def _mirrored(self) -> tantivy.Index:
        """The index of a folder that cannot be written: links to its files, beside other locks."""
        try:
            mirror = tempfile.TemporaryDirectory(prefix="webmine-search-")
            for file in self._path.iterdir():
                if file.suffix != ".lock":
                    (Path(mirror.name) / file.name).symlink_to(file.absolute())
        except OSError as problem:
            raise self._unreadable(problem) from None
        index = self._open(mirror.name)
        self._mirror = mirror  # it goes with the last index that was opened in it
        return index

    def _index(self) -> tantivy.Index:
        if self._opened is None:
            self._opened = self._open(str(self._path))
        return self._opened

    def _open(self, path: str) -> tantivy.Index:
        try:
            index = tantivy.Index(build_schema(), path=path)
        except (ValueError, OSError) as problem:
            raise self._unreadable(problem) from None
        register_analyzers(index)
        return index

    def _unreadable(self, problem: Exception) -> StorageError:
        return StorageError(
            f"{self._path} is not a search index that can be read ({problem}); "
            "if it is damaged, remove the folder: the next `webmine run` makes it anew"
        )

    def _writer(self, index: tantivy.Index) -> tantivy.IndexWriter:
        """The writer; the lock belongs to a process and goes with it, so waiting is enough."""
        waited_s = 0.0
        while True:
            try:
                # A second thread takes a tenth more CPU for no time that could be told from noise.
                return index.writer(_WRITER_BYTES, 1)
            except ValueError as problem:
                if "LockBusy" not in str(problem) or waited_s >= self._lock_wait_s:
                    raise StorageError(f"{self._path}: cannot be written: {problem}") from None
            self._sleep(_LOCK_POLL_S)
            waited_s += _LOCK_POLL_S


class _Snippets:
    """Makes snippets for one query; each language's fields need a maker of their own."""

    def __init__(
        self, searcher: tantivy.Searcher, query: tantivy.Query, schema: tantivy.Schema
    ) -> None:
        self._searcher = searcher
        self._query = query
        self._schema = schema
        self._makers: dict[str, tantivy.SnippetGenerator] = {}

    def make(self, document: tantivy.Document, field: str) -> tuple[str, Spans]:
        """The best piece of a field's text, and where in it the words are; else its beginning."""
        if field not in self._makers:
            maker = tantivy.SnippetGenerator.create(
                self._searcher, self._query, self._schema, field
            )
            maker.set_max_num_chars(_SNIPPET_CHARACTERS)
            self._makers[field] = maker
        snippet = self._makers[field].snippet_from_doc(document)
        fragment = snippet.fragment()
        if not fragment:
            return str(document.get_first(field) or "")[:_SNIPPET_CHARACTERS], ()
        data = fragment.encode()
        ends = [(span.start, span.end) for span in snippet.highlighted()]
        return fragment, tuple((_characters(data, a), _characters(data, b)) for a, b in ends)


def _characters(data: bytes, offset: int) -> int:
    """A byte offset of UTF-8 text as a number of characters."""
    return len(data[:offset].decode("utf-8", "ignore"))


def _languages(searcher: tantivy.Searcher) -> list[str]:
    return [language for language, _ in searcher.terms_with_prefix("analysis", "")]


def _hit(document: tantivy.Document, score: float, snippets: _Snippets) -> Hit:
    field = f"text_{document.get_first('analysis')}"
    snippet, highlights = snippets.make(document, field)
    return Hit(
        page_id=str(document.get_first("page_id")),
        institution=str(document.get_first("institution")),
        url=str(document.get_first("url")),
        title=str(document.get_first(field.replace("text_", "title_")) or ""),
        snippet=snippet,
        highlights=highlights,
        score=round(float(score), 4),
        topics=tuple(document.get_all("topics")),
        language=document.get_first("language"),
        date=document.get_first("date"),
    )


def _to_tantivy(document: SearchDocument, institution: str) -> tantivy.Document:
    analysis = analysis_of(document.language)
    entry = tantivy.Document()
    entry.add_text("page_id", document.page_id)
    entry.add_text("institution", institution)
    entry.add_text("url", document.url)
    entry.add_text("analysis", analysis)
    entry.add_text(f"title_{analysis}", _valid(document.title))
    entry.add_text(f"text_{analysis}", _valid(document.text))
    for topic in map(_valid, document.topics):
        entry.add_text("topics", topic)
        entry.add_text("topic", topic.casefold())
    if document.language:
        entry.add_text("language", document.language)
    if document.date:
        entry.add_date("date", midnight(document.date).astimezone(UTC))
    return entry


def _valid(text: str) -> str:
    """Text of bounded length without the half characters that broken pages leave in a string."""
    return text[:_MAX_TEXT_CHARACTERS].encode("utf-8", "replace").decode()
