"""What was imported already, in one SQLite file: by name and digest, with the place reached.

Also the state of each feed, so that the next request can be conditional.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from webmine_assets.errors import ImportSourceError

_SWITCH_TRIES, _SWITCH_PAUSE_S = 100, 0.05
_SCHEMA = """
CREATE TABLE IF NOT EXISTS taken (
    kind TEXT NOT NULL, digest TEXT NOT NULL, name TEXT NOT NULL,
    position INTEGER NOT NULL, done INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (kind, digest)
);
CREATE TABLE IF NOT EXISTS feeds (
    url TEXT PRIMARY KEY, etag TEXT, last_modified TEXT, digest TEXT, checked_at TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """How far an input was taken: `position` items, and whether that is all of them."""

    name: str
    position: int
    done: bool
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """What a feed's server said last time; `digest` is that of its body."""

    etag: str | None = None
    last_modified: str | None = None
    digest: str | None = None


class Tracker:
    """Remembers inputs by what they hold: a renamed file is known, a changed one is new."""

    def __init__(
        self, path: Path, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._path = path
        self._clock = clock

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Without transactions of ours: a place that was saved survives a kill.
            self._database = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            _write_ahead(self._database)
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_SCHEMA)
        except sqlite3.OperationalError as problem:
            # Locked, full or not writable: nothing that removing it would mend.
            raise ImportSourceError(f"{self._path}: cannot be used ({problem})") from None
        except sqlite3.DatabaseError as problem:
            raise ImportSourceError(
                f"{self._path}: not a tracker of imports ({problem}); remove it to start anew"
            ) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._database.close()

    def find(self, kind: str, digest: str) -> Taken | None:
        """What is known of an input of this kind with these bytes."""
        query = "SELECT name, position, done, at FROM taken WHERE kind = ? AND digest = ?"
        with closing(self._database.execute(query, (kind, digest))) as cursor:
            row = cursor.fetchone()
        return Taken(name=row[0], position=row[1], done=bool(row[2]), at=row[3]) if row else None

    def save(self, kind: str, digest: str, *, name: str, position: int, done: bool = False) -> None:
        """Remember the place; call after the items before it are safe."""
        self._database.execute(
            "INSERT OR REPLACE INTO taken VALUES (?, ?, ?, ?, ?, ?)",
            (kind, digest, name, position, done, self._now()),
        )

    def find_feed(self, url: str) -> FeedState | None:
        query = "SELECT etag, last_modified, digest FROM feeds WHERE url = ?"
        with closing(self._database.execute(query, (url,))) as cursor:
            row = cursor.fetchone()
        return FeedState(etag=row[0], last_modified=row[1], digest=row[2]) if row else None

    def save_feed(self, url: str, state: FeedState) -> None:
        values = (url, state.etag, state.last_modified, state.digest, self._now())
        self._database.execute("INSERT OR REPLACE INTO feeds VALUES (?, ?, ?, ?, ?)", values)

    def forget(self, institution: str, feeds: Iterable[str]) -> None:
        """Know nothing of an institution's imports and of these feeds any more."""
        owner = "substr(kind, instr(kind, ':') + 1)"
        self._database.execute(
            f"DELETE FROM taken WHERE {owner} IN (?, ? || ':any-host')",  # noqa: S608  # our words
            (institution, institution),
        )
        prefix = f"import:{institution}:"
        self._database.execute(
            "DELETE FROM feeds WHERE substr(url, 1, ?) = ?", (len(prefix), prefix)
        )
        self._database.executemany("DELETE FROM feeds WHERE url = ?", [(url,) for url in feeds])

    def _now(self) -> str:
        return self._clock().isoformat(timespec="seconds")


def _write_ahead(database: sqlite3.Connection) -> None:
    """Have saved places cost no wait for the disk.

    A new file is switched by one process alone, and for that SQLite does not wait as it does for
    everything else: of two first imports at once, one would fail.
    """
    for tries_left in reversed(range(_SWITCH_TRIES)):
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if not tries_left:
                raise
            time.sleep(_SWITCH_PAUSE_S)
        else:
            return
