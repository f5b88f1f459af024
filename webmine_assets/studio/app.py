"""Puts the studio together, and serves it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from aiohttp import web

from webmine_assets.errors import ConfigurationError, ServiceError, WebmineError
from webmine_assets.settings import Settings
from webmine_assets.storage.confined import ConfinedWarehouse
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.light import LightLake
from webmine_assets.storage.search import SearchIndex
from webmine_assets.storage.warehouse import asking_about
from webmine_assets.studio import parameters
from webmine_assets.studio.api.enhance import EnhanceApi
from webmine_assets.studio.api.reading import ReadingApi
from webmine_assets.studio.api.rules import RulesApi
from webmine_assets.studio.api.sql import SqlApi
from webmine_assets.studio.door import guard_door
from webmine_assets.studio.enhancement import Enhance, Enhancer
from webmine_assets.studio.files import InstitutionFiles
from webmine_assets.studio.finding import PageFinder
from webmine_assets.studio.openapi import query_names
from webmine_assets.studio.painter import Painter
from webmine_assets.studio.problems import ProblemPages
from webmine_assets.studio.questions import LIGHT_COLUMNS, Ask
from webmine_assets.studio.questions.overview import ask_names
from webmine_assets.studio.rules.language_model import LanguageModel
from webmine_assets.studio.rules.preview import Previewer
from webmine_assets.studio.rules.sample import Samples
from webmine_assets.studio.security import MIN_TOKEN_CHARACTERS, Doorkeeper, is_loopback
from webmine_assets.studio.views.explorer import ExplorerView
from webmine_assets.studio.views.ledger import LedgerView
from webmine_assets.studio.views.overview import OverviewView
from webmine_assets.studio.views.page import PageView
from webmine_assets.studio.views.reference import ReferenceView
from webmine_assets.studio.views.session import SessionView
from webmine_assets.studio.views.sql import SQL_PROCESSES, SqlDesk, SqlView
from webmine_assets.studio.views.workshop import WorkshopView


class Part(Protocol):
    """A view or a piece of the API: it says which addresses are its own."""

    def routes(self) -> list[web.RouteDef]: ...


_STATIC = Path(__file__).parent / "static"
_MAX_REQUEST_BYTES = 1_000_000
# A question of 20,000 characters stands in the address, where a character takes up to 12 bytes.
_MAX_ADDRESS_BYTES = 256_000


def build_app(
    settings: Settings,
    *,
    enhance: Enhance,
    host: str = "127.0.0.1",
    token: str | None = None,
    names: tuple[str, ...] = (),
) -> web.Application:
    """The studio of a data folder; `enhance` does the work that saving a rule starts."""
    painter = Painter()
    problems = ProblemPages(painter)
    doorkeeper = build_doorkeeper(host, token, names)
    session = SessionView(doorkeeper=doorkeeper, painter=painter)
    app = web.Application(
        client_max_size=_MAX_REQUEST_BYTES,
        # The door first: what it refuses reaches no handler, and its headers are on errors, too.
        middlewares=[
            guard_door(doorkeeper, session, problems),
            problems.middleware(),
            parameters.refuse_unknown_queries(query_names()),
        ],
    )
    stack = ExitStack()
    lake = Lake(settings.lake)
    light = stack.enter_context(closing(LightLake(lake, LIGHT_COLUMNS)))
    strangers = ConfinedWarehouse(settings.lake, processes=SQL_PROCESSES)
    stack.callback(strangers.close)
    enhancer = Enhancer(enhance)
    stack.callback(enhancer.close)

    async def life(app: web.Application) -> AsyncIterator[None]:
        # Half a second at 100,000 pages, while the browser is on its way.
        reading = asyncio.create_task(asyncio.to_thread(_read_ahead, light))
        yield
        await reading
        stack.close()

    app.cleanup_ctx.append(life)
    app.add_routes(session.routes())
    app.add_routes(
        _routes(
            settings,
            lake,
            light.ask,
            desk=SqlDesk(strangers),
            painter=painter,
            enhancer=enhancer,
        )
    )
    app.add_routes([web.static("/static", _STATIC)])
    return app


def _read_ahead(light: LightLake) -> None:
    # A lake that cannot be read is said to the person who asks for it.
    with suppress(WebmineError):
        light.refresh()


def build_doorkeeper(host: str, token: str | None, names: tuple[str, ...] = ()) -> Doorkeeper:
    """Beyond loopback a token is a must, and a short one is none."""
    if token is not None and len(token) < MIN_TOKEN_CHARACTERS:
        raise ConfigurationError(f"--token: expected at least {MIN_TOKEN_CHARACTERS} characters")
    beyond = not is_loopback(host)
    if beyond and token is None:
        raise ConfigurationError(
            f"--host {host} lets other machines in: a token is needed, as in --token SECRET"
        )
    return Doorkeeper(hosts=(host, *names), any_address=beyond, token=token)


def _routes(
    settings: Settings,
    lake: Lake,
    ask: Ask,
    *,
    desk: SqlDesk,
    painter: Painter,
    enhancer: Enhancer,
) -> list[web.RouteDef]:
    files = InstitutionFiles(settings.institutions)
    samples = Samples(lake)
    about = partial(asking_about, lake)
    finder = PageFinder(ask, SearchIndex(settings.search_index))
    model = build_model(settings)

    def names() -> list[str]:
        return sorted({*files.names(), *ask_names(ask)})

    parts: list[Part] = [
        OverviewView(ask=ask, painter=painter, files=files, enhancer=enhancer),
        ExplorerView(ask=ask, painter=painter, finder=finder, names=names),
        PageView(ask=ask, about=about, painter=painter, samples=samples, settings=settings),
        LedgerView(ask=ask, painter=painter, names=names),
        WorkshopView(
            ask=ask,
            painter=painter,
            samples=samples,
            rules_of=files.rules,
            institutions=files.all,
            enhancer=enhancer,
            has_model=model is not None,
        ),
        SqlView(desk=desk, painter=painter),
        ReferenceView(painter),
        ReadingApi(ask=ask, about=about, finder=finder, files=files.all),
        RulesApi(
            ask=ask,
            samples=samples,
            previewer=Previewer(samples, files.rules),
            settings=settings,
            enhancer=enhancer,
            model=model,
            now=lambda: datetime.now(UTC),
        ),
        EnhanceApi(lake=lake, files=files.all, enhancer=enhancer),
        SqlApi(desk),
    ]
    return [route for part in parts for route in part.routes()]


def build_model(settings: Settings) -> LanguageModel | None:
    """The language model, where one is configured."""
    if not settings.llm_url:
        return None
    if not settings.llm_model:
        raise ConfigurationError("WEBMINE_LLM_URL needs WEBMINE_LLM_MODEL, the name of the model")
    return LanguageModel(url=settings.llm_url, model=settings.llm_model, key=settings.llm_key)


async def serve(app: web.Application, *, host: str, port: int) -> web.AppRunner:
    """Start answering; the caller cleans the runner up."""
    runner = web.AppRunner(app, access_log=None, max_line_size=_MAX_ADDRESS_BYTES)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as problem:
        await runner.cleanup()
        raise ServiceError(
            f"port {port} of {host} cannot be used ({problem.strerror}); choose another with --port"
        ) from problem
    return runner
