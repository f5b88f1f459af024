"""The UI with its daemon, as people use them: on SQLite, and the same on a real PostgreSQL."""

import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from webmine_assets.defs.runner import run_chain
from webmine_assets.demo.starter import DEMO_IDS
from webmine_assets.progress import SilentProgress
from webmine_assets.records import TABLES
from webmine_assets.settings import read_settings
from webmine_assets_tests.browser import CHROMIUM, SWITCHES
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus
from webmine_assets_tests.defs.service import CRAWL_ASSETS, Run, Service, serving
from webmine_assets_tests.servers import postgres

# Whole runs under a real daemon: how long they take is the machine's; waiting has its own limits.
pytestmark = pytest.mark.timeout(600)

UNIVERSITY, NEWSROOM, PORTAL = DEMO_IDS


@dataclass(frozen=True, slots=True)
class Workplace:
    """A small corpus, and Dagster serving it."""

    corpus: DemoCorpus
    service: Service


def shorten(institutions: Path) -> None:
    """A few pages of each site are enough here; without its mark a file is not the demo's own, so
    that `webmine ui` does not serve the sites itself on their usual ports."""
    for path in institutions.glob("*.yaml"):
        _, _, text = path.read_text("utf-8").partition("\n")
        path.write_text(re.sub(r"(?m)^max_pages: \d+", "max_pages: 8", text), "utf-8")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("postgres", marks=[pytest.mark.slow, pytest.mark.database]),
    ],
)
def workplace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workplace]:
    data = tmp_path_factory.mktemp("data")
    with ExitStack() as stack:
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("WEBMINE_DATA", str(data))
        environment.delenv("DAGSTER_HOME", raising=False)
        if request.param == "postgres":
            environment.setenv("XDG_RUNTIME_DIR", str(data))
            environment.setenv("WEBMINE_PG_URL", stack.enter_context(postgres()))
        corpus = stack.enter_context(demo_corpus(data))
        shorten(corpus.settings.institutions)
        yield Workplace(corpus, stack.enter_context(serving(data)))


def is_alone(run: Run, others: list[Run]) -> bool:
    """Whether no other run was under way while this one was."""
    assert run.started
    assert run.ended
    return all(
        other.run_id == run.run_id
        or (other.ended or 0) <= run.started
        or (other.started or 0) >= run.ended
        for other in others
    )


def test_a_materialisation_turns_green_and_its_enhancement_follows(workplace: Workplace) -> None:
    run_id = workplace.service.materialise(UNIVERSITY)
    crawled = workplace.service.ended(run_id)
    assert crawled.status == "SUCCESS"
    enhanced = workplace.service.enhancement_of(run_id)
    assert enhanced.status == "SUCCESS"
    assert enhanced.started
    assert crawled.ended
    assert enhanced.started - crawled.ended < 30
    lake = workplace.corpus.lake
    assert {table: lake.count(table, UNIVERSITY) > 0 for table in TABLES} == dict.fromkeys(
        TABLES, True
    )


@pytest.mark.browser
def test_the_browser_shows_the_graph_and_a_partition(workplace: Workplace) -> None:
    base = f"http://127.0.0.1:{workplace.service.port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM.path, args=SWITCHES)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{base}/asset-groups")
        for table in ("page_snapshots", "page_archives"):
            expect(page.get_by_text(table, exact=True).first).to_be_visible(timeout=30_000)
        page.goto(f"{base}/assets/url_ledger?partition={UNIVERSITY}&view=partitions")
        expect(page.get_by_text(UNIVERSITY).first).to_be_visible(timeout=30_000)
        page.get_by_text("[Show Markdown]").last.click()
        expect(page.get_by_alt_text("URLs by decision and reason")).to_be_visible(timeout=30_000)
        browser.close()


def test_a_killed_daemon_misses_nothing_and_repeats_nothing(workplace: Workplace) -> None:
    service = workplace.service
    service.stop(signal.SIGKILL)
    # As `webmine run` has them from the environment: with the database, if there is one.
    (outcome,) = run_chain(read_settings(), [NEWSROOM], progress=SilentProgress(), job="crawl")
    assert outcome.error is None
    service.start()
    assert service.run(outcome.run_id).status == "SUCCESS"
    assert service.enhancement_of(outcome.run_id).status == "SUCCESS"
    assert workplace.corpus.lake.count("page_topics", NEWSROOM) > 0
    enhanced = [run.tags.get("webmine/enhances_run") for run in service.runs()]
    once = [run_id for run_id in enhanced if run_id]
    assert len(once) == len(set(once))


def test_a_backfill_completes_and_never_crawls_an_institution_twice_at_once(
    workplace: Workplace,
) -> None:
    service = workplace.service
    backfill = service.backfill(CRAWL_ASSETS, list(DEMO_IDS))
    by_hand = service.materialise(PORTAL)
    assert service.backfill_ended(backfill) == "COMPLETED_SUCCESS"
    assert service.ended(by_hand).status == "SUCCESS"
    filled = service.runs(dagster__backfill=backfill)
    assert {run.tags["webmine/crawl"] for run in filled} == set(DEMO_IDS)
    for run in [*filled, service.run(by_hand)]:
        assert service.enhancement_of(run.run_id).status == "SUCCESS"
    crawls = service.runs(webmine__crawl=PORTAL)
    assert len(crawls) == 2
    assert all(is_alone(run, crawls) for run in crawls)
