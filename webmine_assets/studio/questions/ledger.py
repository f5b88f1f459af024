"""What was decided about URLs, and why."""

from dataclasses import dataclass
from typing import Any

from webmine_assets.studio.questions import Ask, Row

FAILED = "failed"
FAILURES = ("http_error", "fetch_error", "render_error")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFilter:
    """`url` is a part of the address, or the whole; `decision` may be FAILED, any of the errors."""

    institution: str | None = None
    decision: str | None = None
    reason: str | None = None
    url: str | None = None


def ask_ledger(ask: Ask, wanted: LedgerFilter, *, limit: int, offset: int) -> list[Row]:
    """One screen of decisions, an exact match of the address first."""
    where, parameters = _where(wanted)
    return ask(
        f"""
        select institution, url, decision, reason, detail, depth, discovered_from, decided_at
        from url_ledger {where}
        order by url = ? desc, institution, url limit ? offset ?
        """,  # noqa: S608  # every piece is a constant of this module; values are parameters
        [*parameters, wanted.url or "", limit, offset],
    )


def count_ledger(ask: Ask, wanted: LedgerFilter) -> int:
    where, parameters = _where(wanted)
    return int(ask(f"select count(*) as n from url_ledger {where}", parameters)[0]["n"])  # noqa: S608  # as above


def ask_verdict(ask: Ask, urls: list[str]) -> list[Row]:
    """The rows about exactly these addresses, in any institution."""
    return ask(
        """
        select l.institution, l.url, l.decision, l.reason, l.detail, l.depth, l.discovered_from,
               l.decided_at, s.page_id
        from url_ledger l left join page_snapshots s
            on s.institution = l.institution and s.url = l.url
        where list_contains(?, l.url) order by l.institution
        """,
        [urls],
    )


def ask_reasons(ask: Ask) -> list[Row]:
    return ask("select distinct decision, reason from url_ledger order by decision, reason")


def _decisions(decision: str | None) -> list[str] | None:
    if decision is None:
        return None
    return list(FAILURES) if decision == FAILED else [decision]


def _where(wanted: LedgerFilter) -> tuple[str, list[Any]]:
    tests = [
        ("institution = ?", wanted.institution),
        ("list_contains(?, decision)", _decisions(wanted.decision)),
        ("reason = ?", wanted.reason),
        ("contains(lower(url), lower(?))", wanted.url),
    ]
    used = [(test, value) for test, value in tests if value is not None]
    where = f"where {' and '.join(test for test, _ in used)}" if used else ""
    return where, [value for _, value in used]
