import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from webmine_assets.errors import ServiceError
from webmine_assets.progress import LineProgress, SilentProgress
from webmine_assets.workers import ordered_map


def _square(value: int) -> int:
    return value * value


def _process(value: int) -> int:
    return os.getpid()


def _given_up(value: int, reason: str) -> int:
    return -value


def _tell_why(value: int, reason: str) -> str:
    return reason


def _refuse_some(value: int) -> str:
    """An item in ten hangs, another in ten ends its process."""
    if value % 10 == 3:
        time.sleep(3_600)
    if value % 10 == 7:
        os._exit(9)
    return "done"


def _match_for_ever(text: str) -> str:
    """Nothing else in the process runs while a regular expression is matched."""
    re.match(r"(a+)+$", text[:40])
    return "done"


@dataclass
class _Unreadable:
    is_good: bool

    def __setstate__(self, state: dict[str, bool]) -> None:
        if not state["is_good"]:
            raise ValueError("cannot be read")


def _say_done(item: _Unreadable) -> str:
    return "done"


def _say_why(item: _Unreadable, reason: str) -> str:
    return reason


def _last_words(value: int) -> int:
    """Only the first process to come here dies."""
    with contextlib.suppress(FileExistsError):
        Path(os.environ["WEBMINE_TEST_MARK"]).touch(exist_ok=False)
        os._exit(9)
    return value


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 3, 200])
def test_results_come_in_the_order_of_the_input(count: int) -> None:
    assert list(ordered_map(_square, range(count), give_up=_given_up, processes=2)) == [
        n * n for n in range(count)
    ]


@pytest.mark.slow
def test_few_items_are_done_here_and_many_elsewhere() -> None:
    assert set(ordered_map(_process, range(5), give_up=_given_up, processes=2)) == {os.getpid()}
    assert os.getpid() not in set(ordered_map(_process, range(100), give_up=_given_up, processes=2))


@pytest.mark.slow
def test_no_more_than_the_window_is_taken_ahead() -> None:
    taken: list[int] = []
    source = (taken.append(n) or n for n in range(1_000))
    results = ordered_map(_square, source, give_up=_given_up, processes=2, window=50)
    next(results)
    assert len(taken) <= 51


@pytest.mark.slow
def test_an_item_that_hangs_or_ends_its_process_costs_itself_only() -> None:
    results = list(
        ordered_map(_refuse_some, range(50), give_up=_tell_why, limit_s=0.5, processes=2)
    )
    odd = {3: "took longer than 0.5 s", 7: "ended its process twice (code 9)"}
    assert results == [odd.get(value % 10, "done") for value in range(50)]


@pytest.mark.slow
def test_a_process_that_takes_no_more_items_does_not_hold_up_the_others() -> None:
    odd, even = "a" * 39 + "b" * 2_000_000, "b" * 2_000_000
    items = [odd if n % 20 == 3 else even for n in range(60)]
    results = ordered_map(
        _match_for_ever, items, give_up=lambda item, reason: reason, limit_s=1.0, processes=2
    )
    assert list(results) == ["took longer than 1 s" if i is odd else "done" for i in items]


@pytest.mark.slow
def test_an_item_that_cannot_be_read_costs_itself_only() -> None:
    items = [_Unreadable(is_good=n != 3) for n in range(50)]
    results = list(ordered_map(_say_done, items, give_up=_say_why, processes=2))
    assert [n for n, result in enumerate(results) if result != "done"] == [3]
    assert results[3] == "ended its process twice (code 1)"


@pytest.mark.slow
def test_a_process_that_was_killed_once_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBMINE_TEST_MARK", str(tmp_path / "mark"))
    results = ordered_map(_last_words, range(100), give_up=_given_up, processes=2)
    assert list(results) == list(range(100))


@pytest.mark.slow
def test_a_process_that_cannot_begin_is_told_at_once() -> None:
    class Unknown:
        def __reduce__(self) -> tuple[object, tuple[int]]:
            return os._exit, (5,)

        def __call__(self, value: int) -> int:
            return value

    with pytest.raises(ServiceError, match="before it could begin"):
        list(ordered_map(Unknown(), range(100), give_up=_given_up, processes=2))


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
import sys, time
from webmine_assets.workers import ordered_map
from webmine_assets_tests.test_workers import _given_up, {work}
if __name__ == "__main__":
    for pid in ordered_map({work}, range(10**9), give_up=_given_up, limit_s=1, processes=2):
        print(pid, flush=True)
        time.sleep(0.01)
"""


def _process_that_listens_to_nobody(value: int) -> int:
    if value > 40:
        _match_for_ever("a" * 39 + "b")
    return os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("work", [_process, _process_that_listens_to_nobody])
def test_workers_go_when_their_parent_is_killed(tmp_path: Path, work: Callable[[int], int]) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT.format(work=work.__name__))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = {int(parent.stdout.readline()) for _ in range(30)}
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
