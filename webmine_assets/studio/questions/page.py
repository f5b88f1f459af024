"""Everything known about one page."""

from webmine_assets.studio.questions import Ask, Row

# All columns of the snapshot but its body, which only two routes need.
_SNAPSHOT = "select * exclude (body) from page_snapshots where institution = ? and page_id = ?"


def find_institution(ask: Ask, page_id: str) -> str | None:
    """The institution a page belongs to; only one column is read for it."""
    rows = ask("select institution from page_snapshots where page_id = ? limit 1", [page_id])
    return str(rows[0]["institution"]) if rows else None


def ask_page(ask: Ask, institution: str, page_id: str) -> Row:
    """The rows of a page in every table, under the names of the tables."""
    key = [institution, page_id]
    snapshot = ask(_SNAPSHOT, key)[0]
    return {
        "snapshot": snapshot,
        "content": _first(ask, "page_content", key),
        "metadata": _first(ask, "page_metadata", key),
        "topics": ask(
            "select * from page_topics where institution = ? and page_id = ? order by rank", key
        ),
        "archives": ask(
            "select * from page_archives where institution = ? and page_id = ?"
            " order by archived_at desc",
            key,
        ),
        "ledger": ask(
            "select * from url_ledger where institution = ? and url = ?",
            [institution, snapshot["url"]],
        ),
    }


def _first(ask: Ask, table: str, key: list[str]) -> Row | None:
    sql = f"select * from {table} where institution = ? and page_id = ? limit 1"  # noqa: S608  # our own table names
    return next(iter(ask(sql, key)), None)


def ask_neighbours(ask: Ask, institution: str, topics: list[str], page_id: str) -> list[Row]:
    """Pages of the institution that share the most topics with this one."""
    return ask(
        """
        select t.page_id, any_value(t.url) as url, any_value(m.title) as title,
               count(*) as shared
        from page_topics t left join page_metadata m
            on m.institution = t.institution and m.page_id = t.page_id
        where t.institution = ? and list_contains(?, t.topic) and t.page_id <> ?
            and not t.user_provided
        group by t.page_id order by shared desc, url limit 5
        """,
        [institution, topics, page_id],
    )
