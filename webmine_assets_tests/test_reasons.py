"""The reasons that the code gives and those that are explained are the same set."""

import ast
from pathlib import Path

import pytest

from webmine_assets import reasons
from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.rendering.absent import UNAVAILABLE
from webmine_assets.crawl.rendering.seat import BROWSER_CRASH, PAGE_CLOSED, PAGE_CRASH
from webmine_assets.crawl.rendering.second_pass import OVER_BUDGET
from webmine_assets.institutions import Institution
from webmine_assets.reasons import ANY_STATUS, MEANINGS, UNKNOWN, meaning_of
from webmine_assets.records import Decision

ROOT = Path(__file__).parent.parent
# Where a reason is written down as a literal: the name called, and the place of the reason.
_GIVERS = {
    "Refusal": "reason",
    "Exhausted": 1,
    "VisitError": 0,
    "unreadable": 0,
    "_policy": 0,
    "_refusal": 0,
    "_trap": 0,
    "_count": 0,
    "_out_of_scope": 0,
}
# Reasons that come about without such a call: of stored pages, aliases, PDF and reading processes.
_OTHERS = {
    "new", "changed", "unchanged", "imported", "redirect", "canonical", "checksum", "normalised",
    "ttl", "304", ANY_STATUS, "http_404", "http_410",
    "pdf_encrypted", "pdf_broken", "pdf_timeout", "pdf_crashed",
    "parser_timeout", "parser_crashed", "not_http", "empty", "undecodable", "content_type",
    UNAVAILABLE, OVER_BUDGET, PAGE_CRASH, PAGE_CLOSED, BROWSER_CRASH,
}  # fmt: skip
# Only ever in a page's render log, never in the ledger.
_LOGGED = {"render_navigation"}


def written_reasons() -> set[str]:
    """Every reason that stands as a literal in the crawl and the imports."""
    found = set()
    for folder in ("crawl", "stages"):
        for path in (ROOT / "webmine_assets" / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and (given := _reason_of(node)):
                    found.add(given)
    return found - _LOGGED


def _reason_of(call: ast.Call) -> str | None:
    name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
    place = _GIVERS.get(name)
    if isinstance(place, str):
        values = [keyword.value for keyword in call.keywords if keyword.arg == place]
    else:
        values = call.args[place : place + 1] if place is not None else []
    given = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
    return given[0] if given else None


def test_every_reason_is_explained_and_none_that_is_not_given() -> None:
    explained = {reason for given in MEANINGS.values() for reason in given}
    assert len(written_reasons()) > 25
    assert explained == written_reasons() | set(FetchReason) | _OTHERS


def test_every_decision_has_its_reasons() -> None:
    assert list(MEANINGS) == list(Decision)
    assert all(MEANINGS.values())


def test_settings_that_are_named_exist() -> None:
    keys = set(Institution.model_fields)
    for name, field in Institution.model_fields.items():
        inner = getattr(field.annotation, "model_fields", {})
        keys |= {f"{name}.{key}" for key in inner}
    others = {"webmine doctor", "host:port", "*.", "rendering.mode: never", "--max-pages"}
    for given in MEANINGS.values():
        for meaning in given.values():
            named = set(f"{meaning.says} {meaning.remedy}".split("`")[1::2])
            assert named <= keys | others, named


@pytest.mark.parametrize(
    ("decision", "reason", "expected"),
    [
        ("http_error", "http_503", MEANINGS[Decision.HTTP_ERROR][ANY_STATUS]),
        ("http_error", "http_404", MEANINGS[Decision.HTTP_ERROR]["http_404"]),
        ("http_error", "gone", MEANINGS[Decision.HTTP_ERROR]["gone"]),
        ("stored", "no such reason", UNKNOWN),
        ("no such decision", "new", UNKNOWN),
    ],
)
def test_a_row_is_explained(decision: str, reason: str, expected: reasons.Meaning) -> None:
    assert meaning_of(decision, reason) == expected
