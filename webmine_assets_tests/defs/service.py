"""`webmine ui` as a process of its own: started, asked over GraphQL, killed and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psutil

T = TypeVar("T")

REPOSITORY = {
    "repositoryName": "__repository__",
    "repositoryLocationName": "webmine_assets.definitions",
}
CRAWL_ASSETS = ("seeds", "page_snapshots", "url_ledger", "crawl_reports")

_READY = """query { repositoryOrError(repositorySelector: {
  repositoryName: "__repository__", repositoryLocationName: "webmine_assets.definitions"}) {
  __typename } instance { daemonHealth { id allDaemonStatuses { daemonType healthy } } } }"""
_LAUNCH = """mutation($params: ExecutionParams!) {
  launchPipelineExecution(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  ... on RunConfigValidationInvalid { errors { message } } } }"""
_RUNS = """query($filter: RunsFilter) { runsOrError(filter: $filter) { ... on Runs { results {
  runId status startTime endTime jobName tags { key value } } } } }"""
_MESSAGES = """query($id: ID!) { logsForRun(runId: $id, limit: 1000) {
  ... on EventConnection { events { ... on MessageEvent { message } } } } }"""
_TERMINATE = """mutation($id: String!) { terminateRun(runId: $id) { __typename } }"""
_BACKFILL = """mutation($params: LaunchBackfillParams!) { launchPartitionBackfill(
  backfillParams: $params) { __typename ... on LaunchBackfillSuccess { backfillId }
  ... on PythonError { message } } }"""
_BACKFILL_STATUS = """query($id: String!) { partitionBackfillOrError(backfillId: $id) {
  ... on PartitionBackfill { status } } }"""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as the UI knows it."""

    run_id: str
    status: str
    job: str
    started: float | None
    ended: float | None
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return self.status in {"SUCCESS", "FAILURE", "CANCELED"}


def poll(look: Callable[[], T | None], *, within_s: float, what: str) -> T:
    """The first result that is not None or false, looked for until time is up."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.3)
    raise AssertionError(f"{what}: not within {within_s} s")


class Service:
    """One `webmine ui`; everything it starts ends with it."""

    def __init__(self, data: Path, environment: dict[str, str]) -> None:
        self.data = data
        self._environment = environment
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        inherited = {k: v for k, v in os.environ.items() if k != "DAGSTER_HOME"}
        with (self.data / "ui.log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(Path(sys.executable).with_name("webmine")), "ui", "--port", str(self.port)],
                env={**inherited, "WEBMINE_DATA": str(self.data), **self._environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        poll(self._is_ready, within_s=180, what="the UI and its daemon")

    def _is_ready(self) -> bool:
        try:
            answer = self.ask(_READY)
        except OSError:
            return False
        running = answer["instance"]["daemonHealth"]["allDaemonStatuses"]
        healthy = {daemon["daemonType"] for daemon in running if daemon["healthy"]}
        loaded = answer["repositoryOrError"]["__typename"] == "Repository"
        return loaded and {"SENSOR", "QUEUED_RUN_COORDINATOR"} <= healthy

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; SIGKILL takes the daemon and everything else away without warning."""
        if self._process is None:
            return
        family = psutil.Process(self._process.pid).children(recursive=True)
        if how == signal.SIGTERM:
            self._process.send_signal(signal.SIGTERM)
            psutil.wait_procs(family, timeout=15)
        self._process.kill()
        for process in family:
            if process.is_running():
                process.kill()
        self._process.wait(10)
        psutil.wait_procs(family, timeout=10)
        self._process = None

    def ask(self, query: str, **variables: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql",
            json.dumps({"query": query, "variables": variables}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            body = json.load(answer)
        assert "errors" not in body, body["errors"]
        found: dict[str, Any] = body["data"]
        return found

    def materialise(self, institution: str, assets: tuple[str, ...] = CRAWL_ASSETS) -> str:
        """Launch the selected assets of a partition as the UI's button does; the run's id."""
        selector = REPOSITORY | {
            "pipelineName": "__ASSET_JOB",
            "assetSelection": [{"path": [asset]} for asset in assets],
        }
        tags = [{"key": "dagster/partition", "value": institution}]
        params = {"selector": selector, "mode": "default", "executionMetadata": {"tags": tags}}
        launched = self.ask(_LAUNCH, params=params)["launchPipelineExecution"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        run_id: str = launched["run"]["runId"]
        return run_id

    def runs(self, **tags: str) -> list[Run]:
        """Runs with these tags; `__` stands for a slash, as in `webmine__enhances_run`."""
        wanted = [{"key": k.replace("__", "/"), "value": v} for k, v in tags.items()]
        found = self.ask(_RUNS, filter={"tags": wanted})["runsOrError"]["results"]
        return [_run(row) for row in found]

    def run(self, run_id: str) -> Run:
        (found,) = self.ask(_RUNS, filter={"runIds": [run_id]})["runsOrError"]["results"]
        return _run(found)

    def ended(self, run_id: str, *, within_s: float = 150) -> Run:
        def look() -> Run | None:
            run = self.run(run_id)
            return run if run.is_over else None

        return poll(look, within_s=within_s, what=f"the end of run {run_id}")

    def enhancement_of(self, run_id: str, *, within_s: float = 150) -> Run:
        """The one run that enhanced what a run crawled, when it has ended."""

        def look() -> Run | None:
            runs = self.runs(webmine__enhances_run=run_id)
            assert len(runs) <= 1
            return runs[0] if runs and runs[0].is_over else None

        return poll(look, within_s=within_s, what=f"the enhancement of run {run_id}")

    def terminate(self, run_id: str) -> None:
        """As the UI's button does."""
        answer = self.ask(_TERMINATE, id=run_id)["terminateRun"]
        assert answer["__typename"] == "TerminateRunSuccess", answer

    def messages(self, run_id: str) -> list[str]:
        """What the run's log says."""
        events = self.ask(_MESSAGES, id=run_id)["logsForRun"]["events"]
        return [event["message"] for event in events]

    def backfill(self, assets: tuple[str, ...], institutions: list[str]) -> str:
        params = {
            "assetSelection": [{"path": [asset]} for asset in assets],
            "partitionNames": institutions,
        }
        launched = self.ask(_BACKFILL, params=params)["launchPartitionBackfill"]
        assert launched["__typename"] == "LaunchBackfillSuccess", launched
        backfill: str = launched["backfillId"]
        return backfill

    def backfill_ended(self, backfill: str, *, within_s: float = 240) -> str:
        def look() -> str | None:
            found = self.ask(_BACKFILL_STATUS, id=backfill)["partitionBackfillOrError"]
            status: str = found["status"]
            return status if status not in {"REQUESTED", "COMPLETING"} else None

        return poll(look, within_s=within_s, what=f"the end of backfill {backfill}")


def _run(row: dict[str, Any]) -> Run:
    return Run(
        row["runId"],
        row["status"],
        row["jobName"],
        row["startTime"],
        row["endTime"],
        {tag["key"]: tag["value"] for tag in row["tags"]},
    )


@contextmanager
def serving(data: Path, environment: dict[str, str] | None = None) -> Iterator[Service]:
    service = Service(data, environment or {})
    try:
        service.start()
        yield service
    finally:
        service.stop()
