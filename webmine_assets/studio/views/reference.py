"""The API for people to read, and its OpenAPI document."""

from aiohttp import web

from webmine_assets.studio.api import json_answer
from webmine_assets.studio.openapi import build_openapi
from webmine_assets.studio.painter import Painter


class ReferenceView:
    """Answers `/api` and `/api/openapi.json`."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._document = build_openapi()

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api", self.show), web.get("/api/openapi.json", self.document)]

    async def show(self, request: web.Request) -> web.Response:
        return self._painter.page(request, "reference.html", document=self._document)

    async def document(self, request: web.Request) -> web.Response:
        return json_answer(self._document)
