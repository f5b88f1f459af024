"""The API against its own OpenAPI document: generated requests find no failure of ours."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from webmine_assets.studio.app import build_app, serve
from webmine_assets.studio.openapi import build_openapi
from webmine_assets_tests.studio.corpus import ARTICLE_ID, write_corpus

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
    app = build_app(corpus, enhance=lambda name, progress: None)
    runner = loop.run_until_complete(serve(app, host="127.0.0.1", port=0))
    host, port = runner.addresses[0][:2]
    _addresses[:] = [f"http://{host}:{port}"]
    ready.set()
    loop.run_forever()
    loop.run_until_complete(runner.cleanup())
    loop.close()


CHECKS = [
    not_a_server_error,
    response_schema_conformance,
    content_type_conformance,
    status_code_conformance,
    unsupported_method,
    allow_header_conformance,
]


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_no_generated_request_fails(case: schemathesis.Case, studio: str) -> None:
    case.call_and_validate(base_url=studio, checks=CHECKS)


@pytest.mark.slow
@schema.include(path_regex="^/api/(rules/|pages/)").parametrize()
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_no_generated_request_about_a_stored_page_fails(
    case: schemathesis.Case, studio: str
) -> None:
    """Random page ids end at the first lookup: here the page is one that there is."""
    if "page_id" in case.path_parameters:
        case.path_parameters["page_id"] = ARTICLE_ID
    else:
        case.query["page"] = ARTICLE_ID
    case.call_and_validate(
        base_url=studio, checks=[not_a_server_error, response_schema_conformance]
    )


def test_a_question_as_long_as_allowed_is_answered(studio: str) -> None:
    sql = f"select 'ä{'<' * 19_900}' as x"
    with urlopen(f"{studio}/sql?{urlencode({'q': sql})}", timeout=60) as answer:
        page = answer.read().decode()
    assert answer.status == 200
    assert "1 rows" in page or "1 row" in page
