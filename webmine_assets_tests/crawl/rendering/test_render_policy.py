"""Which pages of a host are rendered, and what a host teaches."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.pages.page_signals import PageSignals
from webmine_assets.crawl.rendering.render_policy import (
    SAMPLE_EVERY,
    HostMode,
    HostState,
    Plan,
    PlanKind,
    RenderOutcome,
    learn,
    render_reason,
    take,
)
from webmine_assets.institutions import Rendering

AUTO = Rendering(max_pages=10_000)
COMPLETE = PageSignals(text_chars=3000, html_chars=20_000, content_tags=30, scripts=2)
SHELL = PageSignals(text_chars=20, html_chars=900, scripts=1, has_bundle=True, has_empty_root=True)
THIN = PageSignals(text_chars=80, html_chars=900, content_tags=5, scripts=1)
MENU_SHELL = PageSignals(text_chars=600, html_chars=9000, content_tags=20, scripts=3)

Adds = Callable[[PageSignals], bool]


def crawl(
    pages: Iterable[PageSignals], adds: Adds, *, rendering: Rendering = AUTO, window: int = 1
) -> tuple[list[str | None], HostState]:
    """The reasons for which pages were rendered, with `window` pages under way at a time."""
    state, spent = HostState(), 0
    reasons: list[str | None] = []
    under_way: list[RenderOutcome] = []
    for signals in pages:
        taken = take(state, rendering, renders_spent=spent + len(under_way))
        state = taken.state
        reason = render_reason(taken.plan, signals) if taken.plan.may_render else None
        added = adds(signals) if reason else None
        outcome = RenderOutcome(plan=taken.plan, signals=signals, reason=reason, added=added)
        under_way.append(outcome)
        reasons.append(reason)
        if len(under_way) == window:
            done = under_way.pop(0)
            spent += done.reason is not None
            state = learn(state, done)
    return reasons, state


def never(signals: PageSignals) -> bool:
    return False


def only_shells(signals: PageSignals) -> bool:
    return signals.has_empty_root


@pytest.mark.parametrize("window", [1, 8, 40])
@pytest.mark.parametrize(
    "pages", [[COMPLETE] * 200, [THIN] * 200, [COMPLETE, THIN] * 100], ids=["long", "thin", "both"]
)
def test_server_rendered_host_costs_at_most_one_probe(
    pages: list[PageSignals], window: int
) -> None:
    reasons, state = crawl(pages, never, window=window)
    assert sum(reason is not None for reason in reasons) <= 1
    assert state.mode is HostMode.LIGHT


@pytest.mark.parametrize("window", [1, 8])
def test_client_rendered_host_is_rendered_whole(window: int) -> None:
    reasons, state = crawl([SHELL] * 100, only_shells, window=window)
    assert reasons == ["empty_root"] * 100
    assert state.mode is HostMode.RENDERED


def test_shell_with_a_long_menu_is_known_by_its_host() -> None:
    first = PageSignals(text_chars=500, html_chars=20_000, content_tags=20, scripts=3)
    reasons, _ = crawl([first, *[MENU_SHELL] * 10], lambda _: True)
    assert reasons == ["low_text_ratio", *["client_rendered_host"] * 10]


def test_mixed_site_is_neither_rendered_whole_nor_missed() -> None:
    pages = [COMPLETE, COMPLETE, COMPLETE, SHELL] * 50
    reasons, state = crawl(pages, only_shells, window=8)
    rendered = [signals for signals, reason in zip(pages, reasons, strict=True) if reason]
    assert rendered == [SHELL] * 50
    assert state.mode is HostMode.MIXED


def test_complete_pages_of_a_client_rendered_host_stay_light() -> None:
    pages = [SHELL, *[SHELL, COMPLETE] * 60]
    reasons, _ = crawl(pages, only_shells)
    wasted = sum(s is COMPLETE and r is not None for s, r in zip(pages, reasons, strict=True))
    missed = sum(s is SHELL and r is None for s, r in zip(pages, reasons, strict=True))
    assert (wasted <= 120 // SAMPLE_EVERY, missed) == (True, 0)


def test_renders_that_mislead_are_left_to_samples() -> None:
    reasons, _ = crawl([SHELL] * 101, never)
    rendered = [number for number, reason in enumerate(reasons) if reason]
    assert rendered == [0, 25, 50, 75, 100]


def test_useless_weak_probe_does_not_hide_an_application_section() -> None:
    reasons, state = crawl([THIN, THIN, SHELL, SHELL], only_shells)
    assert reasons == ["short_text", None, "empty_root", "empty_root"]
    assert state.mode is HostMode.MIXED


def test_failed_render_teaches_nothing_and_frees_the_probe() -> None:
    taken = take(HostState(), AUTO, renders_spent=0)
    assert taken.state.probing
    failed = RenderOutcome(plan=taken.plan, signals=THIN, reason="short_text", added=None)
    assert learn(taken.state, failed) == HostState(taken=1)


def test_page_without_html_frees_the_probe() -> None:
    taken = take(HostState(), AUTO, renders_spent=0)
    state = learn(taken.state, RenderOutcome(plan=taken.plan, signals=None))
    assert take(state, AUTO, renders_spent=0).plan.kind is PlanKind.ON_ANY


def test_over_the_budget_a_page_still_says_why_it_should_be_rendered() -> None:
    taken = take(HostState(), Rendering(max_pages=3), renders_spent=3)
    assert (taken.plan.may_render, taken.state.probing) == (False, False)
    assert render_reason(taken.plan, SHELL) == "empty_root"
    assert take(HostState(), Rendering(max_pages=3), renders_spent=2).plan.may_render


ERROR = PageSignals(text_chars=80, html_chars=900, status=404, scripts=1)
ERROR_SHELL = PageSignals(text_chars=0, html_chars=900, status=404, scripts=1, has_empty_root=True)


@pytest.mark.parametrize("kind", [kind for kind in PlanKind if kind is not PlanKind.NEVER])
def test_error_is_rendered_for_its_shell_only_whatever_the_host(kind: PlanKind) -> None:
    plan = Plan(kind, "client_rendered_host")
    assert render_reason(plan, ERROR) is None
    assert render_reason(plan, ERROR_SHELL) == "failed_fetch"


def test_mode_never_renders_nothing() -> None:
    reasons, _ = crawl([SHELL] * 5, only_shells, rendering=Rendering(mode="never"))
    assert reasons == [None] * 5


def test_mode_always_renders_all() -> None:
    reasons, _ = crawl([SHELL, COMPLETE], only_shells, rendering=Rendering(mode="always"))
    assert reasons == ["empty_root", "mode_always"]


@given(
    pages=st.lists(st.sampled_from([COMPLETE, SHELL, THIN, MENU_SHELL]), max_size=120),
    max_pages=st.integers(0, 20),
    window=st.integers(1, 16),
)
def test_render_budget_is_never_exceeded(
    pages: list[PageSignals], max_pages: int, window: int
) -> None:
    rendering = Rendering(max_pages=max_pages)
    reasons, _ = crawl(pages, only_shells, rendering=rendering, window=window)
    assert sum(reason is not None for reason in reasons) <= max_pages
