"""The Celery application of `webmine worker`: it executes the runs that wait in the queue."""

import json
import signal
import socket
import subprocess
import sys
import warnings
from typing import Any, BinaryIO

from celery.exceptions import SecurityWarning
from celery.worker import state
from dagster import DagsterInstance, DagsterRunStatus
from dagster_celery.config import TASK_EXECUTE_JOB_NAME
from dagster_celery.make_app import make_app

from webmine_assets.defs.instance.liveness import held, take_leave
from webmine_assets.defs.instance.shared import FOLDER_TAG, folder_name
from webmine_assets.settings import Settings, read_settings

QUEUE = "dagster"
"""Where dagster-celery puts runs that name no queue of their own."""

# As Dagster packs the arguments of a run, for the sake of runs from before it renamed pipelines.
_RUN_ID = "pipeline_run_id"

app = make_app(  # type: ignore[no-untyped-call]
    {
        "broker": read_settings().broker,
        # As in celery.yaml.
        "backend": "disabled://",
        "config_source": {
            "task_default_queue": QUEUE,
            # A run that a busy worker has taken in advance would wait there while others are idle.
            "worker_prefetch_multiplier": 1,
            "worker_disable_prefetch": True,
            "broker_connection_retry_on_startup": True,
            "worker_log_format": "%(asctime)s %(message)s",
        },
    }
)


def work(*, name: str, runs: int) -> int:
    """Execute runs until Ctrl-C; the exit code."""
    # Of being root, as in a container. The danger it tells of is pickle, and only JSON is accepted.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = app.Worker(concurrency=runs, hostname=name, loglevel="INFO", quiet=True)
    worker.start()
    # To Celery every Ctrl-C is a failure.
    has_waited = state.should_stop is not None and not state.should_terminate
    return 0 if has_waited else 1


@app.task(name=TASK_EXECUTE_JOB_NAME)  # type: ignore[untyped-decorator]
def execute_run(execute_job_args_packed: dict[str, Any]) -> int:
    """Execute a run in a process of its own; its exit code.

    dagster-celery's task does it in Celery's process, a daemon in the sense of Python's
    multiprocessing, which may not start the children in which pages are parsed.
    """
    run_id: str = execute_job_args_packed[_RUN_ID]
    # The instance is the one that this machine's settings name, not that of who launched the run.
    arguments = json.dumps(execute_job_args_packed | {"instance_ref": None})
    command = [sys.executable, "-m", "dagster", "api", "execute_run", arguments]
    settings = read_settings()
    if _is_of_another_folder(run_id, settings):
        _close(
            run_id,
            f"WEBMINE_DATA of the worker at {socket.gethostname()} ({settings.data}) is not the "
            "folder of the machine that launched the run: all machines must share one",
        )
        return 1
    folder = settings.taken_runs
    with held(folder, run_id) as lock:
        code = _execute(command, lock)
        if code:
            # One that was killed, or could not begin, has not told how its run ended.
            _close(
                run_id, f"The run's process ended ({_reason(code)}); its worker's output says more."
            )
        # Not where something failed above: then the daemon finds that we died.
        take_leave(folder, run_id)
    return code


def _execute(command: list[str], lock: BinaryIO) -> int:
    """The exit code of a process that keeps the lock, should we be killed.

    Terminated in the UI, or by a worker that may not wait, it ends in good order.
    """
    process: subprocess.Popen[bytes] | None = None
    is_terminated = False

    def terminate(*_: object) -> None:
        nonlocal is_terminated
        is_terminated = True
        if process is not None:
            process.terminate()

    # Before the process starts, which would otherwise live on without us.
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        # In a session of its own, as Ctrl-C in a terminal is meant for the worker, which waits.
        process = subprocess.Popen(  # noqa: S603  # our own interpreter
            command, start_new_session=True, pass_fds=[lock.fileno()]
        )
        if is_terminated:
            process.terminate()
        return process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_of_another_folder(run_id: str, settings: Settings) -> bool:
    with DagsterInstance.get() as instance:
        run = instance.get_run_by_id(run_id)
    launched = run and run.tags.get(FOLDER_TAG)
    return bool(launched) and launched != folder_name(settings.dagster_home)


def _close(run_id: str, message: str) -> None:
    """Tell the end of a run that has not told it itself."""
    with DagsterInstance.get() as instance:
        run = instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return
        if run.status == DagsterRunStatus.CANCELING:
            instance.report_run_canceled(run, message)
        else:
            instance.report_run_failed(run, message)


def _reason(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
