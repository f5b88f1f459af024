"""The Celery application of `webmine worker`: it executes the runs that wait in the queue."""

import json
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.exceptions import SecurityWarning
from celery.worker import state
from dagster_celery.config import TASK_EXECUTE_JOB_NAME
from dagster_celery.make_app import make_app

from webmine_assets.settings import read_settings

QUEUE = "dagster"
"""Where dagster-celery puts runs that name no queue of their own."""

_broker = read_settings().broker
app = make_app(  # type: ignore[no-untyped-call]
    {
        "broker": _broker,
        "backend": _broker,
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


@app.task(name=TASK_EXECUTE_JOB_NAME, track_started=True)  # type: ignore[untyped-decorator]
def execute_run(execute_job_args_packed: dict[str, Any]) -> int:
    """Execute a run in a process of its own; its exit code.

    dagster-celery's task does it in Celery's process, a daemon in the sense of Python's
    multiprocessing, which may not start the children in which pages are parsed.
    """
    # The instance is the one that this machine's settings name, not that of who launched the run.
    arguments = json.dumps(execute_job_args_packed | {"instance_ref": None})
    command = [sys.executable, "-m", "dagster", "api", "execute_run", arguments]
    # In a session of its own, as Ctrl-C in a terminal is meant for the worker, which waits for it.
    process = subprocess.Popen(command, start_new_session=True)  # noqa: S603
    with process, _passing_on_sigterm(process):
        return process.wait()


@contextmanager
def _passing_on_sigterm(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Terminated in the UI, or by a worker that may not wait, a run ends in good order."""
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
