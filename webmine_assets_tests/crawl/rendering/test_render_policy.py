"""Which pages of a host are rendered, and what a host teaches."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.outcome import Cost, Refused
from webmine_assets.crawl.pages.page_signals import PageSignals, needs_render
from webmine_assets.crawl.rendering.planner import PagePlan, RenderPlanner
from webmine_assets.crawl.rendering.render_policy import (
    SAMPLE_EVERY,
    HostMode,
    HostState,
    Plan,
    PlanKind,
    RenderOutcome,
    first_plan,
    learn,
    render_reason,
    settled_plan,
)
from webmine_assets.institutions import Rendering

AUTO = Rendering(max_pages=10_000)
COMPLETE = PageSignals(text_chars=3000, html_chars=20_000, content_tags=30, scripts=2)
SHELL = PageSignals(text_chars=20, html_chars=900, scripts=1, has_bundle=True, has_empty_root=True)
BARE = PageSignals(text_chars=0, html_chars=900, scripts=1)
WIDGET = PageSignals(text_chars=500, html_chars=5000, scripts=1, has_empty_root=True)
THIN = PageSignals(text_chars=80, html_chars=900, content_tags=5, scripts=1)
MENU_SHELL = PageSignals(text_chars=600, html_chars=9000, content_tags=20, scripts=3)

Adds = Callable[[PageSignals], bool]


def crawl(
    pages: Iterable[PageSignals], adds: Adds, *, rendering: Rendering = AUTO, window: int = 1
) -> tuple[list[str | None], HostState]:
    """The reasons for which pages were rendered, with `window` pages under way at a time."""
    planner = RenderPlanner(rendering)
    reasons: list[str | None] = []
    under_way: deque[tuple[PagePlan, PageSignals]] = deque()

    def commit() -> None:
        plan, signals = under_way.popleft()
        planner.settle(plan)
        rule = plan.first if render_reason(plan.first, signals) is None else plan.final
        assert rule is not None
        reason = None if rule.is_over_budget else render_reason(rule, signals)
        added = adds(signals) if reason else None
        reasons.append(reason)
        learned = RenderOutcome(plan=rule, signals=signals, reason=reason, added=added)
        refusal = Refusal(decision="content_policy", reason="min_text")
        cost = Cost(renders=int(reason is not None))
        planner.learn(plan, Refused(refusal=refusal, at=None, cost=cost, learned=learned))

    for signals in pages:
        under_way.append((planner.take("https://u1.edu/"), signals))
        if len(under_way) == window:
            commit()
    while under_way:
        commit()
    return reasons, planner.state_of("https://u1.edu/")


def never(signals: PageSignals) -> bool:
    return False


def only_shells(signals: PageSignals) -> bool:
    return signals.has_empty_root


@pytest.mark.parametrize("window", [1, 8, 40])
@pytest.mark.parametrize(
    "pages",
    [[COMPLETE] * 200, [THIN] * 200, [COMPLETE, THIN] * 100, [WIDGET] * 20, [THIN, WIDGET] * 10],
    ids=["long", "thin", "both", "widget", "thin and widget"],
)
def test_server_rendered_host_costs_a_probe_for_each_kind_of_evidence(
    pages: list[PageSignals], window: int
) -> None:
    reasons, state = crawl(pages, never, window=window)
    kinds = {signals for signals in pages if signals is not COMPLETE}
    assert sum(reason is not None for reason in reasons) <= len(kinds)
    assert state.mode is HostMode.LIGHT


@pytest.mark.parametrize("window", [1, 8, 64])
@pytest.mark.parametrize("signals", [SHELL, BARE], ids=["shell", "bare"])
def test_client_rendered_host_is_rendered_whole(signals: PageSignals, window: int) -> None:
    reasons, state = crawl([signals] * 100, lambda _: True, window=window)
    assert reasons == [needs_render(signals)] * 100
    assert state.mode is HostMode.RENDERED


def test_shell_with_a_long_menu_is_known_by_its_host() -> None:
    first = PageSignals(text_chars=500, html_chars=20_000, content_tags=20, scripts=3)
    reasons, _ = crawl([first, *[MENU_SHELL] * 10], lambda _: True)
    assert reasons == ["low_text_ratio", *["client_rendered_host"] * 10]


@pytest.mark.parametrize("window", [1, 8, 64])
@pytest.mark.parametrize("shell", [SHELL, BARE, THIN], ids=["shell", "bare", "thin"])
def test_mixed_site_is_neither_rendered_whole_nor_missed(shell: PageSignals, window: int) -> None:
    pages = [COMPLETE, COMPLETE, COMPLETE, shell] * 50
    reasons, state = crawl(pages, lambda signals: signals is shell, window=window)
    rendered = [signals for signals, reason in zip(pages, reasons, strict=True) if reason]
    assert rendered == [shell] * 50
    assert state.mode is HostMode.MIXED


def test_complete_pages_of_a_client_rendered_host_stay_light() -> None:
    pages = [SHELL, *[SHELL, COMPLETE] * 60]
    reasons, _ = crawl(pages, only_shells)
    wasted = sum(s is COMPLETE and r is not None for s, r in zip(pages, reasons, strict=True))
    missed = sum(s is SHELL and r is None for s, r in zip(pages, reasons, strict=True))
    assert (wasted <= 120 // SAMPLE_EVERY, missed) == (True, 0)


@pytest.mark.parametrize("window", [1, 8, 64])
def test_renders_that_mislead_are_left_to_samples(window: int) -> None:
    reasons, _ = crawl([SHELL] * 101, never, window=window)
    rendered = [number for number, reason in enumerate(reasons) if reason]
    assert rendered == [*range(10), 25, 50, 75, 100]


@pytest.mark.parametrize("window", [1, 8, 64])
def test_one_useless_render_does_not_write_off_pages_without_text(window: int) -> None:
    slow = replace(SHELL, html_chars=901)
    reasons, _ = crawl([slow, *[SHELL] * 40], lambda signals: signals is SHELL, window=window)
    assert reasons == ["empty_root"] * 41


@pytest.mark.parametrize("window", [1, 8, 64])
def test_useless_weak_probe_does_not_hide_an_application_section(window: int) -> None:
    reasons, state = crawl([THIN, THIN, SHELL, SHELL], only_shells, window=window)
    assert reasons == ["short_text", None, "empty_root", "empty_root"]
    assert state.mode is HostMode.MIXED


def test_failed_render_teaches_nothing() -> None:
    plan = settled_plan(HostState(), AUTO, is_sampled=True)
    failed = RenderOutcome(plan=plan, signals=THIN, reason="short_text", added=None)
    assert learn(HostState(), failed) == HostState()
    assert learn(HostState(), RenderOutcome(plan=plan, signals=None)) == HostState()


def test_until_a_host_has_proven_anything_a_page_only_claims_a_browser() -> None:
    assert first_plan(HostState(), AUTO, is_sampled=False).kind is PlanKind.ON_ANY
    misled = HostState(useless_weak=1, useless_strong=10)
    assert first_plan(misled, AUTO, is_sampled=False).kind is PlanKind.ON_STRONG
    assert settled_plan(misled, AUTO, is_sampled=False).kind is PlanKind.NEVER


def test_over_the_budget_a_page_still_says_why_it_should_be_rendered() -> None:
    plan = Plan(PlanKind.ON_ANY, is_over_budget=True)
    assert not plan.may_render
    assert render_reason(plan, SHELL) == "empty_root"


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
