"""The API against its own OpenAPI document: generated requests find no failure of ours."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from aiohttp import web
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance

from webmine_assets.studio.app import build_app
from webmine_assets.studio.openapi import build_openapi
from webmine_assets_tests.studio.corpus import write_corpus

schema = schemathesis.openapi.from_dict(build_openapi())


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A studio in a thread of its own: the generated requests are not asynchronous."""
    data = tmp_path_factory.mktemp("contract") / "data"
    loop, ready = asyncio.new_event_loop(), threading.Event()
    thread = threading.Thread(target=_serve, args=(loop, data, ready))
    thread.start()
    assert ready.wait(60)
    yield _addresses[0]
    loop.call_soon_threadsafe(loop.stop)
    thread.join(30)


_addresses: list[str] = []


def _serve(loop: asyncio.AbstractEventLoop, data: Path, ready: threading.Event) -> None:
    asyncio.set_event_loop(loop)
    corpus = write_corpus(data, articles=4)
    runner = web.AppRunner(build_app(corpus, enhance=lambda name, progress: None))
    loop.run_until_complete(runner.setup())
    site = web.TCPSite(runner, "127.0.0.1", 0)
    loop.run_until_complete(site.start())
    host, port = runner.addresses[0][:2]
    _addresses[:] = [f"http://{host}:{port}"]
    ready.set()
    loop.run_forever()
    loop.run_until_complete(runner.cleanup())
    loop.close()


@schema.parametrize()
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_no_generated_request_fails(case: schemathesis.Case, studio: str) -> None:
    case.call_and_validate(
        base_url=studio, checks=[not_a_server_error, response_schema_conformance]
    )
