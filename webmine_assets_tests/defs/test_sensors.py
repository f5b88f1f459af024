"""The sensors on a real instance: exactly one enhancement for every crawl that may be enhanced."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import (
    AssetCheckEvaluation,
    AssetCheckSeverity,
    AssetKey,
    AssetMaterialization,
    DagsterEvent,
    DagsterEventType,
    DagsterInstance,
    DagsterRunStatus,
    OpExecutionContext,
    SensorResult,
    SkipReason,
    build_sensor_context,
    job,
    op,
)

from webmine_assets.defs.enhancement import Cursor, NewPages
from webmine_assets.defs.instance.liveness import held
from webmine_assets.defs.jobs import ENHANCES
from webmine_assets.defs.partitions import INSTITUTIONS, register_institutions
from webmine_assets.defs.resources import Corpus
from webmine_assets.defs.sensors import (
    enhance_new_snapshots,
    freshness_of_institutions,
    institution_partitions,
    lost_runs,
)
from webmine_assets.settings import read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import snapshot


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DagsterInstance]:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    with DagsterInstance.local_temp(str(tmp_path)) as instance:
        register_institutions(instance, ["u1", "u2"])
        yield instance


def crawl(
    instance: DagsterInstance,
    institution: str,
    *,
    refused: bool = False,
    severity: AssetCheckSeverity = AssetCheckSeverity.ERROR,
    tags: dict[str, str] | None = None,
) -> str:
    """A run that says it published pages, and how its blocking check went."""

    @op
    def publish(context: OpExecutionContext) -> None:
        context.log_event(AssetMaterialization("page_snapshots", partition=institution))
        context.log_event(
            AssetCheckEvaluation(
                asset_key=AssetKey("page_snapshots"),
                check_name="page_volume",
                passed=not refused,
                severity=severity,
                blocking=True,
                partition=institution,
            )
        )

    @job
    def pretend() -> None:
        publish()

    return pretend.execute_in_process(instance=instance, tags=tags or {}).run_id


def tick(instance: DagsterInstance, cursor: str | None = None) -> tuple[list[str], str | None]:
    """The partitions that one tick asks to enhance, and the next cursor."""
    context = build_sensor_context(instance=instance, cursor=cursor)
    result = enhance_new_snapshots(context, corpus=Corpus())
    if isinstance(result, SkipReason):
        return [], cursor
    assert isinstance(result, SensorResult)
    return [request.partition_key or "" for request in result.run_requests or []], result.cursor


@pytest.mark.slow
def test_every_crawl_from_before_the_first_tick_is_enhanced_once(
    instance: DagsterInstance,
) -> None:
    for institution in ("u1", "u2", "u1"):
        crawl(instance, institution)
    asked, cursor = tick(instance)
    assert asked == ["u1", "u2", "u1"]
    assert tick(instance, cursor) == ([], cursor)
    crawl(instance, "u2")
    assert tick(instance, cursor)[0] == ["u2"]


@pytest.mark.slow
def test_the_run_key_is_the_crawl_so_that_a_lost_cursor_starts_nothing_twice(
    instance: DagsterInstance,
) -> None:
    run_id = crawl(instance, "u1")
    first, again = (
        enhance_new_snapshots(build_sensor_context(instance=instance), corpus=Corpus())
        for _ in range(2)
    )
    assert isinstance(first, SensorResult)
    assert isinstance(again, SensorResult)
    assert first.run_requests == again.run_requests
    assert first.run_requests
    assert run_id in (first.run_requests[0].run_key or "")
    assert first.run_requests[0].tags["webmine/enhances_run"] == run_id


@pytest.mark.slow
def test_more_crawls_than_one_tick_takes_are_all_taken_in_time(instance: DagsterInstance) -> None:
    pages = AssetMaterialization("page_snapshots", partition="u1")
    for _ in range(60):
        instance.report_runless_asset_event(pages)
    first, cursor = tick(instance)
    second, cursor = tick(instance, cursor)
    assert (len(first), len(second)) == (50, 10)
    assert tick(instance, cursor)[0] == []


@pytest.mark.slow
def test_pages_that_a_blocking_check_refused_are_left_alone(instance: DagsterInstance) -> None:
    crawl(instance, "u1", refused=True)
    crawl(instance, "u2")
    asked, cursor = tick(instance)
    assert asked == ["u2"]
    assert tick(instance, cursor)[0] == []


@pytest.mark.slow
def test_a_run_that_enhances_itself_is_passed_over(instance: DagsterInstance) -> None:
    crawl(instance, "u1", tags={ENHANCES: "true"})
    assert tick(instance)[0] == []


@pytest.mark.slow
def test_a_crawl_whose_run_still_goes_on_waits_without_holding_up_others(
    instance: DagsterInstance,
) -> None:
    slow = crawl(instance, "u1")
    set_status(instance, slow, DagsterEventType.RUN_START)
    crawl(instance, "u2")
    asked, cursor = tick(instance)
    assert asked == ["u2"]
    assert [page.institution for page in Cursor.parse(cursor).waiting] == ["u1"]
    set_status(instance, slow, DagsterEventType.RUN_FAILURE)
    assert tick(instance, cursor)[0] == ["u1"]


def set_status(instance: DagsterInstance, run_id: str, event: DagsterEventType) -> None:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    instance.report_dagster_event(
        DagsterEvent(event_type_value=event.value, job_name=run.job_name), run_id
    )
    after = instance.get_run_by_id(run_id)
    assert after is not None
    started = event is DagsterEventType.RUN_START
    assert after.status is (DagsterRunStatus.STARTED if started else DagsterRunStatus.FAILURE)


@pytest.mark.slow
def test_a_retired_institution_is_passed_over(instance: DagsterInstance) -> None:
    crawl(instance, "u1")
    instance.delete_dynamic_partition(INSTITUTIONS, "u1")
    asked, cursor = tick(instance)
    assert asked == []
    assert tick(instance, cursor)[0] == []


@pytest.mark.slow
def test_the_switch_turns_enhancement_off_for_good(
    instance: DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(instance, "u1")
    monkeypatch.setenv("AUTO_ENHANCE_METADATA", "false")
    asked, cursor = tick(instance)
    assert asked == []
    monkeypatch.delenv("AUTO_ENHANCE_METADATA")
    assert tick(instance, cursor)[0] == []


def test_a_cursor_survives_being_written_and_read() -> None:
    cursor = Cursor(7, (NewPages(5, "r", "u1"),))
    assert Cursor.parse(str(cursor)) == cursor
    assert Cursor.parse(None) == Cursor()


def test_partitions_follow_the_files(instance: DagsterInstance, tmp_path: Path) -> None:
    folder = tmp_path / "institutions"
    folder.mkdir()
    (folder / "u2.yaml").write_text("not: valid")
    (folder / "u3.yaml").write_text("institution_id: u3")
    context = build_sensor_context(instance=instance)
    result = institution_partitions(context, corpus=Corpus())
    assert isinstance(result, SensorResult)
    changes = {
        type(request).__name__: list(request.partition_keys)
        for request in result.dynamic_partitions_requests or []
    }
    assert changes == {
        "AddDynamicPartitionsRequest": ["u3"],
        "DeleteDynamicPartitionsRequest": ["u1"],
    }


def test_partitions_that_equal_the_files_stay(instance: DagsterInstance, tmp_path: Path) -> None:
    folder = tmp_path / "institutions"
    folder.mkdir()
    for name in ("u1", "u2"):
        (folder / f"{name}.yaml").write_text("{}")
    result = institution_partitions(build_sensor_context(instance=instance), corpus=Corpus())
    assert isinstance(result, SkipReason)


def test_partitions_outlive_a_folder_that_is_away(
    instance: DagsterInstance, tmp_path: Path
) -> None:
    result = institution_partitions(build_sensor_context(instance=instance), corpus=Corpus())
    assert isinstance(result, SkipReason)
    assert "institutions is not there: 2 partitions stay" in str(result.skip_message)


def look(instance: DagsterInstance, cursor: str | None = None) -> tuple[list[str], str | None]:
    """The partitions whose freshness is to be checked after one look at all, and the cursor."""
    context = build_sensor_context(instance=instance, cursor=cursor)
    result = freshness_of_institutions(context, corpus=Corpus())
    assert isinstance(result, SensorResult)
    return [request.partition_key or "" for request in result.run_requests or []], result.cursor


@pytest.mark.slow
def test_pages_that_no_crawl_comes_to_are_checked_when_they_became_too_old(
    instance: DagsterInstance, tmp_path: Path
) -> None:
    folder, lake = tmp_path / "institutions", Lake(str(tmp_path / "lake"))
    folder.mkdir()
    now = datetime.now(UTC)
    for name, days in (("u1", 40), ("u2", 1)):
        (folder / f"{name}.yaml").write_text(
            f"institution_id: {name}\nseed_urls: ['https://{name}.edu/']\n"
            f"allowed_domains: [{name}.edu]\nttl_days: 7\n"
        )
        at = now - timedelta(days=days)
        lake.write("page_snapshots", name, [snapshot(institution=name, fetched_at=at)])
    instance.add_dynamic_partitions(INSTITUTIONS, ["without-file"])
    asked, cursor = look(instance)
    assert asked == ["u1"]
    assert look(instance, cursor)[0] == []
    lake.write("page_snapshots", "u1", [snapshot(fetched_at=now)])
    assert look(instance, cursor)[0] == ["u1"]


@pytest.mark.slow
def test_a_warning_of_a_blocking_check_does_not_hold_up_enhancement(
    instance: DagsterInstance,
) -> None:
    crawl(instance, "u1", refused=True, severity=AssetCheckSeverity.WARN)
    assert tick(instance)[0] == ["u1"]


@pytest.mark.parametrize(
    ("status", "after", "is_forgotten"),
    [
        (DagsterRunStatus.STARTING, DagsterRunStatus.FAILURE, True),
        # Dagster's monitoring asks the launcher about it.
        (DagsterRunStatus.STARTED, DagsterRunStatus.STARTED, False),
        (DagsterRunStatus.SUCCESS, DagsterRunStatus.SUCCESS, True),
    ],
)
def test_a_run_whose_worker_was_killed_before_it_began_is_failed(
    instance: DagsterInstance,
    status: DagsterRunStatus,
    after: DagsterRunStatus,
    is_forgotten: bool,
) -> None:
    folder = read_settings().taken_runs
    run = instance.create_run_for_job(job_def=_nothing, status=status)
    with held(folder, run.run_id):
        lost_runs(build_sensor_context(instance=instance), corpus=Corpus())
        assert _status(instance, run.run_id) == status
    lost_runs(build_sensor_context(instance=instance), corpus=Corpus())
    assert _status(instance, run.run_id) == after
    assert (folder / run.run_id).exists() is not is_forgotten


@job
def _nothing() -> None:
    pass


def _status(instance: DagsterInstance, run_id: str) -> DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status
