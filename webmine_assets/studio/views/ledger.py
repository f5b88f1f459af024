"""The URLs that were discovered, and the answer to "why is this URL not here?"."""

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from webmine_assets import urls
from webmine_assets.reasons import meaning_of
from webmine_assets.records import Decision
from webmine_assets.studio import parameters
from webmine_assets.studio.painter import Painter
from webmine_assets.studio.questions import Ask, Row
from webmine_assets.studio.questions.ledger import (
    FAILED,
    LedgerFilter,
    ask_ledger,
    ask_reasons,
    ask_verdict,
    count_ledger,
)

_SCREEN = 50


def read_ledger_filter(request: web.Request) -> LedgerFilter:
    return LedgerFilter(
        institution=parameters.text(request, "institution", limit=63),
        decision=parameters.choice(request, "decision", [FAILED, *(d.value for d in Decision)]),
        reason=parameters.text(request, "reason", limit=100),
        url=parameters.text(request, "url"),
    )


def find_verdict(ask: Ask, raw_url: str) -> list[Row]:
    """What was decided about an address as a person writes it."""
    return ask_verdict(ask, list({raw_url, urls.canonicalise(raw_url)}))


class LedgerView:
    """Answers `/urls`."""

    def __init__(self, *, ask: Ask, painter: Painter, names: Callable[[], list[str]]) -> None:
        self._ask = ask
        self._painter = painter
        self._names = names

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/urls", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        wanted = read_ledger_filter(request)
        page = parameters.integer(request, "page", default=1, low=1, high=100_000)
        values = await asyncio.to_thread(self._values, wanted, page)
        return self._painter.page(request, "ledger.html", **values)

    def _values(self, wanted: LedgerFilter, page: int) -> dict[str, Any]:
        is_address = bool(wanted.url and wanted.url.startswith(("http://", "https://")))
        total = count_ledger(self._ask, wanted)
        return {
            "wanted": wanted,
            "values": {
                "institution": wanted.institution,
                "decision": wanted.decision,
                "reason": wanted.reason,
                "url": wanted.url,
            },
            "rows": ask_ledger(self._ask, wanted, limit=_SCREEN, offset=(page - 1) * _SCREEN),
            "total": total,
            "page": page,
            "last_page": max(1, -(-total // _SCREEN)),
            "verdict": find_verdict(self._ask, wanted.url or "") if is_address else [],
            "is_address": is_address,
            "meaning_of": meaning_of,
            "names": self._names(),
            "decisions": [decision.value for decision in Decision],
            "reasons": sorted({row["reason"] for row in ask_reasons(self._ask)}),
        }
