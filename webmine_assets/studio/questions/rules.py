"""What the rules of institutions did, and pages to try new ones on."""

from webmine_assets.studio.questions import Ask, Row


def ask_rule_uses(ask: Ask) -> dict[str, dict[str, int]]:
    """By institution and rule: on how many pages the rule removed something."""
    rows = ask(
        "select institution, value, count(*) as pages from"
        " (select institution, unnest(rules_applied) as value from page_content)"
        " group by institution, value"
    )
    uses: dict[str, dict[str, int]] = {}
    for row in rows:
        uses.setdefault(row["institution"], {})[row["value"]] = row["pages"]
    return uses


def ask_richest(ask: Ask) -> dict[str, list[Row]]:
    """By institution, five pages with much text: most of what a rule removes is found there."""
    rows = ask(
        """
        with rich as (
            select institution, page_id, word_count from page_content
            qualify row_number()
                over (partition by institution order by word_count desc, page_id) <= 5)
        select institution, page_id, s.url, coalesce(m.title, s.title) as title
        from rich join page_snapshots s using (institution, page_id)
            left join page_metadata m using (institution, page_id)
        order by institution, rich.word_count desc, url
        """
    )
    pages: dict[str, list[Row]] = {}
    for row in rows:
        pages.setdefault(row["institution"], []).append(row)
    return pages
