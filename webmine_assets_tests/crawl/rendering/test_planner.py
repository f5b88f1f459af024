"""What hosts teach is kept apart, and the budget of renders holds across them."""

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.outcome import Cost, Refused
from webmine_assets.crawl.pages.page_signals import PageSignals
from webmine_assets.crawl.rendering.planner import PagePlan, RenderPlanner
from webmine_assets.crawl.rendering.render_policy import PlanKind, RenderOutcome
from webmine_assets.institutions import Rendering

ONE, TWO = "https://one.u1.edu/a", "https://two.u1.edu/a"
SHELL = PageSignals(text_chars=20, html_chars=900, scripts=1, has_empty_root=True)


def outcome(plan: PagePlan, *, renders: int = 0, added: bool | None = None) -> Refused:
    reason = "empty_root" if renders else None
    rule = plan.final or plan.first
    return Refused(
        refusal=Refusal(decision="content_policy", reason="min_text"),
        at=None,
        cost=Cost(renders=renders),
        learned=RenderOutcome(plan=rule, signals=SHELL, reason=reason, added=added),
    )


async def test_each_host_is_learned_by_itself() -> None:
    planner = RenderPlanner(Rendering())
    plan = planner.take(ONE)
    planner.learn(plan, outcome(plan, renders=1, added=True))
    assert (await planner.take(ONE).settled()).kind is PlanKind.UNLESS_COMPLETE
    assert planner.take(TWO).final is None


async def test_a_page_waits_until_its_host_has_proven_to_need_a_browser() -> None:
    planner = RenderPlanner(Rendering())
    probe, waiting, elsewhere = planner.take(ONE), planner.take(ONE), planner.take(TWO)
    planner.settle(probe)
    assert (probe.final is None, waiting.final, elsewhere.final) == (False, None, None)
    planner.learn(probe, outcome(probe, renders=1, added=True))
    assert (await waiting.settled()).kind is PlanKind.UNLESS_COMPLETE
    assert elsewhere.final is None


def test_the_budget_goes_to_the_first_pages_that_want_it() -> None:
    planner = RenderPlanner(Rendering(max_pages=2))
    complete = [planner.take(ONE) for _ in range(3)]
    shells = [planner.take(ONE) for _ in range(3)]
    for plan in complete:
        planner.settle(plan)
        planner.learn(plan, outcome(plan))
    over = []
    for plan in shells:
        planner.settle(plan)
        assert plan.final is not None
        over.append(plan.final.is_over_budget)
        planner.learn(plan, outcome(plan, renders=int(not over[-1]), added=True))
    assert over == [False, False, True]


def test_pages_under_way_hold_the_budget_and_give_it_back() -> None:
    planner = RenderPlanner(Rendering(mode="always", max_pages=1))
    first, second, third = planner.take(ONE), planner.take(TWO), planner.take(TWO)
    assert first.final is not None
    assert second.final is None
    planner.learn(first, outcome(first))
    assert second.final is not None
    assert not second.final.is_over_budget
    planner.drop(second)
    planner.settle(third)
    assert third.final is not None
    assert third.final.may_render


def test_page_that_gave_nothing_to_learn_frees_its_place() -> None:
    planner = RenderPlanner(Rendering(max_pages=1))
    plan = planner.take(ONE)
    gone = Refused(refusal=Refusal(decision="fetch_error", reason="timeout"), at=None)
    planner.learn(plan, gone)
    another = planner.take(ONE)
    planner.settle(another)
    assert another.final is not None
    assert another.final.may_render


def test_mode_never_plans_nothing_and_holds_nothing() -> None:
    planner = RenderPlanner(Rendering(mode="never", max_pages=1))
    plans = [planner.take(url).final for url in (ONE, ONE, TWO)]
    assert {plan.kind for plan in plans if plan} == {PlanKind.NEVER}
