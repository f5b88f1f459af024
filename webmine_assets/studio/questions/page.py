"""Everything known about one page."""

from webmine_assets.studio.questions import About, Ask, Row

# All columns of the snapshot but its body, which only two routes need.
_SNAPSHOT = "select * exclude (body) from page_snapshots where institution = ? and page_id = ?"


def find_institution(ask: Ask, page_id: str) -> str | None:
    """The institution a page belongs to."""
    rows = ask("select institution from page_snapshots where page_id = ? limit 1", [page_id])
    return str(rows[0]["institution"]) if rows else None


def ask_title(ask: Ask, institution: str, page_id: str) -> str | None:
    """The title that the metadata of a page settled on."""
    sql = "select title from page_metadata where institution = ? and page_id = ?"
    return next((row["title"] for row in ask(sql, [institution, page_id])), None)


def ask_page(about: About, institution: str, page_id: str) -> Row | None:
    """The rows of a page in every table, under the names of the tables."""
    with about(institution) as ask:
        found = ask(_SNAPSHOT, [institution, page_id])
        return _everything(ask, found[0]) if found else None


def _everything(ask: Ask, snapshot: Row) -> Row:
    key = [snapshot["institution"], snapshot["page_id"]]
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
            [snapshot["institution"], snapshot["url"]],
        ),
    }


def _first(ask: Ask, table: str, key: list[str]) -> Row | None:
    sql = f"select * from {table} where institution = ? and page_id = ? limit 1"  # noqa: S608  # our own table names
    return next(iter(ask(sql, key)), None)


def ask_neighbours(ask: Ask, institution: str, topics: list[str], page_id: str) -> list[Row]:
    """Pages of the institution that share the most topics with this one."""
    return ask(
        """
        with near as (
            select page_id, count(*) as shared from page_topics
            where institution = ? and list_contains(?, topic) and page_id <> ?
                and not user_provided
            group by page_id)
        select n.page_id, s.url, m.title, n.shared
        from near n join page_snapshots s on s.page_id = n.page_id and s.institution = ?
            left join page_metadata m on m.page_id = n.page_id and m.institution = s.institution
        order by shared desc, url limit 5
        """,
        [institution, topics, page_id, institution],
    )
