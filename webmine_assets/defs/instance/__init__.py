"""The Dagster instance that the CLI, the UI and the daemon share."""

import os
from importlib import resources
from pathlib import Path

from dagster import DagsterInstance

from webmine_assets.errors import StorageError
from webmine_assets.settings import Settings


def prepare_home(settings: Settings) -> Path:
    """Make DAGSTER_HOME with the instance file for these settings, and name it to Dagster.

    A DAGSTER_HOME that holds a dagster.yaml of the user's own is used as it is.
    """
    chosen = os.environ.get("DAGSTER_HOME")
    if chosen and Path(chosen).resolve() != settings.dagster_home:
        return Path(chosen)
    home = settings.dagster_home
    name = "postgres.yaml" if settings.pg_url else "embedded.yaml"
    try:
        home.mkdir(parents=True, exist_ok=True)
        text = resources.files(__package__).joinpath(name).read_text("utf-8")
        (home / "dagster.yaml").write_text(text, "utf-8")
    except OSError as problem:
        raise StorageError(
            f"{home} cannot be written: {problem.strerror}; "
            "change its permissions or set WEBMINE_DATA to another folder"
        ) from problem
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def open_instance(settings: Settings) -> DagsterInstance:
    """The shared instance; use it as a context manager."""
    prepare_home(settings)
    return DagsterInstance.get()


def open_quiet_instance(settings: Settings) -> DagsterInstance:
    """The shared instance for runs in this process, whose output belongs to the terminal.

    Capturing it for the UI, as Dagster does, starts two `tail` processes a step: 55 ms of each run.
    """
    home = prepare_home(settings)
    overrides: dict[str, object] = {
        "compute_logs": {
            "module": "dagster._core.storage.noop_compute_log_manager",
            "class": "NoOpComputeLogManager",
        }
    }
    if home == settings.dagster_home and not settings.pg_url:
        overrides |= _kept_open(home)
    return DagsterInstance.local_temp(str(home), overrides=overrides)


def _kept_open(home: Path) -> dict[str, object]:
    """The embedded storage, in the same files, for many runs in one process."""
    places = {
        "run_storage": ("RunStorage", "history"),
        "event_log_storage": ("EventLog", "history/runs"),
    }
    return {
        key: {
            "module": f"{__package__}.sqlite",
            "class": name,
            "config": {"base_dir": str(home / folder)},
        }
        for key, (name, folder) in places.items()
    }
