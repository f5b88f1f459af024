"""Answers that are kept until the lake changes."""

from pathlib import Path
from typing import Any

from webmine_assets.storage.lake import Lake
from webmine_assets.studio.questions import Row
from webmine_assets.studio.remembering import RememberingAsk, version_of
from webmine_assets_tests.factories import snapshot


class Counting:
    """Answers with the number of questions so far."""

    def __init__(self, rows: int = 1) -> None:
        self.asked = 0
        self._rows = rows

    def __call__(self, sql: str, parameters: Any = ()) -> list[Row]:
        self.asked += 1
        return [{"asked": self.asked}] * self._rows


def test_a_question_is_asked_once_while_nothing_changes() -> None:
    counting = Counting()
    ask = RememberingAsk(counting, lambda: "v1")
    assert ask("select 1", [1]) == ask("select 1", [1]) == [{"asked": 1}]
    assert ask("select 1", [2]) == [{"asked": 2}]
    assert ask("select 2", [1]) == [{"asked": 3}]


def test_a_change_forgets_all_answers() -> None:
    versions = iter(["v1", "v1", "v2", "v1"])
    ask = RememberingAsk(Counting(), lambda: next(versions))
    assert [ask("q")[0]["asked"] for _ in range(4)] == [1, 1, 2, 3]


def test_what_a_view_adds_to_its_rows_stays_there() -> None:
    ask = RememberingAsk(Counting(), lambda: "v1")
    ask("q")[0]["more"] = True
    assert ask("q") == [{"asked": 1}]


def test_long_answers_and_unknown_versions_are_not_kept() -> None:
    long = RememberingAsk(Counting(rows=1_001), lambda: "v1")
    assert [long("q")[0]["asked"] for _ in range(2)] == [1, 2]
    unknown = RememberingAsk(Counting(), lambda: None)
    assert [unknown("q")[0]["asked"] for _ in range(2)] == [1, 2]


def test_only_the_last_answers_are_kept() -> None:
    counting = Counting()
    ask = RememberingAsk(counting, lambda: "v1")
    for number in range(200):
        ask("q", [number])
    ask("q", [199])
    assert counting.asked == 200
    ask("q", [0])
    assert counting.asked == 201


def test_every_publication_changes_the_version_of_a_lake(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    version = version_of(lake)
    seen = [version()]
    lake.write("page_snapshots", "u1", [snapshot()])
    seen.append(version())
    lake.write("page_snapshots", "u1", [snapshot()])
    seen.append(version())
    lake.write("page_content", "u1", [])
    seen.append(version())
    lake.remove("page_content", "u1")
    seen.append(version())
    assert len(set(seen[:4])) == 4
    assert seen[4] != seen[3]
    assert version() == seen[4]


def test_a_lake_elsewhere_has_no_cheap_version() -> None:
    assert version_of(Lake("memory://remembering"))() is None
