"""Runs of the chain in this process, on the instance that the UI shows."""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dagster import DagsterEvent, ExecuteInProcessResult

from webmine_assets.defs.enhancement import is_refusal
from webmine_assets.defs.instance import open_quiet_instance, using_the_database
from webmine_assets.defs.partitions import register_institutions
from webmine_assets.defs.project import build_definitions
from webmine_assets.progress import Progress
from webmine_assets.settings import Settings

# Who started this process starts it again, not the daemon.
_OURS = {"dagster/max_retries": "0"}
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How one institution's run ended; `error` is for a person to read."""

    institution: str
    run_id: str
    error: str | None


def run_chain(
    settings: Settings,
    institutions: list[str],
    *,
    progress: Progress,
    job: str = "whole_chain",
    crawl_config: dict[str, object] | None = None,
) -> Iterator[RunOutcome]:
    """Run a job for each institution in turn; a failure of one does not stop the others."""
    logging.getLogger("dagster").setLevel(logging.CRITICAL)
    with open_quiet_instance(settings) as instance, using_the_database(settings):
        register_institutions(instance, institutions)
        chain = build_definitions(progress).resolve_job_def(job)
        ops = {"crawl_pages": {"config": crawl_config}} if crawl_config else {}
        for institution in institutions:
            result = chain.execute_in_process(
                instance=instance,
                partition_key=institution,
                tags=_OURS,
                run_config=_QUIET | ({"ops": ops} if ops else {}),
                raise_on_error=False,
            )
            yield RunOutcome(institution, result.run_id, _first_error(result))


def _first_error(result: ExecuteInProcessResult) -> str | None:
    if result.success:
        return None
    failed_checks = [
        f"check {check.check_name}: {check.description}"
        for check in result.get_asset_check_evaluations()
        if is_refusal(check)
    ]
    return "\n".join(failed_checks) or _first_failure(result.all_events)


def _first_failure(events: Sequence[DagsterEvent]) -> str:
    for event in events:
        if event.is_step_failure:
            return f"{event.step_key}: {_cause(event.step_failure_data.error)}"
        if event.is_run_failure and event.job_failure_data.error:
            # Before the first step: what steps are given could not be made.
            return _cause(event.job_failure_data.error)
    return "the run failed; see it in the UI (webmine ui)"


def _cause(error: Any) -> str:
    """The innermost message. Our own errors are written for people: the class in front is not."""
    while error and error.cause:
        error = error.cause
    message = error.message.strip() if error else "no reason was given"
    return re.sub(r"^webmine_assets\.errors\.\w+: ", "", message)
