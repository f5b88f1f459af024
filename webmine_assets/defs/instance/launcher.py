"""The launcher: Dagster's own, which can also tell the daemon that a run's process has died."""

from dagster import DagsterRun, DefaultRunLauncher
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

from webmine_assets.defs.instance.liveness import has_died, take_leave
from webmine_assets.settings import read_settings

KILLED = "the process of the run was killed, or its machine went down"


class WatchedLauncher(DefaultRunLauncher):
    """Processes on this machine; run monitoring fails those that were killed."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        folder = read_settings().living_runs
        if not has_died(folder, run.run_id):
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        take_leave(folder, run.run_id)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, KILLED)
