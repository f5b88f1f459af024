"""Markdown that people can read: structure, links and pictures of a page."""

import html

import pytest
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from webmine_assets.extract.candidates import measure
from webmine_assets.extract.document import Document
from webmine_assets.extract.inline import InlineWriter
from webmine_assets.extract.markdown import MarkdownWriter
from webmine_assets.extract.outline import build_outline

URL = "https://example.org/a/b"


def markdown(body: str) -> str:
    document = Document.parse(f"<html><body>{body}</body></html>", url=URL)
    page = measure(build_outline(document))
    return MarkdownWriter(InlineWriter(document)).write(page.outline.blocks)


CASES = {
    "headings": ("<h1>One</h1><h3>Three</h3>", "# One\n\n### Three"),
    "emphasis": ("<p><b>bold </b>and <em>soft</em></p>", "**bold** and *soft*"),
    "inline code with backticks": (
        "<p>call <code>echo `date`</code></p>",
        "call `` echo `date` ``",
    ),
    "inline code": ("<p>call <code>f(*x)</code></p>", "call `f(*x)`"),
    "strike": ("<p><del>old</del> new</p>", "~~old~~ new"),
    "line break": ("<p>one<br>two</p>", "one  \ntwo"),
    "relative link": ('<p><a href="../c?d=1">go</a></p>', "[go](https://example.org/c?d=1)"),
    "link with brackets": ('<p><a href="/x (1)">go</a></p>', "[go](https://example.org/x%20%281%29)"),
    "fragment is no link": ('<p><a href="#top">up</a></p>', "up"),
    "script is no link": ('<p><a href="javascript:x()">run</a></p>', "run"),
    "link around a block": ('<a href="/x"><h2>Title</h2></a>', "## [Title](https://example.org/x)"),
    "nested lists": (
        "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d</li></ul>",
        "- a\n  - b\n    1. c\n- d",
    ),
    "ordered list with a start": ('<ol start="9"><li>a</li><li>b</li></ol>', "9. a\n10. b"),
    "paragraphs in an item": ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
    "two lists": ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n- b"),
    "quote": ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
    "list in a quote": ("<blockquote><ul><li>a</li></ul></blockquote>", "> - a"),
    "definitions": ("<dl><dt>T</dt><dd>d</dd></dl>", "**T**\n\nd"),
    "code with language": (
        '<pre><code class="language-python">if x:\n    y()\n</code></pre>',
        "```python\nif x:\n    y()\n```",
    ),
    "language on the box": (
        '<div class="highlight-source-js"><pre>a\n b</pre></div>', "```js\na\n b\n```"
    ),
    "code with fences inside": ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
    "code in a list": ("<ul><li>a<pre>x\ny</pre></li></ul>", "- a\n\n  ```\n  x\n  y\n  ```"),
    "table": (
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td></td></tr></table>",
        "| A | B |\n| --- | --- |\n| 1 |  |",
    ),
    "table with a caption": (
        "<table><caption>Sizes</caption><tr><th>A</th><th>B</th></tr>"
        "<tr><td>1</td><td>2</td></tr></table>",
        "Sizes\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "table without a header": (
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "|  |  |\n| --- | --- |\n| a | b |\n| c | d |",
    ),
    "spans and bars in cells": (
        '<table><tr><th colspan="2">A</th></tr><tr><td>x|y</td><td>1<br>2</td></tr>'
        "<tr><td>3</td><td>4</td></tr></table>",
        "| A |  |\n| --- | --- |\n| x\\|y | 1<br>2 |\n| 3 | 4 |",
    ),
    "a table that places text": (
        "<table><tr><td><h2>T</h2><p>a</p></td><td>menu</td></tr></table>", "## T\n\na\n\nmenu"
    ),
    "image": ('<p><img src="/i.png" alt="An [old] map"></p>', "![An (old) map](https://example.org/i.png)"),
    "linked image": (
        '<a href="/x"><img src="/i.png" alt="m"></a>', "[![m](https://example.org/i.png)](https://example.org/x)"
    ),
    "video": (
        '<video><source src="/v.mp4">no video here</video>', "[video](https://example.org/v.mp4)"
    ),
    "no accidental heading": ("<p># one</p>", "\\# one"),
    "no accidental list": ("<p>1. one</p><p>- two</p>", "1\\. one\n\n\\- two"),
    "no accidental emphasis": ("<p>2 * 3, a_b and _x_</p>", "2 \\* 3, a_b and \\_x\\_"),
    "no accidental markup": ("<p>a &lt;b&gt; c &lt; d</p>", "a \\<b> c < d"),
    "no accidental heading or list after a line break": (
        "<p>a<br># b<br>+ c<br>1. d<br>===</p>", "a  \n\\# b  \n\\+ c  \n1\\. d  \n\\==="
    ),
    "a number alone is no list": ("<p>1.</p>", "1\\."),
    "no accidental entity": ("<p>&amp;lt; AT&amp;T</p>", "\\&lt; AT&T"),
    "no accidental link definition": ("<p>[1]: http://x.y</p>", "\\[1]: http://x.y"),
    "no accidental picture": ('<p>OK!<a href="/x">go</a></p>', "OK! [go](https://example.org/x)"),
    "no accidental strike": ("<p>a ~~b~~</p>", "a \\~~b\\~~"),
    "emphasis that no reader would see as such": ("<p><b>Note:</b>this</p>", "Note:this"),
    "emphasis side by side": ("<p><i>a</i><i>b</i></p>", "a*b*"),
    "scripts and styles are not text": ("<p>a<script>x()</script><style>p{}</style>b</p>", "ab"),
    "concealed pieces of a line": ('<p>a<span class="sr-only">hidden</span>b</p>', "ab"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES.keys())
def test_markdown_of(body: str, expected: str) -> None:
    assert markdown(body) == expected


LAZY = {
    "data-src": '<img src="data:image/gif;base64,x" data-src="/r.jpg">',
    "placeholder file": '<img src="/img/spacer.gif" data-original="/r.jpg">',
    "srcset, largest": '<img srcset="/s.jpg 300w, /r.jpg 900w, /m.jpg 600w">',
    "data-srcset": '<img src="/lazy/blank.png" data-srcset="/s.jpg 1x, /r.jpg 2x">',
    "picture": '<picture><source srcset="/s.jpg 1x, /r.jpg 2x"><img src="data:,"></picture>',
}


@pytest.mark.parametrize("body", LAZY.values(), ids=LAZY.keys())
def test_lazy_picture(body: str) -> None:
    assert markdown(f"<p>{body}</p>") == "![](https://example.org/r.jpg)"


PIXELS = {
    "one pixel": '<img src="/a.gif" width="1" height="1">',
    "zero height": '<img src="/a.gif" height="0px">',
    "tracker": '<img src="https://t.example/pixel?id=4">',
    "known counter": '<img src="https://www.facebook.com/tr?id=1&ev=PageView">',
    "only a placeholder": '<img src="data:image/gif;base64,R0lGOD">',
    "not a web address": '<img src="file:///etc/passwd">',
}


@pytest.mark.parametrize("body", PIXELS.values(), ids=PIXELS.keys())
def test_no_picture_a_reader_would_not_see(body: str) -> None:
    assert markdown(f"<p>text {body}</p>") == "text"


ROUND_TRIP = (
    *(
        "2 * 3 * 4",
        "a_b __c__ _d_",
        "`x` ``y``",
        "**not bold**",
        "~~~",
        "~~x~~",
        "# a",
        "1. a",
        "1)",
    ),
    *(
        "+",
        "- - -",
        "=====",
        "> a",
        ">a",
        "[a]: b",
        "[a](b)",
        "![a](b)",
        "<b>",
        "<!-- a -->",
        "&amp;",
    ),
    *("&#65;", "a|b|c", "\\* \\", "!", "http://x.y/_a_", "<http://x.y>", "a\u2028b", "100%", "***"),
)


@pytest.mark.parametrize("text", ROUND_TRIP)
@pytest.mark.parametrize("tag", ["p", "li", "h2", "td", "blockquote", "b", "a href='/x'"])
def test_a_reader_of_the_markdown_sees_the_text(text: str, tag: str) -> None:
    element = f"<{tag}>{html.escape(text)}</{tag.split()[0]}>"
    rows = f"<tr>{element}<td>z</td></tr><tr><td>y</td><td>x</td></tr>"
    written = markdown(f"<table>{rows}</table>" if tag == "td" else f"<div>{element}</div>")
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(written)
    seen = squeezed(lxml_html.fromstring(f"<div>{rendered}</div>").text_content())
    assert seen == (squeezed(text) if tag != "td" else squeezed(text) + "zyx")


def squeezed(text: str) -> str:
    return "".join(text.split())
