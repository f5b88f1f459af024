import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.frontier import Frontier, Item


def _item(name: str, depth: int) -> Item:
    return Item(name, name, depth, None)


def _drained(frontier: Frontier) -> list[str]:
    names = []
    while item := frontier.pop():
        names.append(item.url)
    return names


def test_shallow_comes_before_deep_and_preferred_before_others() -> None:
    frontier = Frontier()
    for name, depth, preferred in [
        ("deep-preferred", 2, True),
        ("first", 1, False),
        ("second", 1, False),
        ("preferred", 1, True),
        ("seed", 0, False),
    ]:
        frontier.add(_item(name, depth), preferred=preferred)
    assert len(frontier) == 5
    assert _drained(frontier) == ["seed", "preferred", "first", "second", "deep-preferred"]
    assert len(frontier) == 0
    assert frontier.pop() is None


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())))
def test_order_is_depth_then_preference_then_discovery(marks: list[tuple[int, bool]]) -> None:
    frontier = Frontier()
    for number, (depth, preferred) in enumerate(marks):
        frontier.add(_item(str(number), depth), preferred=preferred)
    expected = sorted(range(len(marks)), key=lambda n: (marks[n][0], not marks[n][1], n))
    assert _drained(frontier) == [str(number) for number in expected]


@pytest.mark.slow
def test_many_links_stay_in_order() -> None:
    frontier = Frontier()
    for number in range(200_000):
        frontier.add(_item(str(number), 1))
    assert _drained(frontier) == [str(number) for number in range(200_000)]
