import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from webmine_assets.progress import LineProgress, SilentProgress
from webmine_assets.workers import ordered_map


def _square(value: int) -> int:
    return value * value


def _process(value: int) -> int:
    return os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 3, 200])
def test_results_come_in_the_order_of_the_input(count: int) -> None:
    assert list(ordered_map(_square, range(count), processes=2)) == [n * n for n in range(count)]


@pytest.mark.slow
def test_few_items_are_done_here_and_many_elsewhere() -> None:
    assert set(ordered_map(_process, range(5), processes=2)) == {os.getpid()}
    assert os.getpid() not in set(ordered_map(_process, range(100), processes=2))


@pytest.mark.slow
def test_no_more_than_the_window_is_taken_ahead() -> None:
    taken: list[int] = []
    source = (taken.append(n) or n for n in range(1_000))
    results = ordered_map(_square, source, processes=2, window=50)
    next(results)
    assert len(taken) <= 51


def test_plain_progress_is_a_line_now_and_then_and_the_last_one() -> None:
    lines: list[str] = []
    seconds = iter(range(1_000))
    progress = LineProgress(lines.append, every_s=40, now=lambda: next(seconds))
    with progress.task("crawl", 100) as task:
        for done in range(1, 101):
            task.update(done, note="p/s")
    assert lines == [
        "crawl: 40 of 100  p/s",
        "crawl: 80 of 100  p/s",
        "crawl: 100 of 100  p/s",
    ]
    with SilentProgress().task("x") as silent:
        silent.update(1)


_PARENT = """
import os, sys, time
from webmine_assets.workers import ordered_map
from webmine_assets_tests.test_workers import _process
if __name__ == "__main__":
    for pid in ordered_map(_process, range(10**9), processes=2):
        print(pid, flush=True)
        time.sleep(0.01)
"""


@pytest.mark.slow
def test_workers_go_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(50)}
        parent.kill()
    assert workers
    for _ in range(200):
        if not any(_is_alive(pid) for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail("workers outlived their parent")


def _is_alive(pid: int) -> bool:
    """Whether it runs; one that ended may still wait for whoever inherited it to notice."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"
