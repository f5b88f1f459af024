from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import pytest

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import Input
from webmine_assets.ingest.intake import Intake, WaterMarks
from webmine_assets.ingest.tracker import FeedState, Tracker


def lines(stream: BinaryIO, entry: Input) -> Iterator[str]:
    for line in stream:
        if line == b"broken\n":
            raise ImportSourceError(f"{entry.name}: broken")
        yield line.decode().strip()


def source(name: str, text: str) -> Input:
    return Input(name, lambda: BytesIO(text.encode()))


def intake(tracker: Tracker, *inputs: Input, budget: int | None = None) -> Intake[str]:
    return Intake(inputs, lines, kind="csv", tracker=tracker, budget=budget)


@pytest.fixture
def tracker(tmp_path: Path) -> Iterator[Tracker]:
    with Tracker(tmp_path / "state" / "tracker.sqlite") as found:
        yield found


A, B = source("a.csv", "1\n2\n3\n"), source("b.csv", "4\n5\n")


def test_a_second_run_skips_what_was_taken(tracker: Tracker) -> None:
    first, second = intake(tracker, A, B), intake(tracker, A, B)
    assert list(first) == ["1", "2", "3", "4", "5"]
    assert first.report.taken == ["a.csv", "b.csv"]
    assert list(second) == []
    assert second.report.skipped == ["a.csv", "b.csv"]


def test_an_input_is_known_by_what_it_holds(tracker: Tracker) -> None:
    list(intake(tracker, A))
    assert list(intake(tracker, source("renamed.csv", "1\n2\n3\n"))) == []
    assert list(intake(tracker, source("a.csv", "6\n"))) == ["6"]
    other = Intake([A], lines, kind="historical", tracker=tracker)
    assert list(other) == ["1", "2", "3"]


def test_an_interrupted_run_goes_on_with_the_item_it_was_at(tracker: Tracker) -> None:
    assert list(islice(intake(tracker, A, B), 2)) == ["1", "2"]
    assert list(intake(tracker, A, B)) == ["2", "3", "4", "5"]


@pytest.mark.parametrize("budget", [1, 2, 3, 4])
def test_runs_within_a_budget_take_everything_once(tracker: Tracker, budget: int) -> None:
    taken: list[str] = []
    while True:
        run = intake(tracker, A, B, budget=budget)
        items = list(run)
        assert len(items) <= budget
        taken += items
        if not run.report.unfinished:
            break
    assert taken == ["1", "2", "3", "4", "5"]


def test_a_budget_of_nothing_takes_nothing(tracker: Tracker) -> None:
    run = intake(tracker, A, budget=0)
    assert list(run) == []
    assert run.report.unfinished == ["a.csv"]


def test_a_broken_input_does_not_stop_the_next(tracker: Tracker) -> None:
    run = intake(tracker, source("x.csv", "1\nbroken\n"), B)
    assert list(run) == ["1", "4", "5"]
    assert run.report.failed == [("x.csv", "x.csv: broken")]
    again = intake(tracker, source("x.csv", "1\nbroken\n"), B)
    assert list(again) == []
    assert again.report.failed == [("x.csv", "x.csv: broken")]


def test_an_input_whose_storage_fails_does_not_stop_the_next(tracker: Tracker) -> None:
    def fail() -> BinaryIO:
        raise PermissionError(13, "Permission denied")

    run = intake(tracker, Input("x.csv", fail), B)
    assert list(run) == ["4", "5"]
    assert [name for name, _ in run.report.failed] == ["x.csv"]


def test_items_are_read_only_as_they_are_asked_for(tracker: Tracker) -> None:
    read: list[int] = []

    def parse(stream: BinaryIO, entry: Input) -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    assert list(islice(Intake([A], parse, kind="x", tracker=tracker), 3)) == [0, 1, 2]
    assert read == [0, 1, 2]


@pytest.mark.parametrize(("waiting", "room"), [(0, 100), (20, 80), (21, 0), (100, 0), (500, 0)])
def test_water_marks_let_in_only_below_the_low_one(waiting: int, room: int) -> None:
    assert WaterMarks(20, 100).room(waiting) == room


@pytest.mark.parametrize(("low", "high"), [(5, 5), (6, 5), (-1, 5)])
def test_water_marks_that_make_no_sense_are_refused(low: int, high: int) -> None:
    with pytest.raises(ImportSourceError):
        WaterMarks(low, high)


def test_feed_states_are_kept(tmp_path: Path) -> None:
    state = FeedState(etag='"1"', last_modified=None, digest="sha256:0")
    with Tracker(tmp_path / "t.sqlite") as tracker:
        assert tracker.find_feed("https://u1.edu/f") is None
        tracker.save_feed("https://u1.edu/f", state)
    with Tracker(tmp_path / "t.sqlite") as tracker:
        assert tracker.find_feed("https://u1.edu/f") == state


def test_a_tracker_that_is_none_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "t.sqlite").write_text("not a database, but long enough to be looked at " * 9)
    with pytest.raises(ImportSourceError, match="remove it"), Tracker(tmp_path / "t.sqlite"):
        pass


def test_a_tracker_that_cannot_be_opened_is_not_to_be_removed(tmp_path: Path) -> None:
    (tmp_path / "t.sqlite").mkdir()
    with (
        pytest.raises(ImportSourceError, match="cannot be used") as problem,
        Tracker(tmp_path / "t.sqlite"),
    ):
        pass
    assert "remove" not in str(problem.value)


def test_inputs_that_hold_nothing_are_told(tracker: Tracker) -> None:
    run = intake(tracker, source("none.csv", ""), A)
    assert list(run) == ["1", "2", "3"]
    assert run.report.empty == ["none.csv"]
    assert run.report.taken == ["none.csv", "a.csv"]
