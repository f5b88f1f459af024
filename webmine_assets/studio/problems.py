"""What a client is told when something is wrong: problem JSON (RFC 9457), or a page for people."""

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from aiohttp import web
from aiohttp.typedefs import Middleware

from webmine_assets.errors import (
    ConfigurationError,
    QueryError,
    UnknownInstitutionError,
    WebmineError,
)
from webmine_assets.studio.painter import Painter

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
API = "/api/"

_log = logging.getLogger(__name__)
_STATUS: dict[type[WebmineError], int] = {
    QueryError: 400,
    ConfigurationError: 409,
    UnknownInstitutionError: 404,
}


def status_of(problem: WebmineError) -> int:
    """The status that tells a client whose fault it is."""
    for kind, status in _STATUS.items():
        if isinstance(problem, kind):
            return status
    return 503


def problem_json(status: int, detail: str) -> web.Response:
    """An error as RFC 9457 wants it."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    return web.json_response(body, status=status, content_type="application/problem+json")


class ProblemPages:
    """Turns errors into answers; for people a page, for programs problem JSON."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter

    def answer(self, request: web.Request, status: int, detail: str) -> web.Response:
        if request.path.startswith(API) or request.method not in {"GET", "HEAD"}:
            return problem_json(status, detail)
        title = HTTPStatus(status).phrase
        page = self._painter.page(request, "error.html", status=status, title=title, detail=detail)
        page.set_status(status)
        return page

    def middleware(self) -> Middleware:
        @web.middleware
        async def translate(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except web.HTTPRedirection:
                raise
            except web.HTTPException as problem:
                answer = self.answer(request, problem.status, _detail(problem))
                answer.headers.update(_allow(problem))
                return answer
            except WebmineError as problem:
                return self.answer(request, status_of(problem), str(problem))
            except Exception:  # noqa: BLE001  # one failed answer must not end the server
                # The trace belongs in the log of whoever runs the studio, not in the answer.
                _log.exception("%s %s failed", request.method, request.path)
                return self.answer(request, 500, "the studio failed; its log says more")

        return translate


_DETAILS = {
    404: "there is nothing at this address",
    405: "this address does not take such requests",
}


def _detail(problem: web.HTTPException) -> str:
    """What went wrong; aiohttp's own text only repeats the status."""
    text = problem.text or problem.reason
    return _DETAILS.get(problem.status, text) if text.startswith(f"{problem.status}:") else text


def _allow(problem: web.HTTPException) -> dict[str, str]:
    return {"Allow": problem.headers["Allow"]} if "Allow" in problem.headers else {}
