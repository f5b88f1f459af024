"""What imports remember, shared by all processes of one data folder."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from webmine_assets.ingest.tracker import Tracker


def test_a_new_file_that_another_import_writes_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "tracker.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE theirs (a)")
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.2, other.execute, ("COMMIT",))
        done.start()
        with Tracker(path) as tracker:
            assert tracker.find("csv", "sha256:…") is None
        done.join()
