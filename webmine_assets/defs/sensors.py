"""Sensors: partitions follow the institution files, enhancement follows each crawl."""

import json

from dagster import (
    AddDynamicPartitionsRequest,
    DagsterRunStatus,
    DefaultSensorStatus,
    DeleteDynamicPartitionsRequest,
    RunRequest,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    sensor,
)

from webmine_assets.defs.enhancement import Cursor, Fate, NewPages, fate_of, new_pages
from webmine_assets.defs.instance.launcher import KILLED
from webmine_assets.defs.instance.liveness import killed, take_leave
from webmine_assets.defs.jobs import FRESH, check_freshness, enhance_metadata
from webmine_assets.defs.partitions import INSTITUTIONS, institutions_partitions
from webmine_assets.defs.resources import Corpus
from webmine_assets.errors import ConfigurationError, UnknownInstitutionError
from webmine_assets.institutions import Institution, institution_files
from webmine_assets.stages.quality import CHECKS, judge


@sensor(
    name="institution_partitions",
    minimum_interval_seconds=10,
    default_status=DefaultSensorStatus.RUNNING,
)
def institution_partitions(
    context: SensorEvaluationContext, corpus: Corpus
) -> SensorResult | SkipReason:
    """Keeps partitions equal to the institution files. A file that goes retires its partition; the
    data stays in the lake. A file with mistakes keeps its partition: it is there, only broken."""
    folder = corpus.settings.institutions
    known = set(context.instance.get_dynamic_partitions(INSTITUTIONS))
    if known and not folder.is_dir():
        # A disk that is away for a moment: with their partitions backfills would end as well.
        return SkipReason(f"{folder} is not there: {len(known)} partitions stay as they are")
    wanted = {path.stem for path in institution_files(folder)}
    requests: list[AddDynamicPartitionsRequest | DeleteDynamicPartitionsRequest] = []
    if new := sorted(wanted - known):
        requests.append(institutions_partitions.build_add_request(new))
    if gone := sorted(known - wanted):
        requests.append(institutions_partitions.build_delete_request(gone))
    if not requests:
        return SkipReason(f"{len(known)} partitions, as many as institution files")
    return SensorResult(dynamic_partitions_requests=requests)


@sensor(
    name="enhance_new_snapshots",
    job=enhance_metadata,
    minimum_interval_seconds=5,
    default_status=DefaultSensorStatus.RUNNING,
)
def enhance_new_snapshots(
    context: SensorEvaluationContext, corpus: Corpus
) -> SensorResult | SkipReason:
    """Starts one enhancement run for every crawl of a partition, also for those from before the
    daemon ran. It waits for the crawl's run to end, and leaves pages alone that a blocking check
    refused. AUTO_ENHANCE_METADATA=false switches it off; enhance_metadata does it by hand."""
    cursor = Cursor.parse(context.cursor)
    pages = [*cursor.waiting, *new_pages(context.instance, after=cursor.after)]
    if not pages:
        return SkipReason("no new page_snapshots")
    if not corpus.settings.auto_enhance:
        reason = f"AUTO_ENHANCE_METADATA is false: {len(pages)} crawls left as they are"
        return SensorResult(skip_reason=reason, cursor=str(cursor.past(pages, waiting=[])))
    fates = {page: fate_of(context.instance, page) for page in pages}
    for page, fate in fates.items():
        context.log.info(f"{page.institution}, run {page.run_id}: {fate.value}")
    return SensorResult(
        run_requests=[_request(page) for page in pages if fates[page] is Fate.ENHANCE],
        cursor=str(cursor.past(pages, [page for page in pages if fates[page] is Fate.WAIT])),
        skip_reason=None
        if Fate.ENHANCE in fates.values()
        else "; ".join(f"{page.institution}: {fate.value}" for page, fate in fates.items()),
    )


def _request(page: NewPages) -> RunRequest:
    return RunRequest(
        # The key makes it exactly one run per crawl, whatever happens to the cursor.
        run_key=f"{page.institution}:{page.storage_id}:{page.run_id}",
        partition_key=page.institution,
        tags={"webmine/enhances_run": page.run_id},
    )


@sensor(
    name="freshness_of_institutions",
    job=check_freshness,
    minimum_interval_seconds=3600,
    default_status=DefaultSensorStatus.RUNNING,
)
def freshness_of_institutions(context: SensorEvaluationContext, corpus: Corpus) -> SensorResult:
    """Looks at the age of every institution's pages each hour, also of those that no crawl comes
    to, and executes the check `fresh` of those whose answer changed."""
    (check,) = (check for check in CHECKS if check.name == FRESH)
    known: dict[str, bool] = json.loads(context.cursor or "{}")
    now: dict[str, bool] = {}
    for key in context.instance.get_dynamic_partitions(INSTITUTIONS):
        if corpus.lake.has(check.table, key) and (institution := _readable(corpus, key)):
            found = judge([check], institution, lake=corpus.lake, settings=corpus.settings)
            now[key] = found[check.name].passed
    changed = [key for key, passed in now.items() if known.get(key, True) != passed]
    late = ", ".join(sorted(key for key, passed in now.items() if not passed))
    return SensorResult(
        # A run for it: Dagster takes only one result of a partitioned check without a run.
        run_requests=[RunRequest(partition_key=key) for key in changed],
        skip_reason=None if changed else f"{len(now)} looked at; not fresh: {late or 'none'}",
        cursor=json.dumps(now),
    )


def _readable(corpus: Corpus, key: str) -> Institution | None:
    """The institution of a partition; None if its file is gone or has mistakes, told elsewhere."""
    try:
        return corpus.institution(key)
    except (ConfigurationError, UnknownInstitutionError):
        return None


@sensor(
    name="lost_runs",
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.RUNNING,
)
def lost_runs(context: SensorEvaluationContext, corpus: Corpus) -> SkipReason:
    """Fails runs whose worker was killed before they began, so that they are started again. Of
    those that had begun Dagster's own monitoring knows; to it one that has not may be waiting."""
    folder = corpus.settings.taken_runs
    failed = []
    for run_id in killed(folder):
        run = context.instance.get_run_by_id(run_id)
        if run is not None and run.status == DagsterRunStatus.STARTING:
            context.instance.report_run_failed(run, f"Before the run began, {KILLED}.")
            failed.append(run_id)
        if run is None or run.is_finished or run_id in failed:
            take_leave(folder, run_id)
    return SkipReason(f"failed: {', '.join(failed)}" if failed else "no run was lost")


SENSORS = [institution_partitions, enhance_new_snapshots, freshness_of_institutions, lost_runs]
