"""What a page as received shows about needing a browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.page_signals import (
    PageSignals,
    Signal,
    is_hash_route,
    is_hash_routed,
    needs_render,
    read_signals,
)

PARAGRAPHS = "<h1>Title</h1>" + "<p>Some words of a page.</p>" * 60
SCRIPT = '<script src="/static/main.4f2a.js"></script>'
LONG = 1500


@pytest.mark.parametrize(
    ("html", "text_length", "expected"),
    [
        (f'<body><div id="root"></div>{SCRIPT}</body>', 0, Signal.EMPTY_ROOT),
        (f"<body><app-root></app-root>{SCRIPT}</body>", 0, Signal.EMPTY_ROOT),
        (f"<body><div id=app><div class=x>Loading…</div></div>{SCRIPT}", 8, Signal.EMPTY_ROOT),
        (f'<body><div id="app"><div>Wait</div></div>{SCRIPT}</body>', 4, Signal.EMPTY_ROOT),
        (f'<body><div id="__next"></div><footer>{"x" * 300}</footer>{SCRIPT}', 300, "empty_root"),
        (f"<body><div class=shell>{'menu ' * 80}</div>{SCRIPT}", 400, Signal.BUNDLE_ONLY),
        (
            "<body><noscript>Please enable JavaScript.</noscript><script>go()</script>",
            0,
            Signal.NOSCRIPT_WARNING,
        ),
        (
            '<body><p>a<p>b<p>c<script id="__NEXT_DATA__" type="application/json">{}</script>'
            "<script>go()</script>",
            3,
            Signal.HYDRATION_STATE,
        ),
        (
            '<head><meta http-equiv="Refresh" content="0; URL=/new"></head><body>Moved</body>',
            5,
            Signal.META_REFRESH,
        ),
        ("<body><p>a<p>b<p>c<script>go()</script></body>", 3, Signal.NO_TEXT),
        ("<body><p>a<p>b<p>c<script>go()</script></body>", 50, Signal.SHORT_TEXT),
        (f"<body>{PARAGRAPHS}<script>{'x' * 90_000}</script></body>", LONG, "low_text_ratio"),
        (f"<body>{PARAGRAPHS}{SCRIPT}</body>", LONG, None),
        (f'<body>{PARAGRAPHS}<div id="app"></div>{SCRIPT}</body>', LONG, None),
        ("<body><p>Short, and nothing to run.</p></body>", 26, None),
        ('<meta http-equiv="refresh" content="600"><body><p>A dashboard.</p>', 12, None),
        ("<body><!-- <div id=root></div><script src=main.js></script> --><p>x</p>", 1, None),
        ("", 0, None),
    ],
)
def test_signal_of_a_page(html: str, text_length: int, expected: Signal | None) -> None:
    assert needs_render(read_signals(html, text_length)) == expected


@pytest.mark.parametrize(
    ("text_chars", "expected"), [(199, Signal.SHORT_TEXT), (200, None), (201, None)]
)
def test_short_text_ends_at_200_characters(text_chars: int, expected: Signal | None) -> None:
    signals = PageSignals(text_chars=text_chars, html_chars=2000, content_tags=9, scripts=1)
    assert needs_render(signals) == expected


@pytest.mark.parametrize(("html_chars", "expected"), [(20_000, None), (20_001, "low_text_ratio")])
def test_text_ratio_ends_at_five_percent(html_chars: int, expected: str | None) -> None:
    signals = PageSignals(text_chars=1000, html_chars=html_chars, content_tags=9, scripts=1)
    assert needs_render(signals) == expected


EMPTY = f'<body><div id="root"></div>{SCRIPT}</body>'
CHALLENGE = "<body><noscript>Enable JavaScript and cookies to continue</noscript><script>x</script>"
STEP = "<body><script>location.replace('/?/about')</script></body>"


@pytest.mark.parametrize(
    ("status", "html", "text_length", "expected"),
    [
        (404, EMPTY, 0, Signal.FAILED_FETCH),
        (403, EMPTY, 0, Signal.FAILED_FETCH),
        (404, EMPTY, 999, Signal.FAILED_FETCH),
        (404, EMPTY, 1000, None),
        (404, STEP, 0, Signal.FAILED_FETCH),
        (404, STEP, 1, None),
        (403, STEP, 0, None),
        (403, CHALLENGE, 0, None),
        (503, CHALLENGE, 0, None),
        (401, EMPTY, 0, None),
        (429, EMPTY, 0, None),
        (500, EMPTY, 0, None),
        (410, EMPTY, 0, None),
        (404, f"<body>{PARAGRAPHS}{SCRIPT}</body>", LONG, None),
        (404, "<body><p>Not found</p>", 9, None),
    ],
)
def test_failed_fetch_is_a_signal_where_its_body_is_an_application(
    status: int, html: str, text_length: int, expected: Signal | None
) -> None:
    assert needs_render(read_signals(html, text_length, status=status)) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"content_tags": 2, "has_bundle": True}, Signal.BUNDLE_ONLY),
        ({"content_tags": 3, "has_bundle": True}, None),
        ({"content_tags": 2, "has_bundle": False}, None),
        ({"content_tags": 2, "has_bundle": True, "text_chars": 999}, Signal.BUNDLE_ONLY),
        ({"content_tags": 2, "has_bundle": True, "text_chars": 1000}, None),
        ({"has_empty_root": True, "text_chars": 999}, Signal.EMPTY_ROOT),
        ({"has_empty_root": True, "text_chars": 1000}, None),
        ({"has_noscript_warning": True, "text_chars": 199}, Signal.NOSCRIPT_WARNING),
        ({"has_noscript_warning": True, "text_chars": 200}, None),
        ({"has_hydration_state": True, "text_chars": 199}, Signal.HYDRATION_STATE),
        ({"has_hydration_state": True, "text_chars": 200}, None),
        ({"has_meta_refresh": True, "text_chars": 199, "scripts": 0}, Signal.META_REFRESH),
        ({"has_meta_refresh": True, "text_chars": 200, "scripts": 0}, None),
        ({"text_chars": 49, "scripts": 0, "frames": 1}, Signal.NO_TEXT),
        ({"text_chars": 50, "scripts": 0, "frames": 1}, Signal.SHORT_TEXT),
        ({"text_chars": 0, "scripts": 0, "has_empty_root": True}, None),
    ],
)
def test_each_signal_ends_at_its_limit(fields: dict[str, int], expected: Signal | None) -> None:
    plain = {"text_chars": 500, "html_chars": 2000, "content_tags": 9, "scripts": 1}
    assert needs_render(PageSignals(**(plain | fields))) == expected


@pytest.mark.parametrize(
    ("signal", "strong"),
    [(signal, signal not in ("short_text", "low_text_ratio")) for signal in Signal],
)
def test_only_signals_of_complete_pages_too_are_weak(signal: Signal, strong: bool) -> None:
    assert signal.is_strong is strong


@pytest.mark.parametrize("name", ["bundle.js", "main.4f2a.js", "app.js", "static/chunk-1.js"])
def test_bundle_names_of_the_two_pass_plan(name: str) -> None:
    html = f'<body><p>x</p><script src="/{name}"></script></body>'
    assert read_signals(html, 300).has_bundle


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0; url=/new", True),
        ("10;URL='/new'", True),
        ("11; url=/new", False),
        ("5", False),
        ("soon; url=/new", False),
        ("0.5, url = /new", True),
    ],
)
def test_meta_refresh_that_leads_away_soon(content: str, expected: bool) -> None:
    html = f'<meta http-equiv="refresh" content="{content}"><p>Moved</p>'
    assert read_signals(html, 5).has_meta_refresh is expected


def test_scripts_that_hold_data_run_nothing() -> None:
    html = '<body><p>x<script type="application/ld+json">{"a": "<p><p><p>"}</script></body>'
    signals = read_signals(html, 1)
    assert (signals.scripts, signals.content_tags) == (0, 1)


@pytest.mark.parametrize(
    "html",
    ["<!--" * 200_000, "<script>" * 100_000, "<div id=root" * 80_000, "<div id='" * 100_000],
    ids=["comments", "scripts", "open tags", "open quotes"],
)
@pytest.mark.timeout(20)
def test_malformed_pages_are_read_in_linear_time(html: str) -> None:
    assert read_signals(html, 0).html_chars == len(html)


@given(st.text(alphabet=st.sampled_from("<>/!-=\"' idapscrtnoİ#"), max_size=300))
def test_no_text_makes_the_reader_raise(html: str) -> None:
    needs_render(read_signals(html, len(html)))
    is_hash_routed(html)
    is_hash_route(html)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://u1.edu/#/guide", True),
        ("https://u1.edu/docs#!/guide", True),
        ("https://u1.edu/#/", False),
        ("https://u1.edu/#section", False),
        ("https://u1.edu/page", False),
        ("https://[u1.edu/#/guide", False),
    ],
)
def test_hash_routes(url: str, expected: bool) -> None:
    assert is_hash_route(url) is expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="#/guide">Guide</a>', True),
        ("<a href='index.html#!/guide'>Guide</a>", True),
        ('<a class="x" href=#/guide>Guide</a>', True),
        ('<a href="#top">Top</a><a href="/a/b#c/d">x</a>', False),
    ],
)
def test_hash_routed_pages(html: str, expected: bool) -> None:
    assert is_hash_routed(html) is expected
