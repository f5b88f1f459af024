"""The enhancement operation over HTTP, and the tasks that run in the background."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from webmine_assets.institutions import Institution
from webmine_assets.stages.operation import (
    DEFAULT_BATCH_SIZE,
    MAX_BATCH_SIZE,
    EnhanceRequest,
    enhance_batch,
)
from webmine_assets.storage.lake import Lake
from webmine_assets.studio import parameters
from webmine_assets.studio.api import json_answer
from webmine_assets.studio.enhancement import Enhancer

_MAX_IDS = 1_000


class EnhanceApi:
    """Answers `/api/enhance/metadata` and `/api/tasks`."""

    def __init__(
        self, *, lake: Lake, files: Callable[[], dict[str, Institution]], enhancer: Enhancer
    ) -> None:
        self._lake = lake
        self._files = files
        self._enhancer = enhancer

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/enhance/metadata", self.enhance),
            web.get("/api/tasks", self.tasks),
        ]

    async def enhance(self, request: web.Request) -> web.Response:
        wanted = read_enhance_request(await parameters.json_object(request))
        return json_answer(await asyncio.to_thread(self._enhance, wanted))

    def _enhance(self, wanted: EnhanceRequest) -> dict[str, Any]:
        with self._enhancer.paused():
            answer = enhance_batch(wanted, lake=self._lake, institutions=self._files())
        return answer.to_json_dict()

    async def tasks(self, request: web.Request) -> web.Response:
        return json_answer({"tasks": [asdict(task) for task in self._enhancer.tasks()]})


def read_enhance_request(body: dict[str, Any]) -> EnhanceRequest:
    """The operation's request from its JSON form."""
    parameters.refuse_unknown(body, {"contentIds", "batchSize", "forceRescrape"})
    return EnhanceRequest(
        content_ids=_ids(body.get("contentIds")),
        batch_size=_batch_size(body.get("batchSize", DEFAULT_BATCH_SIZE)),
        force=_flag(body.get("forceRescrape", False)),
    )


def _ids(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    is_list = isinstance(value, list) and len(value) <= _MAX_IDS
    if not is_list or not all(isinstance(item, str) and len(item) <= 100 for item in value):
        raise parameters.bad_request(f"contentIds: expected a list of at most {_MAX_IDS} page ids")
    for item in value:
        parameters.require_unicode("contentIds", item)
    return tuple(value)


def _batch_size(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_BATCH_SIZE:
        raise parameters.bad_request(
            f"batchSize: expected 1 to {MAX_BATCH_SIZE}, found {str(value)[:40]}"
        )
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise parameters.bad_request(
            f"forceRescrape: expected true or false, found {str(value)[:40]}"
        )
    return value
