"""The numbers of the overview: institutions, decisions, crawls, coverage, last errors."""

from webmine_assets.studio.questions import Ask, Row

_HAS = {
    "title": "title is not null",
    "description": "description is not null",
    "image": "image_url is not null",
    "author": "coalesce(len(authors), 0) > 0",
    "published": "published_at is not null",
    "language": "language is not null",
}


def ask_institutions(ask: Ask) -> list[Row]:
    """One row an institution with pages, freshness and what became of its URLs."""
    return ask(
        """
        with pages as (
            select institution, count(*) as pages, max(fetched_at) as fetched_at,
                   max(changed_at) as changed_at, count(distinct lang) as languages
            from page_snapshots group by institution),
        contents as (
            select institution, sum(word_count)::bigint as words, count(error) as failed
            from page_content group by institution),
        ledger as (
            select institution, count(*) as urls,
                   count(*) filter (decision in ('http_error', 'fetch_error', 'render_error'))
                       as errors,
                   count(*) filter (decision = 'kept') as kept,
                   mode(reason) filter (
                       decision not in ('stored', 'fresh', 'not_modified', 'alias')) as refused_for
            from url_ledger group by institution),
        crawls as (
            select institution, max(started_at) as crawled_at, count(*) as crawls,
                   arg_max(coalesce(decisions['stored'], 0) + coalesce(decisions['fresh'], 0)
                       + coalesce(decisions['not_modified'], 0), started_at) as renewed
            from crawl_reports group by institution)
        select * from pages
            full join contents using (institution)
            full join ledger using (institution)
            full join crawls using (institution)
        order by institution
        """
    )


def ask_names(ask: Ask) -> list[str]:
    """The institutions that the corpus has something of, with a file or without."""
    rows = ask(
        "select institution from page_snapshots union select institution from url_ledger order by 1"
    )
    return [row["institution"] for row in rows]


def ask_decisions(ask: Ask) -> list[Row]:
    """Discovered URLs by decision and reason, the most frequent first."""
    return ask(
        "select decision, reason, count(*) as urls from url_ledger"
        " group by all order by urls desc, decision, reason"
    )


def ask_crawls(ask: Ask) -> list[Row]:
    """The last crawls of each institution, oldest first: pages kept and the share of errors."""
    return ask(
        """
        select institution, started_at, stopped_by,
               counters.pages_used as pages,
               counters.errors as errors, counters.urls_fetched as fetched
        from crawl_reports
        qualify row_number() over (partition by institution order by started_at desc) <= 20
        order by institution, started_at
        """
    )


def ask_coverage(ask: Ask) -> Row:
    """How many pages have each metadata field."""
    counts = ", ".join(f"count(*) filter ({test}) as {name}" for name, test in _HAS.items())
    return ask(f"select count(*) as pages, {counts} from page_metadata")[0]  # noqa: S608  # constants of this module


def question_of_missing(field: str) -> str:
    """A question for the SQL box: which pages lack a field of `ask_coverage`."""
    return (
        "select institution, url, title from page_metadata\n"  # noqa: S608  # as above
        f"where not ({_HAS[field]}) order by institution, url"
    )


def ask_last_errors(ask: Ask, *, limit: int = 8) -> list[Row]:
    """The last URLs that could not be had."""
    return ask(
        """
        select institution, url, decision, reason, detail, decided_at from url_ledger
        where decision in ('http_error', 'fetch_error', 'render_error')
        order by decided_at desc, url limit ?
        """,
        [limit],
    )


def ask_failed_pages(ask: Ask, *, limit: int = 5) -> list[Row]:
    """Stored pages whose extraction failed."""
    return ask(
        "select institution, page_id, s.url, c.error from page_content c"
        " join page_snapshots s using (institution, page_id)"
        " where c.error is not null order by c.extracted_at desc, s.url limit ?",
        [limit],
    )
