"""The instance files: which one is used, what it says, and that its copies are copies."""

from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance
from ruamel.yaml import YAML

from webmine_assets.defs.instance import open_instance, open_quiet_instance, prepare_home
from webmine_assets.defs.instance.coordinator import CrawlQueue
from webmine_assets.defs.instance.launcher import WatchedLauncher
from webmine_assets.errors import ServiceError, StorageError
from webmine_assets.settings import Settings, read_settings

ROOT = Path(__file__).parents[3]
PACKAGED = ROOT / "webmine_assets" / "defs" / "instance"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    # Set and then removed, so that what the code under test sets is taken back, too.
    monkeypatch.setenv("DAGSTER_HOME", "")
    return read_settings({"WEBMINE_DATA": str(tmp_path)})


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(path.read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("copy", "original"),
    [
        ("dagster.yaml", "embedded.yaml"),
        ("deploy/postgres/dagster.yaml", "postgres.yaml"),
        ("deploy/celery/dagster.yaml", "celery.yaml"),
    ],
)
def test_the_files_for_people_are_those_of_the_package(copy: str, original: str) -> None:
    assert not (ROOT / copy).is_symlink()
    assert (ROOT / copy).read_bytes() == (PACKAGED / original).read_bytes()


def test_the_two_instances_differ_in_their_storage_only() -> None:
    embedded, postgres = read(PACKAGED / "embedded.yaml"), read(PACKAGED / "postgres.yaml")
    assert postgres.pop("storage") == {"postgres": {"postgres_url": {"env": "WEBMINE_PG_URL"}}}
    assert embedded == postgres


def test_with_a_queue_only_what_concerns_the_queue_differs() -> None:
    postgres, celery = read(PACKAGED / "postgres.yaml"), read(PACKAGED / "celery.yaml")
    url = {"env": "WEBMINE_BROKER"}
    launcher = celery.pop("run_launcher")
    assert (launcher["class"], launcher["config"]) == (
        "QueuedLauncher",
        {"broker": url, "backend": "disabled://"},
    )
    del postgres["run_launcher"]
    for instance in (postgres, celery):
        del instance["run_coordinator"]["config"]["max_concurrent_runs"]
        del instance["run_monitoring"]["start_timeout_seconds"]
    assert celery == postgres


def test_the_instance_is_as_its_file_says(settings: Settings) -> None:
    with open_instance(settings) as instance:
        assert isinstance(instance.run_coordinator, CrawlQueue)
        assert isinstance(instance.run_launcher, WatchedLauncher)
        assert instance.run_monitoring_enabled
        assert instance.run_retries_enabled
        assert instance.run_retries_max_retries == 2
        assert not instance.run_retries_retry_on_asset_or_op_failure
        assert instance.managed_python_loggers == ["webmine_assets"]
        assert not instance.telemetry_enabled


def test_a_database_in_the_settings_chooses_the_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    url = "postgresql://nobody@localhost/none"
    home = prepare_home(read_settings({"WEBMINE_DATA": str(tmp_path), "WEBMINE_PG_URL": url}))
    assert "postgres" in read(home / "dagster.yaml")["storage"]


def test_a_queue_in_the_settings_chooses_its_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    variables = {
        "WEBMINE_DATA": str(tmp_path),
        "WEBMINE_PG_URL": "postgresql://nobody@localhost/none",
        "WEBMINE_BROKER": "redis://localhost:6379/0",
    }
    home = prepare_home(read_settings(variables))
    assert read(home / "dagster.yaml")["run_launcher"]["class"] == "QueuedLauncher"


@pytest.mark.slow
def test_a_database_that_is_away_is_one_message_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", "")
    url = "postgresql://me:secret@127.0.0.1:1/none"
    monkeypatch.setenv("WEBMINE_PG_URL", url)
    settings = read_settings({"WEBMINE_DATA": str(tmp_path), "WEBMINE_PG_URL": url})
    with pytest.raises(ServiceError, match=r"WEBMINE_PG_URL.*refused") as refused:
        open_instance(settings)
    assert "secret" not in str(refused.value)


def test_a_home_of_the_user_s_own_is_left_as_it_is(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "dagster.yaml").write_text("telemetry: {enabled: false}\n", "utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(own))
    assert prepare_home(settings) == own
    with open_quiet_instance(settings) as instance:
        assert Path(instance.root_directory) == own
    assert (own / "dagster.yaml").read_text("utf-8") == "telemetry: {enabled: false}\n"


def test_the_file_is_never_seen_half_written(settings: Settings) -> None:
    file = prepare_home(settings) / "dagster.yaml"
    before = file.stat()
    prepare_home(settings)
    assert file.stat() == before
    with file.open("rb") as seen:
        file.unlink()
        file.write_text("# of other settings\n", "utf-8")
        other = file.stat().st_ino
        prepare_home(settings)
        assert seen.read() == (PACKAGED / "embedded.yaml").read_bytes()
    assert file.stat().st_ino != other
    assert [path.name for path in settings.dagster_home.iterdir()] == ["dagster.yaml"]


def test_a_home_that_cannot_be_made_is_named(settings: Settings) -> None:
    settings.data.mkdir(exist_ok=True)
    settings.dagster_home.write_text("a file in its place")
    with pytest.raises(StorageError, match="WEBMINE_DATA"):
        prepare_home(settings)


def test_what_the_quiet_instance_wrote_the_shared_one_shows(settings: Settings) -> None:
    with open_quiet_instance(settings) as quiet:
        quiet.add_dynamic_partitions("institutions", ["u1"])
    with open_instance(settings) as shared:
        assert isinstance(shared, DagsterInstance)
        assert shared.get_dynamic_partitions("institutions") == ["u1"]
