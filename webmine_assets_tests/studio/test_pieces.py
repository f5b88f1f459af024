"""Charts, Markdown, moments and tasks: the small pieces of the studio."""

import threading
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.institutions import Institution
from webmine_assets.progress import Progress
from webmine_assets.storage.confined import Answer
from webmine_assets.studio import charts
from webmine_assets.studio.enhancement import Enhancer, TaskState
from webmine_assets.studio.markdown import MAX_CHARACTERS, render_markdown
from webmine_assets.studio.openapi import build_openapi
from webmine_assets.studio.painter import ago, number, pretty, query_string, stamp
from webmine_assets.studio.views.overview import freshness
from webmine_assets.studio.views.sql import drawable

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("# Title\n\ntext", "<h2>Title</h2>\n<p>text</p>\n"),
        ("###### Deep", "<h6>Deep</h6>\n"),
        ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("[x](data:text/html;base64,AA)", "<p>[x](data:text/html;base64,AA)</p>\n"),
    ],
)
def test_markdown_is_rendered_without_live_parts(source: str, expected: str) -> None:
    assert render_markdown(source) == expected


def test_links_of_markdown_tell_nothing_and_images_load_nothing() -> None:
    assert 'rel="noopener noreferrer nofollow"' in render_markdown("[a](https://x.example)")
    image = render_markdown('![a "quoted" word](https://x.example/a.png)')
    assert "<img" not in image
    assert "quoted" in image


@given(st.text(alphabet="<>&\"'`*_[]()!#-\n\\ ax:/", max_size=200))
def test_no_markdown_gives_markup_of_its_own(source: str) -> None:
    html = render_markdown(source)
    assert "<img" not in html
    assert "<script" not in html


def test_a_huge_markdown_is_cut() -> None:
    assert len(render_markdown("word " * MAX_CHARACTERS)) < 1.1 * MAX_CHARACTERS


def test_bars_escape_their_labels_and_keep_proportion() -> None:
    drawn = charts.bars([("<b>", 10), ("half", 5), ("none", 0)], title='a "title"')
    assert "<b>" not in drawn
    assert 'width="1000"' in drawn
    assert 'width="500"' in drawn
    assert "Nothing to draw" in charts.bars([], title="x")


@pytest.mark.parametrize("values", [[], [3], [1, 1, 1], [1, 5, 2]])
def test_sparks_draw_any_series(values: list[float]) -> None:
    assert ("<svg" in charts.spark(values, title="t")) is bool(values)


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        (timedelta(seconds=1), "1 second ago"),
        (timedelta(minutes=5), "5 minutes ago"),
        (timedelta(hours=3), "3 hours ago"),
        (timedelta(days=40), "40 days ago"),
        (timedelta(days=800), "2023-12-25"),
        (timedelta(seconds=-5), "0 seconds ago"),
    ],
)
def test_moments_are_told_in_the_largest_unit(passed: timedelta, expected: str) -> None:
    assert ago(NOW - passed, NOW) == expected


def test_values_are_written_for_people() -> None:
    assert ago(None, NOW) == "never"
    assert number(None) == "–"
    assert number(1234567) == "1,234,567"
    assert number(0.25) == "0.2"
    assert stamp(NOW) == "2026-03-04 12:00"
    assert stamp(date(2026, 3, 4)) == "2026-03-04"
    assert pretty(b"abc") == "3 bytes"
    assert pretty({"a": [1]}) == '{"a": [1]}'
    assert pretty(None) == ""
    assert query_string({"q": "a b", "x": None}, page=2) == "?q=a+b&page=2"


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (("a", "n"), (("x", 1), ("y", 2.5)), [("x", 1.0), ("y", 2.5)]),
        (("n", "a"), ((1, "x"), (2, "y")), [("x", 1.0), ("y", 2.0)]),
        (("a",), (("x",), ("y",)), []),
        (("n",), ((1,), (2,)), []),
        (("a", "n"), (("x", 1),), []),
        (("a", "n"), (("x", None), ("y", 2)), []),
        (("a", "n"), (("x", float("nan")), ("y", 2)), []),
        (("a", "b"), (("x", True), ("y", False)), []),
        (("a", "n"), (("x", 1), ("x", 2)), []),
        (("a", "n"), ((["x"], 1), (["y"], 2)), [("['x']", 1.0), ("['y']", 2.0)]),
    ],
)
def test_an_answer_is_drawn_if_it_has_labels_and_numbers(
    columns: tuple[str, ...], rows: tuple[tuple[object, ...], ...], expected: list[object]
) -> None:
    drawn, chart = drawable(Answer(columns=columns, rows=rows, is_cut=False))
    assert chart == expected
    assert drawn == (("n", "a") if expected else ())


@pytest.mark.parametrize(
    ("crawled_at", "has_file", "expected"),
    [
        (NOW - timedelta(days=6), True, "good"),
        (NOW - timedelta(days=8), True, "warn"),
        (None, True, "warn"),
        (NOW, False, ""),
    ],
)
def test_freshness_is_measured_by_the_ttl_of_the_file(
    crawled_at: datetime | None, has_file: bool, expected: str
) -> None:
    institution = Institution(
        institution_id="u1", seed_urls=("https://u1.edu/",), allowed_domains=("u1.edu",), ttl_days=7
    )
    row = {"institution": "u1", "crawled_at": crawled_at, "renewed": 3, "kept": 0}
    row |= {"refused_for": "host"}
    files = {"u1": institution} if has_file else {}
    kind, words = freshness(row, files, NOW)
    assert kind == expected
    assert words
    if crawled_at is not None:
        row |= {"renewed": 0, "refused_for": "robots_unreachable"}
        nothing = "no page came: robots unreachable"
        assert freshness(row, files, NOW) == ("bad", nothing)
        row |= {"kept": 12, "pages": 12, "fetched_at": NOW - timedelta(days=30)}
        kind, words = freshness(row, files, NOW)
        as_of = f"{NOW - timedelta(days=30):%Y-%m-%d}"
        assert (kind, words) == ("bad", f"out of reach, as of {as_of}: robots unreachable")


def test_bars_lead_where_their_links_say() -> None:
    chart = charts.bars([("a & b", 2), ("c", 1)], title="t", links=["/urls?a=1&b=2"])
    assert '<a href="/urls?a=1&amp;b=2">a &amp; b</a>' in chart
    assert chart.count("<a ") == 1


def test_enhancements_run_one_at_a_time_and_say_where_they_are() -> None:
    gate, started = threading.Event(), threading.Event()
    running: list[str] = []

    def enhance(institution: str, progress: Progress) -> str | None:
        running.append(institution)
        with progress.task("work", 2) as task:
            task.update(1, 2)
        started.set()
        gate.wait(10)
        if institution == "raises":
            raise RuntimeError("no such luck")
        return "it failed" if institution == "fails" else None

    enhancer = Enhancer(enhance, now=lambda: NOW)
    first = enhancer.start("u1")
    started.wait(10)
    fails, raises = enhancer.start("fails"), enhancer.start("raises")
    assert enhancer.start("fails") == fails
    assert running == ["u1"]
    assert enhancer.tasks()[-1].state is TaskState.RUNNING
    assert enhancer.tasks()[-1].note == "work: 1 of 2"
    gate.set()
    enhancer.start("last")
    while any(task.state in {"queued", "running"} for task in enhancer.tasks()):
        threading.Event().wait(0.01)
    enhancer.close()
    states = {task.number: (task.state, task.note) for task in enhancer.tasks()}
    assert states[first.number] == (TaskState.DONE, "")
    assert states[fails.number] == (TaskState.FAILED, "it failed")
    assert states[raises.number][0] is TaskState.FAILED
    assert "no such luck" in states[raises.number][1]
    assert running == ["u1", "fails", "raises", "last"]


def test_no_enhancement_that_waits_is_forgotten() -> None:
    gate = threading.Event()
    enhanced: list[str] = []

    def enhance(institution: str, progress: Progress) -> str | None:
        gate.wait(10)
        enhanced.append(institution)
        return None

    enhancer = Enhancer(enhance, now=lambda: NOW)
    names = [f"u{number}" for number in range(60)]
    tasks = [enhancer.start(name) for name in names]
    gate.set()
    while len(enhanced) < len(names):
        threading.Event().wait(0.01)
    assert enhancer.start("one more").number == tasks[-1].number + 1
    enhancer.close()
    assert enhanced[:60] == names
    assert len(enhancer.tasks()) <= 51


def test_every_operation_of_the_openapi_document_has_answers() -> None:
    document = build_openapi()
    for methods in document["paths"].values():
        for operation in methods.values():
            assert "default" in operation["responses"]
