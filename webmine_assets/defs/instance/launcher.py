"""The launcher: Dagster's own, which can also tell the daemon that a run's process has died."""

from dagster import DagsterRun, DefaultRunLauncher
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

from webmine_assets.defs.instance.liveness import has_died
from webmine_assets.settings import read_settings


class WatchedLauncher(DefaultRunLauncher):
    """Processes on this machine; run monitoring fails those that were killed."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        return examine(run)


def examine(run: DagsterRun) -> CheckRunHealthResult:
    """Whether the run's process lives; one that has died is told once."""
    folder = read_settings().living_runs
    if not has_died(folder, run.run_id):
        return CheckRunHealthResult(WorkerStatus.RUNNING)
    (folder / run.run_id).unlink(missing_ok=True)
    return CheckRunHealthResult(
        WorkerStatus.NOT_FOUND, "the process of the run was killed, or its machine went down"
    )
