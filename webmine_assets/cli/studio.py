"""`webmine studio`: the web page that shows the corpus and teaches it rules."""

import asyncio
import secrets
import signal
from typing import Annotated

import typer

from webmine_assets.cli.console import output
from webmine_assets.progress import Progress
from webmine_assets.settings import Settings, read_settings


def studio(
    host: Annotated[str, typer.Option(help="127.0.0.1 keeps it on this machine")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="where it listens")] = 8900,
    token: Annotated[
        str | None,
        typer.Option(
            help="asked of every visitor; beyond this machine one is made if you give none"
        ),
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(help="another host name it answers for; may be repeated")
    ] = None,
) -> None:
    """See the corpus, teach it rules, ask it questions, in the browser."""
    # Importing the studio takes a moment that other commands need not wait for.
    from webmine_assets.studio.app import build_app, serve
    from webmine_assets.studio.security import is_loopback

    settings = read_settings()
    secret = token or (None if is_loopback(host) else secrets.token_urlsafe(16))
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    async def run() -> None:
        app = build_app(
            settings,
            enhance=lambda institution, progress: enhance(settings, institution, progress),
            host=host,
            token=secret,
            names=tuple(name or ()),
        )
        runner = await serve(app, host=host, port=port)
        output.print(f"Studio: {address}{f'?token={secret}' if secret else ''}  (Ctrl-C ends it)")
        try:
            await _until_stopped()
        finally:
            await runner.cleanup()

    asyncio.run(run())


def enhance(settings: Settings, institution: str, progress: Progress) -> str | None:
    """Re-enhance stored pages through Dagster; what went wrong, or None."""
    from webmine_assets.defs.runner import run_chain

    outcomes = run_chain(settings, [institution], progress=progress, job="enhance_metadata")
    return next((outcome.error for outcome in list(outcomes) if outcome.error), None)


async def _until_stopped() -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await stopped.wait()
