"""Pages that stay from the last crawl, as this one could not ask for them or show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

QUESTION = """
select l.reason, count(*) as pages, min(p.fetched_at) as oldest, max(p.fetched_at) as newest,
       arg_min(l.url, l.depth) as example
from url_ledger l join page_snapshots p on p.institution = l.institution and p.url = l.url
where l.institution = $1 and l.decision = 'kept'
group by l.reason order by pages desc, l.reason
"""
"""Its rows, about one institution, are what `kept_pages` takes."""

BUDGETS = frozenset({"max_pages", "max_requests", "max_seconds", "max_bytes"})
"""Reasons that nobody's failure is: the crawl was to end before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPages:
    """How many pages stay, how many of them since something failed, and why."""

    pages: int = 0
    failed: int = 0
    says: str = "none"
    example: str | None = None


def kept_pages(rows: Sequence[dict[str, Any]]) -> KeptPages:
    """The answer to `QUESTION`, in numbers and in words."""
    if not rows:
        return KeptPages()
    pages = sum(row["pages"] for row in rows)
    ends = (min(row["oldest"] for row in rows), max(row["newest"] for row in rows))
    since = " to ".join(dict.fromkeys(f"{at:%Y-%m-%d}" for at in ends))
    reasons = ", ".join(f"{row['reason']} ({row['pages']})" for row in rows)
    return KeptPages(
        pages=pages,
        failed=sum(row["pages"] for row in rows if row["reason"] not in BUDGETS),
        says=f"{pages} {'page' if pages == 1 else 'pages'} kept from {since}: {reasons}",
        example=rows[0]["example"],
    )
