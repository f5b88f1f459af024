"""When a page is worth a browser: what its host has taught, and what the page itself shows.

Pure. A host's state changes only when a page is committed, in frontier order, so the pages chosen
for rendering do not depend on latency.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from webmine_assets.crawl.pages.page_signals import PageSignals, Signal, needs_render
from webmine_assets.institutions import Rendering

# A mixed site is found again within this many pages, at the cost of one render in as many.
SAMPLE_EVERY = 25
# In a client-rendered host a page is complete without scripts only if its own text is well beyond
# that of the shells seen so far (menu and footer, which may be long).
_SHELL_FACTOR = 2
_SHELL_MARGIN_CHARS = 400
# Pages that have nothing to store without a browser are worth more tries than those that have.
_EMPTY_TRIES = 10


class HostMode(StrEnum):
    """What a host has shown so far."""

    UNDECIDED = "undecided"
    LIGHT = "light"
    RENDERED = "rendered"
    MIXED = "mixed"


class PlanKind(StrEnum):
    """On which evidence a page is rendered; each page is fetched light first in any case."""

    NEVER = "never"
    ON_EMPTY = "on_empty"
    ON_STRONG = "on_strong"
    ON_ANY = "on_any"
    UNLESS_COMPLETE = "unless_complete"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Plan:
    """The rule for one page; `why` is the reason stored when the page itself shows no signal.

    Over the budget nothing is rendered, but each page that should be can say so.
    """

    kind: PlanKind
    why: str = ""
    shell_chars: int = 0
    is_over_budget: bool = False

    @property
    def may_render(self) -> bool:
        return self.kind is not PlanKind.NEVER and not self.is_over_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState:
    """What is known of one host."""

    mode: HostMode = HostMode.UNDECIDED
    taken: int = 0
    useful: int = 0
    useless_weak: int = 0
    useless_strong: int = 0
    shell_chars: int = 0

    @property
    def is_proven(self) -> bool:
        """Whether a browser has shown more of a page of this host than was received."""
        return self.useful > 0

    @property
    def is_next_sampled(self) -> bool:
        return self.taken % SAMPLE_EVERY == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOutcome:
    """A committed page: `reason` None means it stayed light; `added` None that a render failed."""

    plan: Plan
    signals: PageSignals | None
    reason: str | None = None
    added: bool | None = None


def first_plan(state: HostState, rendering: Rendering, *, is_sampled: bool) -> Plan:
    """What a page may count on when it is taken.

    Of a host that has proven nothing yet this is no more than a claim: which of its pages is to be
    the probe shows when all pages before it are known (`settled_plan`).
    """
    if rendering.mode == "auto" and not state.is_proven:
        return Plan(PlanKind.ON_STRONG if state.useless_weak else PlanKind.ON_ANY)
    return settled_plan(state, rendering, is_sampled=is_sampled)


def settled_plan(state: HostState, rendering: Rendering, *, is_sampled: bool) -> Plan:
    """The rule for a page by what its host has shown."""
    if rendering.mode == "never":
        return Plan(PlanKind.NEVER)
    if rendering.mode == "always":
        return Plan(PlanKind.ALWAYS, "mode_always")
    if state.mode is HostMode.RENDERED:
        kind = PlanKind.ALWAYS if is_sampled else PlanKind.UNLESS_COMPLETE
        return Plan(kind, "client_rendered_host", state.shell_chars)
    if state.mode is HostMode.MIXED:
        return _plan_mixed(state, is_sampled=is_sampled)
    return Plan(_unproven(state, is_sampled=is_sampled))


def _plan_mixed(state: HostState, *, is_sampled: bool) -> Plan:
    """Pages that look like the shells seen are rendered as long as that was right more often."""
    if state.useful > state.useless_weak:
        return Plan(PlanKind.UNLESS_COMPLETE, "client_rendered_section", state.shell_chars)
    return Plan(PlanKind.ON_ANY if is_sampled else PlanKind.ON_STRONG)


def _unproven(state: HostState, *, is_sampled: bool) -> PlanKind:
    """One probe for pages that can be stored as they are; samples find out if that changes."""
    if not state.useless_weak and not state.useless_strong:
        return PlanKind.ON_ANY
    if is_sampled or not state.useless_strong:
        return PlanKind.ON_STRONG
    return PlanKind.ON_EMPTY if state.useless_strong < _EMPTY_TRIES else PlanKind.NEVER


def render_reason(plan: Plan, signals: PageSignals) -> str | None:
    """Why this page is to be rendered (`meta.render_reason`), or None to keep the light one."""
    signal = needs_render(signals)
    if plan.kind is PlanKind.NEVER:
        return None
    if signals.is_error:
        return signal
    if plan.kind is PlanKind.ON_EMPTY:
        return signal if signal and signals.is_empty else None
    if plan.kind is PlanKind.ON_STRONG:
        return signal if signal and signal.is_strong else None
    if plan.kind is PlanKind.ON_ANY or signal:
        return signal
    if plan.kind is PlanKind.UNLESS_COMPLETE and _is_complete(plan, signals):
        return None
    return plan.why


def _is_complete(plan: Plan, signals: PageSignals) -> bool:
    return signals.text_chars > _SHELL_FACTOR * plan.shell_chars + _SHELL_MARGIN_CHARS


def learn(state: HostState, outcome: RenderOutcome) -> HostState:
    """The host's state after a page of it was committed."""
    if outcome.signals is None:
        return state
    if outcome.reason is None:
        return _learn_light(state, outcome)
    if outcome.added is None:
        return state
    if outcome.added:
        return _learn_useful(state, outcome.signals)
    return _learn_useless(state, needs_render(outcome.signals))


def _learn_light(state: HostState, outcome: RenderOutcome) -> HostState:
    if not outcome.plan.may_render:
        return state
    if state.mode is HostMode.UNDECIDED:
        return replace(state, mode=HostMode.LIGHT)
    if outcome.plan.kind is PlanKind.UNLESS_COMPLETE:
        return replace(state, mode=HostMode.MIXED)
    return state


def _learn_useful(state: HostState, signals: PageSignals) -> HostState:
    was_light = state.mode in (HostMode.LIGHT, HostMode.MIXED)
    return replace(
        state,
        mode=HostMode.MIXED if was_light else HostMode.RENDERED,
        useful=state.useful + 1,
        shell_chars=max(state.shell_chars, signals.text_chars),
    )


def _learn_useless(state: HostState, signal: Signal | None) -> HostState:
    strong = signal is not None and signal.is_strong
    return replace(
        state,
        mode=HostMode.MIXED if state.useful else HostMode.LIGHT,
        useless_strong=state.useless_strong + strong,
        useless_weak=state.useless_weak + (not strong),
    )
