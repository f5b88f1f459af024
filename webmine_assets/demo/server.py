"""Serves the three demo sites on loopback from one background thread."""

import asyncio
import contextlib
import errno
import http.client
import json
import socket
import threading
from collections.abc import Callable
from dataclasses import asdict
from types import TracebackType
from typing import Self

from aiohttp import web

from webmine_assets.demo.newsroom import build_newsroom
from webmine_assets.demo.portal import build_portal
from webmine_assets.demo.ports import DEFAULT_PORTS, HOST, DemoPorts
from webmine_assets.demo.site import MARKER_PATH, Site, answer
from webmine_assets.demo.university import build_university
from webmine_assets.errors import ServiceError

__all__ = ["DEFAULT_PORTS", "DemoPorts", "DemoSites"]

_BUILDERS: dict[str, Callable[[str], Site]] = {
    "university": build_university,
    "newsroom": build_newsroom,
    "portal": build_portal,
}
_PROBE_TIMEOUT_S = 3.0
_START_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 10.0


class DemoSites:
    """The demo sites while they are served; a port that already serves its site is reused."""

    def __init__(self, ports: DemoPorts = DEFAULT_PORTS) -> None:
        self.ports = ports
        self.reused: frozenset[str] = frozenset()
        self._thread: _ServingThread | None = None

    @property
    def base_urls(self) -> dict[str, str]:
        return {name: f"http://{HOST}:{port}" for name, port in asdict(self.ports).items()}

    def start(self) -> None:
        """Bind first, so that pages can name the real port; then serve until `stop`."""
        with contextlib.ExitStack() as bound:
            listeners = _bind_all(self.ports, bound)
            actual = {name: listener.getsockname()[1] for name, listener in listeners.items()}
            self.reused = frozenset(_BUILDERS) - frozenset(listeners)
            self.ports = DemoPorts(**{**asdict(self.ports), **actual})
            sites = [(_BUILDERS[name](self.base_urls[name]), listeners[name]) for name in listeners]
            self._thread = _ServingThread(sites)
            bound.callback(self.stop)
            self._thread.start_serving()
            bound.pop_all()

    def stop(self) -> None:
        if self._thread is not None:
            self._thread.stop_serving()
            self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class _ServingThread:
    """One event loop in a daemon thread: signals stay with the main thread."""

    def __init__(self, sites: list[tuple[Site, socket.socket]]) -> None:
        self._sites = sites
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo-sites", daemon=True)

    def start_serving(self) -> None:
        self._thread.start()
        if not self._ready.wait(_START_TIMEOUT_S):
            raise ServiceError(f"the demo sites did not start within {_START_TIMEOUT_S:.0f} s")

    def stop_serving(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(_STOP_TIMEOUT_S)

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        runners = [await _start_site(site, listener) for site, listener in self._sites]
        self._ready.set()
        await self._stopping.wait()
        for runner in runners:
            await runner.cleanup()


async def _start_site(site: Site, listener: socket.socket) -> web.AppRunner:
    async def respond(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        reply = answer(site, request.path, request.query_string, headers)
        return web.Response(status=reply.status, headers=reply.headers, body=reply.body)

    application = web.Application()
    application.router.add_get("/{path:.*}", respond)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    return runner


def _bind_all(ports: DemoPorts, bound: contextlib.ExitStack) -> dict[str, socket.socket]:
    """A listener for each site that is not served already; all are closed if one port is taken."""
    listeners: dict[str, socket.socket] = {}
    for name, port in asdict(ports).items():
        listener = _bind(port)
        if listener is not None:
            listeners[name] = bound.enter_context(listener)
        elif _served_site(port) != name:
            raise ServiceError(
                f"port {port} of {HOST}, where the demo {name} is served, is in use by another "
                f"program: stop that program (`ss -ltnp 'sport = :{port}'` names it) and try again"
            )
    return listeners


def _bind(port: int) -> socket.socket | None:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # A port whose last connections are in TIME_WAIT is free; one that is listened on is not.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as problem:
        listener.close()
        if problem.errno == errno.EADDRINUSE:
            return None
        raise ServiceError(f"cannot listen on {HOST}:{port}: {problem.strerror}") from problem
    return listener


def _served_site(port: int) -> str | None:
    """The demo site behind a port, or None if something else answers or nothing does."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_PROBE_TIMEOUT_S)
    try:
        connection.request("GET", MARKER_PATH)
        found = json.loads(connection.getresponse().read(1000))
        return found["webmine_demo"] if isinstance(found, dict) else None
    except (OSError, http.client.HTTPException, ValueError, KeyError):
        return None
    finally:
        connection.close()
