"""The Dagster instance that the CLI, the UI and the daemon share."""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

from dagster import DagsterInstance
from sqlalchemy.exc import SQLAlchemyError

from webmine_assets.errors import ConfigurationError, ServiceError, StorageError
from webmine_assets.settings import Settings


def prepare_home(settings: Settings) -> Path:
    """Make DAGSTER_HOME with the instance file for these settings, and name it to Dagster.

    A DAGSTER_HOME that holds a dagster.yaml of the user's own is used as it is.
    """
    chosen = os.environ.get("DAGSTER_HOME")
    if chosen and Path(chosen).resolve() != settings.dagster_home:
        return Path(chosen)
    home = settings.dagster_home
    try:
        home.mkdir(parents=True, exist_ok=True)
        text = resources.files(__package__).joinpath(_instance_file(settings)).read_text("utf-8")
        _write(home / "dagster.yaml", text)
    except OSError as problem:
        raise StorageError(
            f"{home} cannot be written: {problem.strerror}; "
            "change its permissions or set WEBMINE_DATA to another folder"
        ) from problem
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def _write(path: Path, text: str) -> None:
    """Change a file at once, and only if need be: runs on other machines may be reading it."""
    if path.is_file() and path.read_text("utf-8") == text:
        return
    aside = path.with_name(f".{path.name}.{uuid4().hex}")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def _instance_file(settings: Settings) -> str:
    """The file for these settings; a library that it needs and that is not there is named."""
    if settings.broker:
        _need("dagster_celery", "WEBMINE_BROKER", extra="celery")
        return "celery.yaml"
    if settings.pg_url:
        _need("dagster_postgres", "WEBMINE_PG_URL", extra="postgres")
        return "postgres.yaml"
    return "embedded.yaml"


def _need(module: str, variable: str, *, extra: str) -> None:
    if find_spec(module) is None:
        raise ConfigurationError(
            f"{variable} is set, and what it needs is not installed: "
            f'pip install ".[{extra}]" in the clone'
        )


def open_instance(settings: Settings) -> DagsterInstance:
    """The shared instance; use it as a context manager."""
    prepare_home(settings)
    with _reaching_the_database(settings):
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
    with _reaching_the_database(settings):
        return DagsterInstance.local_temp(str(home), overrides=overrides)


@contextmanager
def _reaching_the_database(settings: Settings) -> Iterator[None]:
    before = logging.root.manager.disable
    # Dagster tries six times, warns at length each time, and then raises an error of its own.
    logging.disable(logging.WARNING)
    try:
        with using_the_database(settings):
            yield
    finally:
        logging.disable(before)


@contextmanager
def using_the_database(settings: Settings) -> Iterator[None]:
    """A database that is away or damaged is one message that names it, without its password."""
    try:
        yield
    except Exception as problem:
        cause = problem if isinstance(problem, SQLAlchemyError) else problem.__cause__
        if not isinstance(cause, SQLAlchemyError):
            raise
        reason = str(getattr(cause, "orig", None) or cause).strip().splitlines()[0]
        raise ServiceError(_unusable(settings, reason)) from problem


def _unusable(settings: Settings, reason: str) -> str:
    if settings.pg_url is not None:
        return (
            f"the database of WEBMINE_PG_URL cannot be used: {reason}; "
            "without that variable Dagster keeps its runs in files"
        )
    home = Path(os.environ["DAGSTER_HOME"])
    damaged = [str(path) for path in sorted(home.rglob("*.db")) if not _is_sound(path)]
    return (
        f"Dagster cannot use {', '.join(damaged) or f'its files in {home}'}: {reason}; "
        f"move {home} away to go on: it holds the history of runs, none of your pages"
    )


def _is_sound(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as database:
            return bool(database.execute("PRAGMA quick_check").fetchone() == ("ok",))
    except sqlite3.Error:
        return False


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
