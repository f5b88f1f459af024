"""SQL over HTTP: the same box, for programs."""

from aiohttp import web

from webmine_assets.studio import parameters
from webmine_assets.studio.api import json_answer
from webmine_assets.studio.views.sql import SqlDesk


class SqlApi:
    """Answers `/api/sql`."""

    def __init__(self, desk: SqlDesk) -> None:
        self._desk = desk

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/sql", self.ask)]

    async def ask(self, request: web.Request) -> web.Response:
        body = await parameters.json_object(request)
        parameters.refuse_unknown(body, {"sql"})
        result = await self._desk.ask(parameters.field(body, "sql", limit=20_000))
        return json_answer(
            {
                "columns": result.answer.columns,
                "rows": result.answer.rows,
                "isCut": result.answer.is_cut,
                "milliseconds": result.milliseconds,
            }
        )
