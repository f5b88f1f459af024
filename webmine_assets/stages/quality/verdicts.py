"""Verdicts on a partition from a few numbers of it. Pure.

The limits compare a partition with its own history, so a small site and a large one, a steady and
a lively one all pass while they are as they use to be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import sqrt
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a check found; `numbers` are shown beside it.

    A failure that is not `severe` is a warning: it is to be looked at, and stops nothing.
    """

    passed: bool
    summary: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    severe: bool = True


# Fewer pages than this swing too easily to judge their number or their languages.
_LEAST_PAGES = 5
# The median absolute deviation times this is the standard deviation of a normal distribution; it is
# taken because one bad crawl among ten moves it little, and a collapse must not excuse the next.
_MAD_TO_SIGMA = 1.4826
_SIGMAS = 3
# A site loses or gains pages every week. A third of them beyond its own swings is unusual; half of
# them at once is a fault (a login wall, a redesign that hides its links, a crawl cut short). With
# weekly swings of 15 % and ten crawls to compare with, 0.9 % of ordinary crawls are flagged (5,000
# simulated ones); with a quarter as the limit it were 1.8 %.
_UNUSUAL_LOSS = 1 / 3
_COLLAPSE = 0.5
# However lively a site is: so little of it is not the site.
_REMNANT = 1 / 3
_UNUSUAL_GROWTH = 1.0
# A few pages fail in every crawl and stay as they were; with a third of them so something is down.
_UNHEARD = 1 / 3
# Two of ten requests refused is a block, a few 403s behind a login are ordinary; a site that has
# many of them in every crawl is judged by what is new. Half refused is a block, usual or not.
_BLOCKED_SHARE = 0.2
_BLOCKED_RISE = 0.15
_BLOCKED_ALWAYS = 0.5
_BLOCKED_LEAST = 5
# Text is what the corpus is for: a third of the pages without any means extraction failed, unless
# the site is one of pictures and was so before.
_EMPTY_SHARE = 0.34
_EMPTY_RISE = 0.2
_LANGUAGE_SHIFT = 0.2
_LATE_TTLS = 2


def judge_volume(pages: int, history: Sequence[int], *, max_pages: int | None = None) -> Verdict:
    """Pages of this crawl against the earlier ones, and no more of them than the file allows."""
    numbers: dict[str, Any] = {"pages": pages, "earlier_crawls": len(history)}
    if pages == 0:
        return Verdict(passed=False, summary="the crawl stored no page", numbers=numbers)
    if not history:
        return Verdict(passed=True, summary=f"first crawl, {pages} pages", numbers=numbers)
    allowed = [min(count, max_pages or count) for count in history]
    usual, swing = median(allowed), _swing(allowed)
    numbers |= {"usual": int(usual), "usual_swing": round(swing, 1)}
    collapsed = pages < max(_REMNANT * usual, min(_COLLAPSE * usual, usual - swing))
    unusual = (
        pages < usual - max(swing, _UNUSUAL_LOSS * usual)
        or pages > usual + max(swing, _UNUSUAL_GROWTH * usual)
    )  # fmt: skip
    return Verdict(
        passed=usual < _LEAST_PAGES or not (collapsed or unusual),
        summary=f"{pages} pages; {usual:g} are usual",
        numbers=numbers,
        severe=collapsed,
    )


def judge_kept(volume: Verdict, pages: int, kept: int, failed: int, *, says: str) -> Verdict:
    """The verdict on the volume, unless it rests on pages of which nothing was heard.

    `failed` of those that were kept are so because something failed, not for the crawl's budgets.
    """
    if not kept:
        return volume
    numbers = {**volume.numbers, "kept": kept, "kept_after_failures": failed}
    if kept >= pages:
        summary = f"nothing could be asked for; {says}"
        return Verdict(passed=False, summary=summary, numbers=numbers)
    return replace(
        volume,
        passed=volume.passed and failed < _UNHEARD * pages,
        severe=volume.severe and not volume.passed,
        summary=f"{volume.summary}; {says}",
        numbers=numbers,
    )


def _swing(counts: Sequence[float]) -> float:
    """How far from the median is still ordinary for these counts."""
    middle = median(counts)
    return _SIGMAS * _MAD_TO_SIGMA * median(abs(count - middle) for count in counts)


def judge_freshness(oldest: datetime | None, *, now: datetime, ttl_days: float) -> Verdict:
    """The oldest page against twice its time to live."""
    if oldest is None:
        return Verdict(passed=False, summary="there is no page", severe=False)
    age = now - oldest
    limit = timedelta(days=max(ttl_days, 1) * _LATE_TTLS)
    return Verdict(
        passed=age <= limit,
        summary=f"the oldest page is {age.days} days old; {limit.days} are allowed",
        numbers={"age_days": round(age.total_seconds() / 86400, 2)},
        severe=False,
    )


def judge_blocking(
    blocked: int, asked: int, captchas: int, *, history: Sequence[float] = ()
) -> Verdict:
    """Requests refused (403, 429, 503, unreachable robots) and pages that are CAPTCHAs."""
    bad = blocked + captchas
    share = bad / asked if asked else 0.0
    usual = median(history) if history else 0.0
    limit = min(max(_BLOCKED_SHARE, usual + _BLOCKED_RISE), _BLOCKED_ALWAYS)
    return Verdict(
        passed=not (bad >= _BLOCKED_LEAST and share > limit),
        summary=f"{blocked} of {asked} requests refused, {captchas} CAPTCHA pages; "
        f"{usual:.0%} are usual",
        numbers={
            "blocked": blocked,
            "captchas": captchas,
            "share": round(share, 3),
            "usual_share": round(usual, 3),
        },
    )


def judge_empty_text(empty: int, pages: int, *, history: Sequence[float] = ()) -> Verdict:
    """Pages without main text, against the share of them in earlier enhancements."""
    share = empty / pages if pages else 0.0
    usual = median(history) if history else 0.0
    return Verdict(
        passed=share <= max(_EMPTY_SHARE, usual + _EMPTY_RISE),
        summary=f"{empty} of {pages} pages have no text; {usual:.0%} are usual",
        numbers={"empty": empty, "share": round(share, 3), "usual_share": round(usual, 3)},
        severe=False,
    )


def judge_languages(now: Mapping[str, int], history: Sequence[Mapping[str, int]]) -> Verdict:
    """How much of the corpus has another language than in the earlier crawls together."""
    before = _shares([_shares([mix]) for mix in history if sum(mix.values()) >= _LEAST_PAGES])
    pages = sum(now.values())
    if not before or not pages:
        return Verdict(passed=True, summary="nothing to compare with", numbers=dict(now))
    mix = _shares([now])
    shift = sum(abs(mix.get(n, 0) - before.get(n, 0)) for n in mix.keys() | before.keys()) / 2
    return Verdict(
        # The share of a language among few pages swings by chance: by 1/√n at two deviations.
        passed=shift <= _LANGUAGE_SHIFT + 1 / sqrt(pages),
        summary=f"{shift:.0%} of the language mix moved",
        numbers={"shift": round(shift, 3), **now},
        severe=False,
    )


def _shares(mixes: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The share of each name in all mixes together."""
    total = sum(sum(mix.values()) for mix in mixes)
    names = {name for mix in mixes for name in mix}
    return {name: sum(mix.get(name, 0) for mix in mixes) / total for name in names}


def judge_none(
    found: int, what: str, examples: Sequence[str] = (), *, severe: bool = False
) -> Verdict:
    """A fault that must not occur at all."""
    return Verdict(
        passed=found == 0,
        summary=f"{found} {what}",
        numbers={"found": found, "examples": list(examples)},
        severe=severe,
    )


def judge_ledger(rows: int, urls: int, stored: int, pages: int) -> Verdict:
    """One decision per URL, and as many pages as the ledger says were kept."""
    return Verdict(
        passed=rows == urls and stored == pages,
        summary=f"{rows} decisions on {urls} URLs; {stored} kept in the ledger, {pages} pages",
        numbers={"rows": rows, "urls": urls, "kept": stored, "pages": pages},
    )
