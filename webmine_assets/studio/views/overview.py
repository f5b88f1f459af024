"""The overview: institutions, decisions, trend, coverage and the last errors."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from aiohttp import web

from webmine_assets.records import PAGE_DECISIONS, Decision
from webmine_assets.studio.enhancement import Enhancer
from webmine_assets.studio.files import InstitutionFiles
from webmine_assets.studio.painter import Painter, query_string
from webmine_assets.studio.questions import Ask, Row
from webmine_assets.studio.questions import overview as questions

_SHOWN_REASONS = 14
_GOOD = {*PAGE_DECISIONS, Decision.ALIAS}
_BAD = {Decision.HTTP_ERROR, Decision.FETCH_ERROR, Decision.RENDER_ERROR}


class OverviewView:
    """Answers `/`."""

    def __init__(
        self, *, ask: Ask, painter: Painter, files: InstitutionFiles, enhancer: Enhancer
    ) -> None:
        self._ask = ask
        self._painter = painter
        self._files = files
        self._enhancer = enhancer

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """All questions at once: DuckDB answers them side by side."""
        loaded = await asyncio.to_thread(self._files.loaded)
        rows, decisions, crawls, coverage, errors, failed_pages = await asyncio.gather(
            asyncio.to_thread(questions.ask_institutions, self._ask),
            asyncio.to_thread(questions.ask_decisions, self._ask),
            asyncio.to_thread(questions.ask_crawls, self._ask),
            asyncio.to_thread(questions.ask_coverage, self._ask),
            asyncio.to_thread(questions.ask_last_errors, self._ask),
            asyncio.to_thread(questions.ask_failed_pages, self._ask),
        )
        return self._painter.page(
            request,
            "overview.html",
            institutions=with_files(rows, loaded.institutions),
            file_errors=loaded.errors,
            totals=totals(rows),
            crawls=by_institution(crawls),
            single_crawls=len({row["institution"] for row in crawls}) == len(crawls),
            freshness={
                row["institution"]: freshness(row, loaded.institutions, datetime.now(UTC))
                for row in with_files(rows, loaded.institutions)
            },
            coverage=coverage_values(coverage),
            errors=errors,
            failed_pages=failed_pages,
            tasks=self._enhancer.tasks(),
            **decision_values(decisions),
        )


def decision_values(decisions: list[Row]) -> dict[str, Any]:
    """The chart of decisions: the most frequent reasons, and how many more there are."""
    shown = decisions[:_SHOWN_REASONS]
    return {
        "decision_bars": [(label_of(row), row["urls"]) for row in shown],
        "decision_links": [
            f"/urls{query_string({'decision': row['decision'], 'reason': row['reason']})}"
            for row in shown
        ],
        "decision_kinds": [kind_of(row["decision"]) for row in shown],
        "hidden_decisions": len(decisions) - len(shown),
    }


def with_files(rows: list[Row], files: dict[str, Any]) -> list[Row]:
    """Rows of the lake and of the files together: an institution may have only one of the two."""
    empty = dict.fromkeys(
        ("pages", "fetched_at", "changed_at", "languages", "words", "failed", "urls", "errors",
         "kept", "refused_for", "crawled_at", "crawls", "renewed")
    )  # fmt: skip
    known = {row["institution"]: row for row in rows}
    names = sorted({*known, *files})
    return [
        {**empty, **known.get(name, {}), "institution": name, "name": _name(files.get(name), name)}
        for name in names
    ]


def _name(institution: Any, name: str) -> str:
    return institution.display_name if institution else name


def freshness(row: Row, files: dict[str, Any], now: datetime) -> tuple[str, str]:
    """The class and the words of a tag: whether the pages are younger than the file wants them.

    A crawl that could ask for none made nothing fresh.
    """
    institution = files.get(row["institution"])
    if row["crawled_at"] is None:
        return "warn", "never crawled"
    if not row["renewed"]:
        why = f": {row['refused_for'].replace('_', ' ')}" if row["refused_for"] else ""
        is_kept = bool(row["kept"])
        known = f"out of reach, as of {row['fetched_at'].date()}" if is_kept else "no page came"
        return "bad", f"{known}{why}"
    if institution is None:
        return "", "no file"
    due_at = row["crawled_at"] + timedelta(days=institution.ttl_days)
    if due_at < now:
        return "warn", f"due since {due_at.date()}"
    return "good", f"fresh until {due_at.date()}"


def totals(rows: list[Row]) -> Row:
    return {key: sum(row[key] or 0 for row in rows) for key in ("pages", "words", "urls", "errors")}


def label_of(row: Row) -> str:
    decision = row["decision"].replace("_", " ")
    return f"{decision} · {row['reason'].replace('_', ' ')}" if row["reason"] else decision


def kind_of(decision: str) -> str:
    """The class of a bar: what was kept, what failed, what was left out on purpose."""
    return "bar good" if decision in _GOOD else "bar bad" if decision in _BAD else "bar idle"


def by_institution(crawls: list[Row]) -> dict[str, list[Row]]:
    return {name: list(rows) for name, rows in groupby(crawls, key=lambda row: row["institution"])}


def coverage_values(coverage: Row) -> list[Row]:
    """Each metadata field with the pages that have it, and the address that lists the others."""
    pages = coverage["pages"]
    return [
        {
            "name": name,
            "pages": count,
            "share": count / pages if pages else 0.0,
            # Not all is not 100 %.
            "percent": (100 if pages else 0)
            if count == pages
            else min(99, round(100 * count / pages)),
            "missing": f"/sql{query_string({'q': questions.question_of_missing(name)})}",
        }
        for name, count in coverage.items()
        if name != "pages"
    ]
