"""Stored pages made harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.extract.document import Document
from webmine_assets.studio.stored.frame import frame_page, frame_picker, frame_text
from webmine_assets.studio.stored.sanitiser import clean_css, sanitise, sanitise_styles
from webmine_assets_tests.studio.corpus import HOSTILE_PAGE

LIVE = re.compile(
    r"<(script|iframe|object|embed|svg|math|form|base|meta|link|template)\b"
    r"|<[^>]*\s(on\w+|srcset|href|action|formaction|poster|ping|data)\s*=|<[^>]*src=\"(?!data:image)",
    re.I,
)


def document(html: str) -> Document:
    return Document.parse(html, url="https://u1.edu/")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one<br>two</p>tail", "<p>one<br>two</p>tail"),
        ('<p class="a" id="b" onclick="x()">t</p>', '<p class="a" id="b">t</p>'),
        ('<a href="https://x.example">link</a>', "<a>link</a>"),
        ('<img src="https://x.example/a.png" alt="A">', '<img alt="A">'),
        ("<p>a<script>x()</script>b</p>", "<p>ab</p>"),
        ("<form action=x><button>Go</button></form>", "<div><span>Go</span></div>"),
        ("<p>a &lt;b&gt; &amp; c</p>", "<p>a &lt;b&gt; &amp; c</p>"),
        ('<p title="&quot;&gt;<script>">t</p>', '<p title="&quot;&gt;&lt;script&gt;">t</p>'),
        (
            '<p style="color:red;background:url(x)">t</p>',
            '<p style="color:red;background:none">t</p>',
        ),
        ("<svg><text>x</text></svg>after", "after"),
        ("<my-box>custom</my-box>", "<my-box>custom</my-box>"),
        ("long<wbr>word<b>x</b> end", "long<wbr>word<b>x</b> end"),
        ("a<embed src=x>b<p>c</p>", "ab<p>c</p>"),
        ("<picture><source srcset=x><img alt=i></picture>z", '<picture><img alt="i"></picture>z'),
        ("<video><source src=a>words</video>z", "z"),
    ],
)
def test_what_is_shown_of_a_page(html: str, expected: str) -> None:
    assert sanitise(document(f"<body>{html}</body>")) == f"<div>{expected}</div>"


def test_an_image_inside_the_page_stays() -> None:
    html = '<img src="data:image/png;base64,AAAA"><img src="data:image/svg+xml;base64,AAAA">'
    assert sanitise(document(html)).count("src=") == 1


def test_nothing_live_is_left_of_a_hostile_page() -> None:
    page = document(HOSTILE_PAGE.format(away="https://away.example"))
    shown = sanitise(page) + sanitise_styles(page)
    assert not LIVE.search(shown)
    assert "away.example" not in shown
    assert "javascript:" not in shown


def test_numbers_name_the_elements_of_the_page() -> None:
    page = document("<body><div><p>one</p><script></script><p>two</p></div></body>")
    numbers = [int(n) for n in re.findall(r'<p data-wm="(\d+)"', sanitise(page, numbered=True))]
    assert [page.elements[number].text for number in numbers] == ["one", "two"]


@pytest.mark.parametrize(
    ("css", "gone"),
    [
        ("@import 'https://x.example/a.css';p{}", "x.example"),
        ("p{background:url( 'https://x.example/a.png' )}", "x.example"),
        ("p{background:URL(https://x.example/a.png", "x.example"),
        ("p{width:expression(alert(1))}", "expression("),
        ("p{background:image-set('https://x.example/a.png' 1x)}", "x.example"),
        ("p{background:u\\72l(https://x.example/a.png)}", "x.example"),
        ("p{background:\\000075 rl(https://x.example/a.png)}", "x.example"),
        ("p{background:\\u\\r\\l(https://x.example/a.png)}", "x.example"),
        ("@\\69mport 'https://x.example/a.css';", "x.example"),
        ("@font-face{font-family:a;src:url(https://x.example/a.woff)}", "x.example"),
        ("input[value^=a]{background:url(https://x.example/?a)}", "x.example"),
        ("p{background:cross-fade(url(https://x.example/a), url(b), 50%)}", "x.example"),
        ("p{background:url(https://x.example/a.png", "x.example"),
    ],
)
def test_style_sheets_load_nothing(css: str, gone: str) -> None:
    assert gone not in clean_css(css)


@pytest.mark.parametrize(
    "css", [".md\\:flex{display:flex}", ".i::before{content:'\\f101'}", "p{width:calc(1px + 2px)}"]
)
def test_harmless_style_sheets_stay(css: str) -> None:
    assert clean_css(css) == css


def test_a_style_sheet_cannot_end_its_element() -> None:
    page = document("<style>p{} <\\/style><script>x()</script></style>")
    assert "<script" not in frame_page(page, title="t")
    assert sanitise_styles(document("<style>a{content:'</p>'}</style>")) == ""


def test_deep_and_wide_pages_are_walked_without_recursion() -> None:
    assert sanitise(document("<div>" * 200 + "deep")).count("<div>") > 100
    assert "deep" in sanitise(document("<div>" * 5_000 + "deep"))
    assert "wide" in sanitise(document("<p>wide</p>" * 20_000))


@given(st.text(max_size=300))
def test_no_text_makes_a_live_page(html: str) -> None:
    page = document(f"<html><body>{html}</body></html>")
    shown = sanitise(page, numbered=True)
    assert not LIVE.search(shown)


@given(
    st.lists(
        st.sampled_from(
            ["<script>", "</script>", "<svg>", "</svg>", "<math>", "<style>", "</style>", "<p ",
             "onload=x ", "href=javascript:x ", ">", "<!--", "-->", "<![CDATA[", "]]>",
             "<noscript>", "<title>", "</title>", "<textarea>", "</textarea>",
             "<template>", "<table>", "<mglyph>", "<iframe srcdoc='",
             "<img src=x onerror=y>", "<xmp>", "<plaintext>"]
        ),
        max_size=25,
    ).map("".join)
)  # fmt: skip
def test_no_mix_of_markup_makes_a_live_page(html: str) -> None:
    page = document(html)
    body = frame_page(page, title=html).split("</head>", 1)[1]
    assert not LIVE.search(body)
    assert not LIVE.search(sanitise_styles(page))


def test_titles_and_texts_are_escaped() -> None:
    assert "<script" not in frame_text("<script>", title="<script>")
    picker = frame_picker(document("<p>x</p>"), title="</title><script>", nonce="n")
    assert picker.count("<script") == 1
