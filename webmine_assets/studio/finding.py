"""Finding pages: full-text search and filters together, for the explorer and for the API."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from aiohttp import web
from markupsafe import Markup, escape

from webmine_assets.records import Decision
from webmine_assets.storage.search import Hit, SearchIndex
from webmine_assets.studio import parameters
from webmine_assets.studio.questions import Ask, Row
from webmine_assets.studio.questions.pages import PageFilter, ask_pages, count_pages

# Filters narrow the hits down further, so more are asked for than a screen shows; each hit costs
# a quarter of a millisecond for its snippet.
MAX_HITS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class PageQuery:
    """What a request asks for."""

    words: str | None
    filter: PageFilter
    limit: int
    offset: int

    def as_query(self) -> dict[str, Any]:
        """The values as they stand in an address."""
        values = {k: str(v) for k, v in asdict(self.filter).items() if v and k != "ids"}
        return {"q": self.words, **values}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageList:
    """One screen of pages; rows found by words have a snippet."""

    rows: list[Row]
    total: int


def read_page_query(request: web.Request, *, limit: int, max_limit: int) -> PageQuery:
    """The query of an address; `page` counts screens from 1."""
    size = parameters.integer(request, "limit", default=limit, low=1, high=max_limit)
    page = parameters.integer(request, "page", default=1, low=1, high=100_000)
    return PageQuery(
        words=parameters.text(request, "q", limit=500),
        filter=PageFilter(
            institution=parameters.text(request, "institution", limit=63),
            language=parameters.text(request, "language", limit=20),
            topic=parameters.text(request, "topic", limit=100),
            decision=parameters.choice(request, "decision", [d.value for d in Decision]),
            since=parameters.day(request, "since"),
            until=parameters.day(request, "until"),
        ),
        limit=size,
        offset=(page - 1) * size,
    )


class PageFinder:
    """Answers page queries."""

    def __init__(self, ask: Ask, index: SearchIndex) -> None:
        self._ask = ask
        self._index = index

    def find(self, query: PageQuery) -> PageList:
        if not query.words:
            return self._list(query, query.filter, {})
        hits = self._index.search(
            query.words,
            institution=query.filter.institution,
            topic=query.filter.topic,
            limit=MAX_HITS,
        )
        by_id = {hit.page_id: hit for hit in hits}
        return self._list(query, replace(query.filter, ids=tuple(by_id)), by_id)

    def _list(self, query: PageQuery, wanted: PageFilter, hits: dict[str, Hit]) -> PageList:
        total = count_pages(self._ask, wanted)
        rows = ask_pages(self._ask, wanted, limit=query.limit, offset=query.offset)
        for row in rows:
            hit = hits.get(row["page_id"])
            row["snippet"] = highlighted(hit) if hit else None
            row["score"] = hit.score if hit else None
        return PageList(rows=rows, total=total)


def highlighted(hit: Hit) -> Markup:
    """A snippet with the words that were found marked."""
    parts, at = [], 0
    for start, end in sorted(hit.highlights):
        if start >= at:
            parts += [
                escape(hit.snippet[at:start]),
                f"<mark>{escape(hit.snippet[start:end])}</mark>",
            ]
            at = end
    return Markup("".join(parts)) + escape(hit.snippet[at:])  # noqa: S704  # every piece is escaped
