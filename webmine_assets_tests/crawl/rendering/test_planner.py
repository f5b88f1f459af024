"""What hosts teach is kept apart, and the budget of renders holds across them."""

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.outcome import Cost, Refused
from webmine_assets.crawl.pages.page_signals import PageSignals
from webmine_assets.crawl.rendering.planner import RenderPlanner
from webmine_assets.crawl.rendering.render_policy import (
    Plan,
    PlanKind,
    RenderOutcome,
)
from webmine_assets.institutions import Rendering

ONE, TWO = "https://one.u1.edu/a", "https://two.u1.edu/a"
SHELL = PageSignals(text_chars=20, html_chars=900, scripts=1, has_empty_root=True)


def outcome(plan: Plan, *, renders: int = 0, added: bool | None = None) -> Refused:
    reason = "empty_root" if renders else None
    return Refused(
        refusal=Refusal(decision="content_policy", reason="min_text"),
        at=None,
        cost=Cost(renders=renders),
        learned=RenderOutcome(plan=plan, signals=SHELL, reason=reason, added=added),
    )


def test_each_host_is_learned_by_itself() -> None:
    planner = RenderPlanner(Rendering())
    plan = planner.plan(ONE)
    planner.learn(ONE, plan, outcome(plan, renders=1, added=True))
    assert planner.plan(ONE).kind is PlanKind.UNLESS_COMPLETE
    assert planner.plan(TWO).kind is PlanKind.ON_ANY


def test_pages_under_way_hold_the_budget_and_give_it_back() -> None:
    planner = RenderPlanner(Rendering(max_pages=1))
    first = planner.plan(ONE)
    assert first.may_render
    assert planner.plan(TWO).is_over_budget
    planner.learn(ONE, first, outcome(first))
    second = planner.plan(TWO)
    assert second.may_render
    planner.learn(TWO, second, outcome(second, renders=1, added=True))
    assert planner.plan(TWO).is_over_budget


def test_page_that_gave_nothing_to_learn_frees_its_place() -> None:
    planner = RenderPlanner(Rendering(max_pages=1))
    plan = planner.plan(ONE)
    gone = Refused(refusal=Refusal(decision="fetch_error", reason="timeout"), at=None)
    planner.learn(ONE, plan, gone)
    assert planner.plan(ONE).may_render


def test_mode_never_plans_nothing_and_holds_nothing() -> None:
    planner = RenderPlanner(Rendering(mode="never", max_pages=1))
    assert {planner.plan(url).kind for url in (ONE, ONE, TWO)} == {PlanKind.NEVER}
