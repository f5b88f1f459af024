"""The SQL box: one read-only question over the views, within limits, with a simple chart."""

import asyncio
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from webmine_assets.errors import QueryError
from webmine_assets.records import TABLES
from webmine_assets.storage.confined import Answer, ConfinedWarehouse
from webmine_assets.storage.schemas import column_docs
from webmine_assets.storage.warehouse import DERIVED_VIEWS
from webmine_assets.studio import parameters
from webmine_assets.studio.painter import Painter

MAX_ROWS = 500
TIMEOUT_S = 10.0
# Each may take 2 GB (`storage/confined_process.py`).
SQL_PROCESSES = 2
_CHART_ROWS = 25

EXAMPLES = (
    (
        "Pages by institution",
        "select institution, count(*) as pages, sum(length(text)) as characters\n"
        "from page_snapshots group by all order by pages desc",
    ),
    (
        "What was decided",
        "select decision, count(*) as urls\nfrom url_ledger group by decision order by urls desc",
    ),
    (
        "Topics",
        "select topic, count(*) as pages, round(avg(confidence), 2) as confidence\n"
        "from page_topics group by topic order by pages desc limit 15",
    ),
    (
        "Where titles come from",
        "select source, sum(pages)::int as pages\n"
        "from metadata_sources where field = 'title' group by source order by pages desc",
    ),
    (
        "Published by month",
        "select strftime(published_on, '%Y-%m') as month, count(*) as pages\n"
        "from page_metadata where published_on is not null group by month order by month",
    ),
    ("Columns of a table", "describe page_metadata"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlResult:
    """An answer with the time it took, and what of it can be drawn."""

    answer: Answer
    milliseconds: int
    chart: list[tuple[str, float]]
    chart_columns: tuple[str, ...] = ()


class SqlDesk:
    """Asks what people type; more questions than there are processes wait for their turn."""

    def __init__(self, warehouse: ConfinedWarehouse) -> None:
        self._warehouse = warehouse
        self._turn = asyncio.Semaphore(SQL_PROCESSES)

    async def ask(self, sql: str) -> SqlResult:
        async with self._turn:
            answer = await asyncio.to_thread(
                self._warehouse.ask_freely, sql, timeout_s=TIMEOUT_S, max_rows=MAX_ROWS
            )
        milliseconds = round(1000 * answer.elapsed_s)
        columns, chart = drawable(answer)
        return SqlResult(
            answer=answer, milliseconds=milliseconds, chart=chart, chart_columns=columns
        )


class SqlView:
    """Answers `/sql`."""

    def __init__(self, *, desk: SqlDesk, painter: Painter) -> None:
        self._desk = desk
        self._painter = painter

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/sql", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        sql = parameters.text(request, "q", limit=20_000)
        result, problem = None, None
        # A link on another site may fill the box; only a person who is here may run it.
        is_ours = request.headers.get("Sec-Fetch-Site", "same-origin") in {"same-origin", "none"}
        if sql and is_ours:
            try:
                result = await self._desk.ask(sql)
            except QueryError as error:
                problem = str(error)
        return self._painter.page(request, "sql.html", **_values(sql, result, problem))


def _values(sql: str | None, result: SqlResult | None, problem: str | None) -> dict[str, Any]:
    return {
        "sql": sql or EXAMPLES[0][1],
        "result": result,
        "problem": problem,
        "examples": EXAMPLES,
        "tables": {table: column_docs(table) for table in TABLES},
        "views": list(DERIVED_VIEWS),
        "max_rows": MAX_ROWS,
        "timeout_s": TIMEOUT_S,
    }


def drawable(answer: Answer) -> tuple[tuple[str, ...], list[tuple[str, float]]]:
    """What is drawn and the labels and numbers, if there is a column of each: the first of both."""
    rows = answer.rows[:_CHART_ROWS]
    columns = range(len(answer.columns))
    numbers = [c for c in columns if all(_is_number(row[c]) for row in rows)]
    labels = [c for c in columns if c not in numbers]
    if len(rows) < 2 or not numbers or not labels:
        return (), []
    # Bars under one name tell nothing: such rows are records, not figures.
    if len({str(row[labels[0]]) for row in rows}) < len(rows):
        return (), []
    drawn = (answer.columns[numbers[0]], answer.columns[labels[0]])
    return drawn, [(str(row[labels[0]]), float(row[numbers[0]])) for row in rows]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
