"""Several machines: the UI puts runs into a queue, workers take them, and one of them is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from webmine_assets.demo.starter import DEMO_IDS
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus
from webmine_assets_tests.defs.service import CRAWL_ASSETS, Service, poll, serving
from webmine_assets_tests.servers import REDIS, postgres, redis

pytestmark = [
    pytest.mark.slow,
    pytest.mark.database,
    pytest.mark.timeout(600),
    pytest.mark.skipif(REDIS is None, reason="redis-server is not installed"),
]

UNIVERSITY, NEWSROOM, _ = DEMO_IDS


@dataclass(slots=True)
class Workplace:
    """A corpus, the service that launches runs, and the workers that execute them."""

    corpus: DemoCorpus
    service: Service
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def hire(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker, as a person does on another machine."""
        log = self.log(len(self.workers))
        with log.open("wb") as file:
            worker = subprocess.Popen(
                [str(Path(sys.executable).with_name("webmine")), "worker"],
                env=os.environ | environment,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.workers.append(worker)
        poll(lambda: " ready." in log.read_text("utf-8"), within_s=90, what="a worker")
        return worker

    def dismiss(self) -> None:
        """Take all workers away without warning."""
        for worker in self.workers:
            kill(worker)

    def process_of(self, run_id: str) -> psutil.Process:
        """The process in which a worker executes a run."""

        def look() -> psutil.Process | None:
            return next((p for w in self.workers for p in family(w) if executes(p, run_id)), None)

        return poll(look, within_s=90, what="the process of a run")

    def log(self, number: int) -> Path:
        return self.service.data / f"worker-{number}.log"


@contextmanager
def ended(workplace: Workplace) -> Iterator[Workplace]:
    try:
        yield workplace
    finally:
        workplace.dismiss()


def kill(worker: subprocess.Popen[bytes]) -> None:
    """Take a worker away without warning, and all that it started."""
    processes = family(worker)
    worker.kill()
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    worker.wait(10)


def family(worker: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return psutil.Process(worker.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def executes(process: psutil.Process, run_id: str) -> bool:
    try:
        return any(run_id in argument for argument in process.cmdline())
    except psutil.Error:
        return False


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workplace]:
    data = tmp_path_factory.mktemp("data")
    with ExitStack() as stack:
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        environment.setenv("WEBMINE_DATA", str(data))
        environment.setenv("XDG_RUNTIME_DIR", str(data))
        environment.delenv("DAGSTER_HOME", raising=False)
        environment.setenv("WEBMINE_PG_URL", stack.enter_context(postgres()))
        environment.setenv("WEBMINE_BROKER", stack.enter_context(redis()))
        corpus = stack.enter_context(demo_corpus(data))
        service = stack.enter_context(serving(data))
        yield stack.enter_context(ended(Workplace(corpus, service)))


def test_a_run_waits_for_a_worker_and_outlives_one_that_is_killed(workplace: Workplace) -> None:
    service = workplace.service
    waiting = service.materialise(UNIVERSITY, CRAWL_ASSETS)
    poll(
        lambda: any("No worker listens" in message for message in service.messages(waiting)),
        within_s=90,
        what="the message that nobody listens",
    )
    doomed = workplace.hire()
    journals = workplace.corpus.settings.journals
    poll(lambda: list(journals.glob("*.journal")), within_s=90, what="a crawl under way")
    kill(doomed)
    workplace.hire()
    assert service.ended(waiting).status == "FAILURE"
    again = second_try(service, waiting)
    assert service.ended(again).status == "SUCCESS"
    enhanced = service.enhancement_of(again)
    assert enhanced.status == "SUCCESS", service.messages(enhanced.run_id)
    assert workplace.corpus.lake.count("page_topics", UNIVERSITY) > 0


def test_ctrl_c_waits_for_the_run_under_way(workplace: Workplace) -> None:
    service = workplace.service
    run_id = service.materialise(NEWSROOM, CRAWL_ASSETS)
    poll(lambda: service.run(run_id).status == "STARTED", within_s=90, what="a run under way")
    for worker in workplace.workers:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGINT)  # a terminal sends it to all of the worker
            worker.wait(90)
    assert service.run(run_id).status == "SUCCESS", service.messages(run_id)


def test_a_run_terminated_in_the_ui_ends_in_good_order(workplace: Workplace) -> None:
    service = workplace.service
    workplace.hire()
    file = workplace.corpus.settings.institutions / f"{NEWSROOM}.yaml"
    before = file.read_text("utf-8")
    file.write_text(
        before.replace("ttl_days: 7", "ttl_days: 0").replace("delay_ms: 5", "delay_ms: 5000")
    )
    run_id = service.materialise(NEWSROOM, CRAWL_ASSETS)
    poll(lambda: service.run(run_id).status == "STARTED", within_s=90, what="a run under way")
    service.terminate(run_id)
    file.write_text(before)
    assert service.ended(run_id).status == "CANCELED"


def test_a_run_is_started_again_when_its_worker_is_killed_before_it_began(
    workplace: Workplace,
) -> None:
    service = workplace.service
    run_id = service.materialise(NEWSROOM, CRAWL_ASSETS)
    workplace.process_of(run_id).suspend()
    workplace.dismiss()
    assert service.run(run_id).status == "STARTING"
    assert service.ended(run_id).status == "FAILURE"
    workplace.hire()
    assert service.ended(second_try(service, run_id)).status == "SUCCESS"


def test_a_run_whose_process_is_killed_before_it_began_is_started_again(
    workplace: Workplace,
) -> None:
    service = workplace.service
    run_id = service.materialise(NEWSROOM, CRAWL_ASSETS)
    workplace.process_of(run_id).kill()
    assert service.ended(run_id).status == "FAILURE"
    assert any("SIGKILL" in message for message in service.messages(run_id))
    assert service.ended(second_try(service, run_id)).status == "SUCCESS"


def test_a_run_goes_on_when_only_its_worker_is_killed(workplace: Workplace) -> None:
    service = workplace.service
    run_id = service.materialise(UNIVERSITY, CRAWL_ASSETS)
    process = workplace.process_of(run_id)
    poll(lambda: service.run(run_id).status == "STARTED", within_s=90, what="a run under way")
    process.suspend()
    worker_s = process.parent()
    assert worker_s is not None
    worker_s.kill()
    log, looked = service.data / "ui.log", f"Checking run {run_id}"
    before = log.read_text("utf-8").count(looked)
    poll(
        lambda: log.read_text("utf-8").count(looked) > before + 1,
        within_s=90,
        what="that the daemon looks at the run",
    )
    process.resume()
    assert service.ended(run_id).status == "SUCCESS", service.messages(run_id)


def test_a_worker_with_a_data_folder_of_its_own_is_told(
    workplace: Workplace, tmp_path: Path
) -> None:
    workplace.dismiss()
    workplace.hire(WEBMINE_DATA=str(tmp_path))
    run_id = workplace.service.materialise(UNIVERSITY, CRAWL_ASSETS)
    assert workplace.service.ended(run_id).status == "FAILURE"
    messages = workplace.service.messages(run_id)
    assert any("all machines must share one" in message for message in messages)


def second_try(service: Service, run_id: str) -> str:
    (again,) = poll(
        lambda: service.runs(dagster__parent_run_id=run_id), within_s=90, what="a second try"
    )
    return again.run_id
