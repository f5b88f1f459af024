"""Verdicts on a partition from a few numbers of it. Pure.

The limits compare a partition with its own history, so a small site and a large one both pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a check found; `numbers` are shown beside it."""

    passed: bool
    summary: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


# A site loses or gains pages every week; half of them at once is a fault (a login wall, a redesign
# that hides its links, a crawl cut short). Fewer than five pages swing too easily to judge.
_VOLUME_SHARE = 0.5
_VOLUME_LEAST = 5
# Two of ten requests refused is a block; a few 403s behind a login are ordinary.
_BLOCKED_SHARE = 0.2
_BLOCKED_LEAST = 5
# Text is what the corpus is for: a third of the pages without any means extraction failed.
_EMPTY_SHARE = 0.34
_LANGUAGE_SHIFT = 0.3
_LATE_TTLS = 2


def judge_volume(pages: int, history: Sequence[int]) -> Verdict:
    """Pages of this crawl against the median of the earlier ones."""
    numbers = {"pages": pages, "earlier_crawls": len(history)}
    if pages == 0:
        return Verdict(passed=False, summary="the crawl stored no page", numbers=numbers)
    if not history:
        return Verdict(passed=True, summary=f"first crawl, {pages} pages", numbers=numbers)
    usual = median(history)
    numbers["usual"] = int(usual)
    fell = usual >= _VOLUME_LEAST and pages < usual * _VOLUME_SHARE
    return Verdict(passed=not fell, summary=f"{pages} pages; {usual:g} are usual", numbers=numbers)


def judge_freshness(oldest: datetime | None, *, now: datetime, ttl_days: float) -> Verdict:
    """The oldest page against twice its time to live."""
    if oldest is None:
        return Verdict(passed=False, summary="there is no page")
    age = now - oldest
    limit = timedelta(days=max(ttl_days, 1) * _LATE_TTLS)
    return Verdict(
        passed=age <= limit,
        summary=f"the oldest page is {age.days} days old; {limit.days} are allowed",
        numbers={"age_days": round(age.total_seconds() / 86400, 2)},
    )


def judge_blocking(blocked: int, asked: int, captchas: int) -> Verdict:
    """Requests refused (403, 429, 503, unreachable robots) and pages that are CAPTCHAs."""
    bad = blocked + captchas
    share = bad / asked if asked else 0.0
    return Verdict(
        passed=not (bad >= _BLOCKED_LEAST and share > _BLOCKED_SHARE),
        summary=f"{blocked} of {asked} requests refused, {captchas} CAPTCHA pages",
        numbers={"blocked": blocked, "captchas": captchas, "share": round(share, 3)},
    )


def judge_empty_text(empty: int, pages: int) -> Verdict:
    """Pages without main text."""
    share = empty / pages if pages else 0.0
    return Verdict(
        passed=share <= _EMPTY_SHARE,
        summary=f"{empty} of {pages} pages have no text",
        numbers={"empty": empty, "share": round(share, 3)},
    )


def judge_languages(now: Mapping[str, int], before: Mapping[str, int] | None) -> Verdict:
    """How much of the corpus changed its language since the last crawl."""
    if not before or sum(before.values()) < _VOLUME_LEAST or not now:
        return Verdict(passed=True, summary="nothing to compare with", numbers=dict(now))
    shares = [{k: v / sum(mix.values()) for k, v in mix.items()} for mix in (now, before)]
    names = shares[0].keys() | shares[1].keys()
    shift = sum(abs(shares[0].get(n, 0) - shares[1].get(n, 0)) for n in names) / 2
    return Verdict(
        passed=shift <= _LANGUAGE_SHIFT,
        summary=f"{shift:.0%} of the language mix moved",
        numbers={"shift": round(shift, 3), **now},
    )


def judge_none(found: int, what: str, examples: Sequence[str] = ()) -> Verdict:
    """A fault that must not occur at all."""
    return Verdict(
        passed=found == 0,
        summary=f"{found} {what}",
        numbers={"found": found, "examples": list(examples)},
    )


def judge_ledger(rows: int, urls: int, stored: int, pages: int) -> Verdict:
    """One decision per URL, and as many pages as the ledger says were kept."""
    return Verdict(
        passed=rows == urls and stored == pages,
        summary=f"{rows} decisions on {urls} URLs; {stored} kept in the ledger, {pages} pages",
        numbers={"rows": rows, "urls": urls, "kept": stored, "pages": pages},
    )
