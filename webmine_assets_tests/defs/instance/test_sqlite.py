"""The embedded storage of runs in this process: Dagster's own reads the same, file for file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterInstance,
    OpExecutionContext,
    job,
    op,
)

from webmine_assets.defs.instance import open_quiet_instance
from webmine_assets.defs.instance.sqlite import Engines, EventLog, RunStorage
from webmine_assets.settings import Settings, read_settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAGSTER_HOME", "")
    return read_settings({"WEBMINE_DATA": str(tmp_path)})


@pytest.fixture
def instance(settings: Settings) -> Iterator[DagsterInstance]:
    with open_quiet_instance(settings) as instance:
        yield instance


@op
def tell(context: OpExecutionContext) -> None:
    context.log_event(AssetMaterialization("page_snapshots", partition="u1"))


@job
def telling() -> None:
    tell()


def history(instance: DagsterInstance, run_id: str) -> list[str]:
    return [entry.message for entry in instance.all_logs(run_id)]


def materialised(instance: DagsterInstance) -> list[str]:
    found = instance.fetch_materializations(AssetKey("page_snapshots"), limit=10)
    return [record.run_id for record in found.records]


def test_the_instance_keeps_its_engines(instance: DagsterInstance) -> None:
    assert isinstance(instance.event_log_storage, EventLog)
    assert isinstance(instance.run_storage, RunStorage)


@pytest.mark.slow
def test_dagster_s_own_storage_reads_every_run_that_was_written(
    instance: DagsterInstance, settings: Settings
) -> None:
    # More runs than files are kept open, and all but the first on a copy of an empty file.
    runs = [telling.execute_in_process(instance=instance).run_id for _ in range(6)]
    told = [history(instance, run_id) for run_id in runs]
    with DagsterInstance.local_temp(str(settings.dagster_home)) as plain:
        assert not isinstance(plain.event_log_storage, EventLog)
        assert [history(plain, run_id) for run_id in runs] == told
        assert materialised(plain) == materialised(instance) == runs[::-1]
        assert {run.run_id for run in plain.get_runs()} == set(runs)


@pytest.mark.slow
def test_it_goes_on_where_dagster_s_own_storage_was(settings: Settings) -> None:
    settings.dagster_home.mkdir(parents=True)
    with DagsterInstance.local_temp(str(settings.dagster_home)) as plain:
        before = telling.execute_in_process(instance=plain).run_id
    with open_quiet_instance(settings) as instance:
        after = telling.execute_in_process(instance=instance).run_id
        assert history(instance, before)
        assert materialised(instance) == [after, before]


def test_a_copied_file_is_a_whole_one_and_nothing_is_left_aside(
    instance: DagsterInstance, settings: Settings
) -> None:
    for _ in range(2):
        telling.execute_in_process(instance=instance)
    folder = settings.dagster_home / "history" / "runs"
    assert list(folder.glob("*.new")) == []
    assert len([path for path in folder.glob("*.db") if path.stem != "index"]) == 2


def test_only_a_few_files_stay_open(tmp_path: Path) -> None:
    engines = Engines()
    first = engines.of(f"sqlite:///{tmp_path}/0.db")
    for number in range(1, 9):
        engines.of(f"sqlite:///{tmp_path}/{number}.db")
    assert engines.of(f"sqlite:///{tmp_path}/0.db") is not first
    assert engines.of(f"sqlite:///{tmp_path}/8.db") is engines.of(f"sqlite:///{tmp_path}/8.db")
    engines.close()


def test_a_table_that_is_not_there_is_asked_for_again(instance: DagsterInstance) -> None:
    log = instance.event_log_storage
    assert isinstance(log, EventLog)
    assert log.has_table("dynamic_partitions")
    assert not log.has_table("no_such_table")
    assert not log.has_table("no_such_table")
