"""What each check asks of the lake, and how it is judged."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from webmine_assets.archive.check import check_archive
from webmine_assets.records import PAGE_DECISIONS, Decision
from webmine_assets.stages.kept import BUDGETS, QUESTION, kept_pages
from webmine_assets.stages.quality.questions import Questions
from webmine_assets.stages.quality.verdicts import (
    Verdict,
    judge_blocking,
    judge_empty_text,
    judge_freshness,
    judge_kept,
    judge_languages,
    judge_ledger,
    judge_none,
    judge_volume,
)

_REFUSALS = frozenset(
    f"{decision}:http_{status}"
    for decision in (Decision.HTTP_ERROR, Decision.KEPT)
    for status in (401, 403, 429, 503)
) | {"robots_blocked:robots_unreachable", "kept:robots_unreachable"}
# Out of scope, or cut off by a budget: not asked for. Pages from the cache do count as asked for:
# a site whose pages are all fresh and whose five login links are refused, as ever, is not blocked.
_NOT_ASKED = frozenset({"out_of_scope", "disallowed_path", "trap"}) | {
    f"over_{budget}" for budget in ("depth", "pages", "time", "bytes")
}
_LEFT = frozenset(f"{Decision.KEPT}:{budget}" for budget in BUDGETS)


def check_volume(ask: Questions) -> Verdict:
    counts = [
        sum(dict(row["decisions"]).get(name, 0) for name in PAGE_DECISIONS) for row in _reports(ask)
    ]
    now, *history = counts or [0]
    kept = kept_pages(ask.rows(QUESTION))
    verdict = judge_volume(now, history, max_pages=ask.institution.max_pages)
    return judge_kept(verdict, now, kept.pages, kept.failed, says=kept.says)


def check_blocking(ask: Questions) -> Verdict:
    rows = ask.rows(
        "select decision || ':' || reason as name, count(*) as urls from url_ledger"
        " where institution = $1 group by all"
    )
    blocked, asked = _refused({row["name"]: row["urls"] for row in rows})
    captchas = ask.one(
        """
        select count(*) as n from page_snapshots where institution = $1 and length(text) < 1500
        and regexp_matches(lower(coalesce(title, '') || ' ' || text),
            'captcha|verify (that )?you are (a )?human|unusual traffic|just a moment\\.\\.\\.')
        """
    )["n"]
    # How many pages of earlier crawls were CAPTCHAs is not kept.
    earlier = [_refused(dict(row["reasons"])) for row in _reports(ask)[1:]]
    history = [refused / wanted for refused, wanted in earlier if wanted]
    return judge_blocking(blocked, asked, captchas, history=history)


def _refused(reasons: Mapping[str, int]) -> tuple[int, int]:
    """How many URLs were refused, of how many that were asked for."""
    asked = {
        name: n
        for name, n in reasons.items()
        if name.split(":")[0] not in _NOT_ASKED and name not in _LEFT
    }
    return sum(n for name, n in asked.items() if name in _REFUSALS), sum(asked.values())


def _reports(ask: Questions) -> list[dict[str, Any]]:
    """This crawl's report and the ten before it: a quarter of a year of weekly ones."""
    return ask.rows(
        "select decisions, reasons, languages from crawl_reports where institution = $1"
        " order by started_at desc limit 11"
    )


def check_empty_text(ask: Questions) -> Verdict:
    found = ask.one(
        "select count(*) as pages, count(*) filter (trim(text) = '') as empty"
        " from page_content where institution = $1"
    )
    history = ask.earlier.get("empty_text_share", ())
    return judge_empty_text(found["empty"], found["pages"], history=history)


def check_languages(ask: Questions) -> Verdict:
    now, *history = [dict(row["languages"]) for row in _reports(ask)] or [{}]
    return judge_languages(now, history)


def check_ledger(ask: Questions) -> Verdict:
    found = ask.one(
        f"""
        select count(*) as rows, count(distinct url) as urls,
               count(*) filter (decision in {tuple(map(str, PAGE_DECISIONS))}) as stored,
               (select count(*) from page_snapshots p where p.institution = $1) as pages
        from url_ledger where institution = $1
        """  # noqa: S608  # constants of the records
    )
    return judge_ledger(**found)


def check_dates(ask: Questions) -> Verdict:
    rows = ask.rows(
        """
        select url from page_metadata where institution = $1
        and (published_on > current_date + 1 or published_on < date '1990-01-01'
             or modified_on > current_date + 1 or modified_on < date '1990-01-01')
        """
    )
    return judge_none(len(rows), "impossible dates", [row["url"] for row in rows[:5]])


def check_provenance(ask: Questions) -> Verdict:
    rows = ask.rows(
        """
        with wanted as (
            select url, unnest([
                case when title is not null then 'title' end,
                case when description is not null then 'description' end,
                case when image_url is not null then 'image' end,
                case when len(authors) > 0 then 'author' end,
                case when published_at is not null then 'date' end,
                case when modified_at is not null then 'modified' end,
                case when content_text is not null then 'content' end]) as field,
                [p.field for p in provenance if p.source <> ''] as known
            from page_metadata where institution = $1
        )
        select url || ' ' || field as missing from wanted
        where field is not null and not list_contains(known, field)
        """
    )
    return judge_none(
        len(rows), "values without a source", [r["missing"] for r in rows[:5]], severe=True
    )


def check_rules(ask: Questions) -> Verdict:
    rows = ask.rows(
        "select distinct unnest(rules_invalid) as rule from page_content where institution = $1"
    )
    return judge_none(len(rows), "invalid extraction rules", [row["rule"] for row in rows])


def check_extraction(ask: Questions) -> Verdict:
    rows = ask.rows("select url from page_content where institution = $1 and error is not null")
    return judge_none(len(rows), "pages that could not be extracted", [r["url"] for r in rows[:5]])


def check_freshness(ask: Questions) -> Verdict:
    found = ask.one("select min(fetched_at) as at from page_snapshots where institution = $1")
    return judge_freshness(found["at"], now=datetime.now(UTC), ttl_days=ask.institution.ttl_days)


def check_archives(ask: Questions) -> Verdict:
    """The newest file and, each day, another of the older ones: all of them in time."""
    rows = ask.rows(
        "select file, max(archived_at) as newest from page_archives"
        " where institution = $1 group by file order by newest desc, file desc"
    )
    files = [row["file"] for row in rows]
    chosen = files[:1] + files[1:][datetime.now(UTC).toordinal() % max(len(files) - 1, 1) :][:1]
    problems = [
        f"{name} {problem}"
        for name in chosen
        for problem in check_archive(ask.archives / ask.institution.institution_id / name)
    ]
    what = f"faults in {len(chosen)} archive files"
    return judge_none(len(problems), what, problems[:5], severe=True)
