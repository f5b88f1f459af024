"""Dagster's embedded storage at the speed of many runs in one process.

Dagster makes a SQLAlchemy engine for every question and every event: 380 of them a run, each with
a file to open, statements to compile anew and, at its close, a log to write back and wait for. The
files and tables are the same here, so that the UI reads what a run in this process wrote; only
engines and connections are kept. Dagster offers storage classes in dagster.yaml for replacement,
but has no public base class for them: hence the imports from its inside, of a pinned version.
"""

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.runs import SqliteRunStorage
from dagster._core.storage.sql import create_engine
from dagster._serdes import ConfigurableClassData
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

# The index, the run under way, and the one before it: a run's file is not asked for after its end.
_OPEN_FILES = 3
_BUSY_TIMEOUT_S = 30
"""As long as Dagster itself waits for another writer of the event log."""


class Engines:
    """An engine with open connections for each of the few files in use; no two threads at once."""

    def __init__(self) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()

    def of(self, url: str) -> Engine:
        if url not in self._engines:
            self._engines[url] = open_engine(url)
        self._engines.move_to_end(url)
        while len(self._engines) > _OPEN_FILES:
            self._engines.popitem(last=False)[1].dispose()
        return self._engines[url]

    def close(self) -> None:
        while self._engines:
            self._engines.popitem()[1].dispose()


def open_engine(url: str) -> Engine:
    """An engine that waits for the disk at checkpoints only, not at every event.

    In WAL mode a power cut may take the last events of a run, never the file.
    """
    engine = create_engine(url, connect_args={"timeout": _BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _wait_less)
    return engine


def _wait_less(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA synchronous = NORMAL")


class EventLog(SqliteEventLogStorage):
    """Dagster's event log, a file for each run and an index, with engines that stay."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = Engines()
        self._empty: bytes | None = None
        self._tables: set[str] = set()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Any
    ) -> "EventLog":
        return cls(inst_data=inst_data, **config_value)

    def has_table(self, table_name: str) -> bool:
        """Dagster asks 80 times a run whether tables are there that it has made itself."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            if shard not in self._initialized_dbs:
                self._prepare(shard)
                self._initialized_dbs.add(shard)
            with self._engines.of(self.conn_string_for_shard(shard)).begin() as connection:
                yield connection

    def _prepare(self, shard: str) -> None:
        """Make the file of a run. Dagster looks through 50 migrations for it; a copy of the first
        empty one is the same in a hundredth of the time."""
        path = Path(self.path_for_shard(shard))
        is_new = not path.exists()
        if is_new and self._empty is not None:
            _create(path, self._empty)
            return
        engine = self._engines.of(self.conn_string_for_shard(shard))
        self._initdb(engine)
        if is_new:
            self._empty = _content(engine)

    def dispose(self) -> None:
        self._engines.close()
        super().dispose()


class RunStorage(SqliteRunStorage):
    """Dagster's table of runs, with an engine that stays."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engine = open_engine(conn_string)
        super().__init__(conn_string, inst_data)

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> Self:
        return cls.from_local(inst_data=inst_data, **config_value)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            yield connection

    def dispose(self) -> None:
        self._engine.dispose()
        super().dispose()


def _content(engine: Engine) -> bytes:
    """The bytes of a database, those in its log included."""
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        return raw.serialize() if isinstance(raw, sqlite3.Connection) else b""


def _create(path: Path, content: bytes) -> None:
    """A new file, whole or not at all; one that another process made meanwhile is kept."""
    with NamedTemporaryFile(dir=path.parent, suffix=".new") as aside:
        aside.write(content)
        aside.flush()
        try:
            os.link(aside.name, path)
        except FileExistsError:
            return
