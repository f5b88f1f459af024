"""The launcher for several machines: runs wait in a queue until a `webmine worker` takes them."""

from dagster import DagsterRun
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster_celery.launcher import CeleryRunLauncher
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from webmine_assets.defs.instance.launcher import KILLED
from webmine_assets.defs.instance.liveness import has_died
from webmine_assets.defs.instance.shared import FOLDER_TAG, folder_name
from webmine_assets.errors import ServiceError
from webmine_assets.settings import read_settings

_PING_S = 2.0


class QueuedLauncher(CeleryRunLauncher):
    """Celery's launcher, which says when nobody listens and notices that a worker was killed."""

    def launch_run(self, context: LaunchRunContext) -> None:
        tags = {FOLDER_TAG: folder_name(read_settings().dagster_home)}
        self._instance.add_run_tags(context.dagster_run.run_id, tags)
        try:
            super().launch_run(context)
            # The first answer is enough: all of them would take the whole time for each run.
            listeners = self.celery.control.ping(timeout=_PING_S, limit=1)
        except (OperationalError, RedisError) as problem:
            raise ServiceError(
                f"the queue of WEBMINE_BROKER ({self._place}) cannot be reached: {problem}"
            ) from problem
        if not listeners:
            self._instance.report_engine_event(
                f"No worker listens at {self._place}. The run waits until one is started with "
                "`webmine worker`.",
                context.dagster_run,
                cls=type(self),
            )

    @property
    def _place(self) -> str:
        """Where the queue is, without its password."""
        return str(self.celery.connection().as_uri())

    def terminate(self, run_id: str) -> bool:
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished:
            return False
        # Without this the run would take its end for an accident, and be started again.
        self._instance.report_run_canceling(run)
        return bool(super().terminate(run_id))

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        # Redis is not asked: to it a run has failed whose worker was killed, though the run's own
        # process may live on, and write the pages that a second one would begin with.
        if has_died(read_settings().taken_runs, run.run_id):
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, KILLED)
        return CheckRunHealthResult(WorkerStatus.RUNNING)

    def get_run_worker_debug_info(
        self, run: DagsterRun, include_container_logs: bool | None = True
    ) -> None:
        """Nothing: Celery keeps no results."""
