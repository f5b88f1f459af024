"""Dagster's embedded storage at the speed of a run in this process."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from sqlalchemy import event
from sqlalchemy.engine import Dialect, Engine
from sqlalchemy.pool import ConnectionPoolEntry


class _OpenFiles:
    """One idle connection to every SQLite file that was used."""

    def __init__(self) -> None:
        self._idle: dict[str, sqlite3.Connection] = {}

    def before_connect(
        self, dialect: Dialect, _: ConnectionPoolEntry, arguments: list[str], options: object
    ) -> None:
        if dialect.name == "sqlite" and arguments[0] not in self._idle:
            idle = sqlite3.connect(arguments[0], check_same_thread=False)
            self._idle[arguments[0]] = idle
            # Dagster asks for this mode, too, but only once it has made its tables.
            idle.execute("PRAGMA journal_mode = WAL")
            # A connection takes part in the log from its first read on.
            idle.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def on_connect(self, connection: object, _: ConnectionPoolEntry) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        for connection in self._idle.values():
            connection.close()
        self._idle.clear()


@contextmanager
def few_syncs() -> Iterator[None]:
    """Let SQLite wait for the disk at checkpoints only, not at every event.

    Dagster opens and closes a connection for every event, and each close of the last one writes
    the whole log back: 1,500 waits for the disk in four runs, 3.7 s of 6.4 s each. One idle
    connection a file avoids that; in WAL mode a power cut may take the last events, never the file.
    """
    with closing(_OpenFiles()) as files:
        event.listen(Engine, "do_connect", files.before_connect)
        event.listen(Engine, "connect", files.on_connect)
        try:
            yield
        finally:
            event.remove(Engine, "connect", files.on_connect)
            event.remove(Engine, "do_connect", files.before_connect)
