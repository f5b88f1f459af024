"""The launcher for several machines: runs wait in a queue until a `webmine worker` takes them."""

from dagster import DagsterRun
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

from webmine_assets.defs.instance.launcher import examine

_PING_S = 2.0


class QueuedLauncher(CeleryRunLauncher):
    """Celery's launcher, which says when nobody listens and notices that a worker was killed."""

    def launch_run(self, context: LaunchRunContext) -> None:
        super().launch_run(context)
        if not self.celery.control.ping(timeout=_PING_S):
            self._instance.report_engine_event(
                f"No worker listens at {self.celery.connection().as_uri()}. The run waits until "
                "one is started with `webmine worker`.",
                context.dagster_run,
                cls=type(self),
            )

    def terminate(self, run_id: str) -> bool:
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        # Without this the run would take its end for an accident, and be started again.
        self._instance.report_run_canceling(run)
        return bool(super().terminate(run_id))

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        found = examine(run)
        task_id = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        if found.status == WorkerStatus.RUNNING and task_id:
            # A process that dies before its first step has not said that it lived.
            result = self.celery.AsyncResult(task_id)
            if result.state == "FAILURE":
                return CheckRunHealthResult(WorkerStatus.FAILED, str(result.result))
        return found
