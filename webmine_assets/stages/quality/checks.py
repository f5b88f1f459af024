"""What each check asks of the lake, and how it is judged."""

from datetime import UTC, datetime

from webmine_assets.archive.check import check_archive
from webmine_assets.stages.quality.questions import Questions
from webmine_assets.stages.quality.verdicts import (
    Verdict,
    judge_blocking,
    judge_empty_text,
    judge_freshness,
    judge_languages,
    judge_ledger,
    judge_none,
    judge_volume,
)


def check_volume(ask: Questions) -> Verdict:
    rows = ask.rows(
        "select coalesce(decisions['stored'], 0) + coalesce(decisions['fresh'], 0)"
        " + coalesce(decisions['not_modified'], 0) as pages"
        " from crawl_reports where institution = $1 order by started_at desc limit 11"
    )
    counts = [row["pages"] or 0 for row in rows]
    return judge_volume(counts[0] if counts else 0, counts[1:])


def check_blocking(ask: Questions) -> Verdict:
    found = ask.one(
        """
        select count(*) filter (decision not in ('out_of_scope', 'disallowed_path', 'over_depth',
                   'over_pages', 'over_time', 'over_bytes', 'trap', 'fresh')) as asked,
               count(*) filter ((decision = 'http_error' and regexp_matches(reason || detail,
                   '\\b(401|403|429|503)\\b')) or reason = 'robots_unreachable') as blocked
        from url_ledger where institution = $1
        """
    )
    captchas = ask.one(
        """
        select count(*) as n from page_snapshots where institution = $1 and length(text) < 1500
        and regexp_matches(lower(coalesce(title, '') || ' ' || text),
            'captcha|verify (that )?you are (a )?human|unusual traffic|just a moment\\.\\.\\.')
        """
    )["n"]
    return judge_blocking(found["blocked"], found["asked"], captchas)


def check_empty_text(ask: Questions) -> Verdict:
    found = ask.one(
        "select count(*) as pages, count(*) filter (trim(text) = '') as empty"
        " from page_content where institution = $1"
    )
    return judge_empty_text(found["empty"], found["pages"])


def check_languages(ask: Questions) -> Verdict:
    rows = ask.rows(
        "select languages from crawl_reports where institution = $1"
        " order by started_at desc limit 2"
    )
    mixes = [dict(row["languages"]) for row in rows]
    return judge_languages(mixes[0] if mixes else {}, mixes[1] if len(mixes) > 1 else None)


def check_ledger(ask: Questions) -> Verdict:
    found = ask.one(
        """
        select count(*) as rows, count(distinct url) as urls,
               count(*) filter (decision in ('stored', 'fresh', 'not_modified')) as stored,
               (select count(*) from page_snapshots p where p.institution = $1) as pages
        from url_ledger where institution = $1
        """
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
    return judge_none(len(rows), "values without a source", [r["missing"] for r in rows[:5]])


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
    return judge_none(len(problems), f"faults in {len(chosen)} archive files", problems[:5])
