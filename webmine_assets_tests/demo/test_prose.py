import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from webmine_assets.demo.prose import paint_prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo", "<p>one two</p>"),
        ("one\n\ntwo", "<p>one</p>\n<p>two</p>"),
        ("## Head", "<h2>Head</h2>"),
        ("a < b & c", "<p>a &lt; b &amp; c</p>"),
        ("see [the list](/people)", '<p>see <a href="/people">the list</a></p>'),
        ("- one\n- two\n  more", "<ul>\n<li>one</li>\n<li>two more</li>\n</ul>"),
        ("```\nif a < b:\n    go()\n```", "<pre><code>if a &lt; b:\n    go()</code></pre>"),
        ("", ""),
    ],
)
def test_blocks_become_elements(text, expected):
    assert paint_prose(text) == expected


def test_table_has_a_head_and_a_body():
    table = html.fromstring(paint_prose("| a | b |\n| 1 | 2 |\n| 3 | <4> |"))
    assert [cell.text for cell in table.iter("th")] == ["a", "b"]
    assert [cell.text for cell in table.iter("td")] == ["1", "2", "3", "<4>"]


@given(st.text())
def test_no_text_opens_a_script(text):
    assert "<script" not in paint_prose(f"{text}<script>{text}")
