"""What the launcher says when nobody is there to take a run."""

from pathlib import Path

import pytest
from dagster import DagsterInstance, job, reconstructable
from dagster._core.launcher import LaunchRunContext

from webmine_assets.errors import ServiceError


@job
def nothing() -> None:
    pass


@pytest.mark.slow
def test_a_queue_that_is_away_is_one_message_without_its_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    (tmp_path / "dagster").mkdir()
    queue = "redis://:secret@127.0.0.1:1/0"
    launcher = {
        "module": "webmine_assets.defs.instance.celery_launcher",
        "class": "QueuedLauncher",
        "config": {"broker": queue, "backend": "disabled://"},
    }
    with DagsterInstance.local_temp(
        str(tmp_path), overrides={"run_launcher": launcher}
    ) as instance:
        origin = reconstructable(nothing).get_python_origin()
        run = instance.create_run_for_job(job_def=nothing, job_code_origin=origin)
        with pytest.raises(ServiceError, match=r"WEBMINE_BROKER .*refused") as refused:
            instance.run_launcher.launch_run(LaunchRunContext(dagster_run=run, workspace=None))
    assert "secret" not in str(refused.value)
