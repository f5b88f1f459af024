"""Everything that Dagster knows of this project, put together."""

from dagster import Definitions, ExecutorDefinition, in_process_executor

from webmine_assets.defs.assets import ASSETS
from webmine_assets.defs.checks import ASSET_CHECKS
from webmine_assets.defs.imports import import_archive
from webmine_assets.defs.jobs import ASSET_JOBS
from webmine_assets.defs.resources import Corpus, Display, living_display
from webmine_assets.defs.schedules import SCHEDULES
from webmine_assets.defs.sensors import SENSORS
from webmine_assets.progress import Progress


def build_definitions(
    progress: Progress | None = None, *, executor: ExecutorDefinition = in_process_executor
) -> Definitions:
    """All definitions; `progress` is where a run in this process shows how far it is.

    A run is one process by default: its stages use worker processes of their own, and a process
    for every step would cost 1.5 s of imports each.
    """
    return Definitions(
        assets=ASSETS,
        asset_checks=ASSET_CHECKS,
        jobs=[*ASSET_JOBS, import_archive],
        sensors=SENSORS,
        schedules=SCHEDULES,
        resources={"corpus": Corpus(), "display": living_display(Display(progress))},
        executor=executor,
    )
