"""Did the render add anything?"""

import pytest

from webmine_assets.crawl.rendering.render_comparison import compare

ARTICLE = "A page that the server has written in full. " * 20


@pytest.mark.parametrize(
    ("light", "rendered", "added"),
    [
        ("", "Four words are enough", True),
        ("", "", False),
        ("Loading", "The department offers courses in physics, chemistry, biology and law.", True),
        (ARTICLE, ARTICLE, False),
        (ARTICLE, ARTICLE + "Share this page with your friends on the usual networks now", False),
        ("Contact: 12", "Contact: 12\nWe use cookies. Accept all the cookies of the world", False),
        (ARTICLE, ARTICLE * 2, True),
        (ARTICLE, "", False),
    ],
    ids=["notice", "nothing", "shell", "same", "widget", "consent", "second half", "lost"],
)
def test_text_gain(light: str, rendered: str, added: bool) -> None:
    assert compare(light_text=light, rendered_text=rendered).added is added


@pytest.mark.parametrize(
    ("before", "after", "added"), [(0, 1, True), (10, 12, False), (10, 15, True), (100, 120, False)]
)
def test_link_gain(before: int, after: int, added: bool) -> None:
    links = [f"https://u1.edu/{number}" for number in range(after)]
    gain = compare(
        light_text=ARTICLE,
        rendered_text=ARTICLE,
        light_links=links[:before],
        rendered_links=links,
    )
    assert (gain.added, gain.new_links) == (added, after - before)
