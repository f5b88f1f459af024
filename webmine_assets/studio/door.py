"""The first middleware of every request: who may enter, and the headers every answer carries."""

from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Middleware

from webmine_assets.studio.problems import API, Handler, ProblemPages
from webmine_assets.studio.security import HEADERS, Doorkeeper
from webmine_assets.studio.views.session import LOGIN, SessionView

_STATIC = "/static/"
_NEEDS_TOKEN = "this studio needs its token: sign in, or send Authorization: Bearer …"  # noqa: S105  # a sentence


def guard_door(doorkeeper: Doorkeeper, session: SessionView, problems: ProblemPages) -> Middleware:
    """Refuse what may not enter; let a browser in that brings the token in its first address."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        answer = await _enter(request, handler)
        for name, value in HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    async def _enter(request: web.Request, handler: Handler) -> web.StreamResponse:
        refusal = doorkeeper.refusal(request.method, request.headers)
        if refusal:
            return problems.answer(request, refusal.status, refusal.detail)
        # First of all, so that the token leaves the address bar also where it is not needed.
        given = request.query.get("token")
        if given and request.method == "GET" and doorkeeper.is_token(given):
            return session.welcome(request, _without_token(request))
        if doorkeeper.has_token(request.headers, request.cookies) or _is_open(request.path):
            return await _handled(request, handler)
        if request.path.startswith(API) or request.method != "GET":
            return problems.answer(request, 401, _NEEDS_TOKEN)
        return web.Response(status=303, headers={"Location": LOGIN})

    async def _handled(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPRedirection as redirect:
            return web.Response(
                status=redirect.status, headers={"Location": redirect.headers["Location"]}
            )

    return guard


def _is_open(path: str) -> bool:
    return path == LOGIN or path.startswith(_STATIC)


def _without_token(request: web.Request) -> str:
    rest = [(name, value) for name, value in request.query.items() if name != "token"]
    # One slash only: an address that starts with two leads to another host, and browsers read a
    # backslash as a slash. Escapes stay, since an escaped line break would end the header.
    path = "/" + request.rel_url.raw_path.lstrip("/\\")
    return f"{path}?{urlencode(rest)}" if rest else path
