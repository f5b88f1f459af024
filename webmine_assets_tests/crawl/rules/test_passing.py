import pytest

from webmine_assets.crawl.exchange import FetchReason, Refusal
from webmine_assets.crawl.rules.passing import is_passing
from webmine_assets.reasons import ANY_STATUS, MEANINGS
from webmine_assets.records import Decision

_OURS = {FetchReason.BLOCKED_ADDRESS, FetchReason.REDIRECT_REFUSED}


@pytest.mark.parametrize(
    ("decision", "reason", "expected"),
    [
        ("http_error", "http_503", True),
        ("http_error", "http_500", True),
        ("http_error", "http_520", True),
        ("http_error", "http_429", True),
        ("http_error", "http_408", True),
        ("http_error", "http_403", True),
        ("http_error", "http_401", False),
        ("http_error", "http_451", False),
        ("http_error", "http_404", False),
        ("http_error", "http_410", False),
        ("http_error", "gone", False),
        ("fetch_error", "timeout", True),
        ("fetch_error", "internal", True),
        ("fetch_error", "blocked_address", False),
        ("fetch_error", "redirect_refused", False),
        ("robots_blocked", "robots_unreachable", True),
        ("robots_blocked", "robots_rule", False),
        ("content_policy", "parser_crashed", True),
        ("content_policy", "language", False),
        ("content_policy", "redirect_loop", False),
        ("over_depth", "max_depth", False),
        ("over_pages", "max_pages", False),
        ("out_of_scope", "host", False),
    ],
)
def test_what_may_pass_takes_no_page_away(decision: str, reason: str, expected: bool) -> None:
    refusal = Refusal(decision=decision, reason=reason)
    assert is_passing(refusal, was_rendered=False) is expected


def test_a_browser_that_fails_matters_to_pages_that_one_showed() -> None:
    refusal = Refusal(decision=Decision.RENDER_ERROR, reason="unavailable")
    assert is_passing(refusal, was_rendered=True)
    assert not is_passing(refusal, was_rendered=False)


def test_every_failure_of_a_fetch_is_decided_about() -> None:
    passing = {
        reason
        for reason in MEANINGS[Decision.FETCH_ERROR]
        if is_passing(Refusal(decision="fetch_error", reason=reason), was_rendered=False)
    }
    assert passing == MEANINGS[Decision.FETCH_ERROR].keys() - _OURS


def test_kept_pages_have_the_reasons_that_may_pass_and_those_of_budgets() -> None:
    passing = {
        reason
        for decision, reasons in MEANINGS.items()
        for reason in reasons
        if is_passing(
            Refusal(decision=decision, reason=reason.replace("*", "500")), was_rendered=True
        )
    }
    budgets = {"max_pages", "max_requests", "max_seconds", "max_bytes"}
    assert MEANINGS[Decision.KEPT].keys() == passing | budgets
    assert ANY_STATUS in passing
