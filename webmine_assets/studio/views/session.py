"""Signing in with the token, where one is needed."""

from aiohttp import web

from webmine_assets.studio.painter import Painter
from webmine_assets.studio.security import COOKIE, Doorkeeper

LOGIN = "/login"
_MONTH_S = 30 * 86_400


class SessionView:
    """Answers `/login`."""

    def __init__(self, *, doorkeeper: Doorkeeper, painter: Painter) -> None:
        self._doorkeeper = doorkeeper
        self._painter = painter

    def routes(self) -> list[web.RouteDef]:
        return [web.get(LOGIN, self.show), web.post(LOGIN, self.sign_in)]

    async def show(self, request: web.Request) -> web.Response:
        return self._painter.page(request, "login.html", wrong=False)

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        token = str((await request.post()).get("token", "")).strip()
        if self._doorkeeper.is_token(token):
            return self.welcome(request, "/")
        page = self._painter.page(request, "login.html", wrong=True)
        page.set_status(401)
        return page

    def welcome(self, request: web.Request, location: str) -> web.StreamResponse:
        """Let a browser in: the cookie is for this site only, and no script can read it."""
        answer = web.Response(status=303, headers={"Location": location})
        answer.set_cookie(
            COOKIE,
            self._doorkeeper.cookie,
            max_age=_MONTH_S,
            httponly=True,
            samesite="Strict",
            # On plain HTTP browsers drop a cookie that is marked secure.
            secure=request.secure,
        )
        return answer
