"""How long a page that has become still is waited for, by what it shows and asks for."""

import math

import pytest

from webmine_assets.crawl.rendering.patience import Asked, Look, patience_s

NOTHING = Asked(is_any_under_way=False, is_news_under_way=False, refused=())
NEWS = Asked(is_any_under_way=True, is_news_under_way=True, refused=())
POLL = Asked(is_any_under_way=True, is_news_under_way=False, refused=())


def look(text: int, *, busy: bool = False, pending: int = 0) -> Look:
    return Look(quiet=True, text=text, busy=busy, pending=pending)


@pytest.mark.parametrize(
    ("shown", "asked", "expected"),
    [
        pytest.param(look(1000), NOTHING, 0, id="done"),
        pytest.param(look(1000, busy=True), NOTHING, 0, id="text beside a spinner"),
        pytest.param(look(1000), NEWS, 3, id="text and a request"),
        pytest.param(look(1000, pending=1), NOTHING, 3, id="text and a request we have yet to see"),
        pytest.param(look(100), NOTHING, 0, id="a short page"),
        pytest.param(look(100), NEWS, math.inf, id="a short page and a request"),
        pytest.param(look(100, pending=1), NOTHING, math.inf, id="and one we have yet to see"),
        pytest.param(look(100), POLL, 3, id="a short page that polls"),
        pytest.param(look(100, busy=True), NOTHING, math.inf, id="a spinner"),
        pytest.param(look(0), NOTHING, 4, id="empty"),
        pytest.param(look(0), POLL, 4, id="empty and polling"),
    ],
)
def test_patience(shown: Look, asked: Asked, expected: float) -> None:
    assert patience_s(shown, asked) == expected


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        ("wss://portal.example/ type_websocket", 4),
        ("https://portal.example/api robots_blocked", 4),
        ("https://portal.example/logo.png type_image", math.inf),
    ],
)
def test_spinner_of_a_page_that_was_refused_its_data_is_not_awaited(
    refused: str, expected: float
) -> None:
    asked = Asked(is_any_under_way=False, is_news_under_way=False, refused=(refused,))
    assert patience_s(look(10, busy=True), asked) == expected
