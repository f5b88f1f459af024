import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.text import PageText, extract_page_text
from webmine_assets.reading.html import parse

PROSE = "The faculty of engineering teaches and studies how things are built and kept. " * 4


def page(html: str) -> PageText:
    return extract_page_text(parse(html, url="http://u1.edu/"))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>Title</h1><p>One</p><p>Two</p>", "Title\nOne\nTwo"),
        ("<p>One\n  line <b>of</b> <i>te</i>xt</p>", "One line of text"),
        ("<ul><li>One<li>Two <ul><li>Inner</ul></ul>", "- One\n- Two\n- Inner"),
        ("<ul><li><p>One</p><p>more</p></li><li></li><li>Two</li></ul>", "- One\nmore\n- Two"),
        ("One<br>Two<hr>Three", "One\nTwo\nThree"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<dl><dt>Name</dt><dd>Ann</dd></dl>", "Name\nAnn"),
        ("<p>a</p><script>x()</script>tail<style>p{}</style><noscript>n</noscript>", "a\ntail"),
        ("<nav>Menu</nav>after<footer>Imprint</footer>", "after"),
        ("<header>Logo</header><article><header><h1>Head</h1></header>Body</article>",
         "Head\nBody"),
        ("<form><p>Whole page in a form</p><select><option>x</select></form>",
         "Whole page in a form"),
        ("<p>x</p><svg><title>icon</title><text>t</text></svg>", "x"),
        ("", ""),
        ("<nav>only a menu</nav>", ""),
    ],
)  # fmt: skip
def test_blocks_become_lines_and_items_keep_their_marker(html: str, expected: str) -> None:
    assert page(html).text == expected


@pytest.mark.parametrize(
    "furniture",
    [
        "<div class='navbar big'>Menu</div>", "<ul id='menu'><li>Menu</ul>", "<aside>Menu</aside>",
        "<div role='navigation'>Menu</div>", "<div class='breadcrumb'>Menu</div>",
        "<p hidden>Menu</p>",
        "<div class='cookie-banner'>Menu</div>",
    ],
)  # fmt: skip
def test_furniture_is_left_out(furniture: str) -> None:
    assert page(f"{furniture}<p>{PROSE}</p>{furniture}").text == PROSE.strip()


def test_the_main_element_is_the_text_of_a_page_that_has_one() -> None:
    html = f"<div>Teaser</div><main><h1>Head</h1><p>{PROSE}</p></main><div>Teaser</div>"
    assert page(html).text == f"Head\n{PROSE.strip()}"


def test_a_misleading_mark_does_not_lose_the_text() -> None:
    assert page(f"<main></main><div class='menu'><p>{PROSE}</p></div>").text == PROSE.strip()
    assert page(f"<div class='has-sidebar'><p>{PROSE}</p></div>").text == PROSE.strip()


def test_a_menu_does_not_make_a_short_page_long() -> None:
    menu = "".join(f"<li><a href='{n}'>Department number {n}</a></li>" for n in range(30))
    assert page(f"<nav><ul>{menu}</ul></nav><p>Hi</p>").text == "Hi"


def test_title_and_heading_are_single_lines() -> None:
    head = "<head><title>\n A  &amp; B </title></head>"
    read = page(f"{head}<body><svg><title>i</title></svg><h1>C <b>D</b></h1>")
    assert (read.title, read.heading) == ("A & B", "C D")
    assert (page("<p>x").title, page("<p>x").heading) == (None, None)
    assert len(page(f"<title>{'x' * 9999}</title>").title or "") == 500


def test_deep_and_wide_pages_are_read() -> None:
    assert page("<q>" * 2000 + "deep").text in ("deep", "")
    assert page("<p>x</p>" * 100_000).text.count("\n") == 99_999


@given(html=st.text(alphabet="<>/ulidvnap= 'x\n", max_size=300))
def test_no_markup_makes_it_raise_and_results_can_be_sent(html: str) -> None:
    read = page(html)
    assert pickle.loads(pickle.dumps(read)) == read
