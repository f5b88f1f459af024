"""Lists of pages: filters as SQL, and the values there are to filter by."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from webmine_assets.studio.questions import Ask, Row

_DATE = "coalesce(m.published_on, cast(s.changed_at as date))"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """What a person narrowed the list down to; `ids` come from full-text search, best first."""

    institution: str | None = None
    language: str | None = None
    topic: str | None = None
    decision: str | None = None
    since: date | None = None
    until: date | None = None
    ids: tuple[str, ...] | None = None


def ask_pages(ask: Ask, wanted: PageFilter, *, limit: int, offset: int) -> list[Row]:
    """One screen of pages: by rank of the search, else the last changed first."""
    where, parameters = _where(wanted)
    order = "list_position(?, s.page_id)" if wanted.ids else "s.changed_at desc, s.url"
    ranks = [list(wanted.ids)] if wanted.ids else []
    rows = ask(
        f"""
        select s.page_id, s.institution, s.url, s.title, s.lang, s.changed_at, s.fetched_at
        from {_tables(wanted)} {where} order by {order} limit ? offset ?
        """,  # noqa: S608  # every piece is a constant of this module; values are parameters
        [*parameters, *ranks, limit, offset],
    )
    return _with_metadata(ask, rows)


def _with_metadata(ask: Ask, rows: list[Row]) -> list[Row]:
    """The rows of a screen with what only page_metadata knows: less than a join of all pages."""
    found = ask(
        "select page_id, title, published_on, description, word_count from page_metadata"
        " where list_contains(?, institution) and list_contains(?, page_id)",
        [list({row["institution"] for row in rows}), [row["page_id"] for row in rows]],
    )
    known = {row["page_id"]: row for row in found}
    empty = {"title": None, "published_on": None, "description": None, "word_count": None}
    merged = [{**row, **known.get(row["page_id"], empty)} for row in rows]
    return [{**m, "title": m["title"] or row["title"]} for m, row in zip(merged, rows, strict=True)]


def count_pages(ask: Ask, wanted: PageFilter) -> int:
    where, parameters = _where(wanted)
    sql = f"select count(*) as pages from {_tables(wanted)} {where}"  # noqa: S608  # as above
    return int(ask(sql, parameters)[0]["pages"])


def _tables(wanted: PageFilter) -> str:
    if wanted.since or wanted.until:
        return (
            "page_snapshots s left join page_metadata m"
            " on m.institution = s.institution and m.page_id = s.page_id"
        )
    return "page_snapshots s"


def _where(wanted: PageFilter) -> tuple[str, list[Any]]:
    tests: list[tuple[str, Any]] = [
        ("s.institution = ?", wanted.institution),
        ("s.lang = ?", wanted.language),
        ("s.page_id in (select page_id from page_topics where topic = ?)", wanted.topic),
        (
            "exists (from url_ledger l where l.institution = s.institution and l.url = s.url"
            " and l.decision = ?)",
            wanted.decision,
        ),
        (f"{_DATE} >= ?", wanted.since),
        (f"{_DATE} <= ?", wanted.until),
        ("list_contains(?, s.page_id)", list(wanted.ids) if wanted.ids is not None else None),
    ]
    used = [(test, value) for test, value in tests if value is not None]
    where = f"where {' and '.join(test for test, _ in used)}" if used else ""
    return where, [value for _, value in used]


def ask_languages(ask: Ask) -> list[Row]:
    return ask(
        "select lang as value, count(*) as pages from page_snapshots where lang is not null"
        " group by lang order by pages desc, lang limit 100"
    )


def ask_topics(ask: Ask) -> list[Row]:
    return ask(
        "select topic as value, count(*) as pages from page_topics"
        " group by topic order by pages desc, topic limit 200"
    )
