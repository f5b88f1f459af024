"""Runs whose process was killed are found out; those that live or ended in order are not."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest
from dagster import DagsterRun

from webmine_assets.defs.instance.launcher import WatchedLauncher
from webmine_assets.defs.instance.liveness import has_died, held, living

# Each test starts and kills processes.
pytestmark = pytest.mark.slow

WORKER = """
import sys
from pathlib import Path
from webmine_assets.defs.instance.liveness import living
with living(Path(sys.argv[1]), "r1"):
    print("living", flush=True)
    sys.stdin.read()
"""


def start(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline() == b"living\n"
    return process


def end(process: subprocess.Popen[bytes], how: signal.Signals | None) -> None:
    if how is not None:
        os.kill(process.pid, how)
    process.communicate()


def test_a_process_that_lives_has_not_died(tmp_path: Path) -> None:
    process = start(tmp_path)
    assert not has_died(tmp_path, "r1")
    end(process, None)


@pytest.mark.parametrize(("how", "died"), [(signal.SIGKILL, True), (None, False)])
def test_only_a_killed_process_is_found_dead(
    tmp_path: Path, how: signal.Signals | None, died: bool
) -> None:
    end(start(tmp_path), how)
    assert has_died(tmp_path, "r1") is died


def test_a_death_is_found_on_a_disk_that_locks_as_nfs_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There an exclusive lock needs a file that is open for writing: flock(2), "NFS details"."""
    local = fcntl.flock

    def nfs(file: BinaryIO, operation: int) -> None:
        if operation & fcntl.LOCK_EX and not file.writable():
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        local(file, operation)

    end(start(tmp_path), signal.SIGKILL)
    monkeypatch.setattr(fcntl, "flock", nfs)
    assert has_died(tmp_path, "r1")


def test_a_child_that_inherits_the_lock_keeps_the_run_alive(tmp_path: Path) -> None:
    with held(tmp_path, "r1") as file:
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[file.fileno()])
    assert not has_died(tmp_path, "r1")
    child.communicate()
    assert has_died(tmp_path, "r1")


def test_a_run_that_never_said_it_lives_is_left_alone(tmp_path: Path) -> None:
    assert not has_died(tmp_path / "none", "r1")


def test_an_error_ends_a_run_in_order(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="in the run"), living(tmp_path, "r1"):
        raise ValueError("in the run")
    assert not has_died(tmp_path, "r1")
    assert list(tmp_path.iterdir()) == []


def test_the_launcher_tells_the_daemon_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBMINE_DATA", str(tmp_path))
    end(start(tmp_path / "dagster" / "living"), signal.SIGKILL)
    launcher, run = WatchedLauncher(), DagsterRun(job_name="crawl", run_id="r1")
    assert launcher.supports_check_run_worker_health
    first, again = (launcher.check_run_worker_health(run).status.value for _ in range(2))
    assert (first, again) == ("NOT_FOUND", "RUNNING")
