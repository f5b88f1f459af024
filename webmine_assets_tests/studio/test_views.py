"""The pages people see."""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake
from webmine_assets.storage.warehouse import DERIVED_VIEWS
from webmine_assets.studio.app import build_app
from webmine_assets_tests.studio.corpus import (
    ARTICLE,
    ARTICLE_ID,
    ARTICLES,
    BASE,
    BLOCKED,
    HOSTILE_ID,
    NEWSROOM,
)


async def text_of(client: TestClient[Any, Any], path: str, status: int = 200) -> str:
    answer = await client.get(path)
    assert answer.status == status
    return await answer.text()


async def test_the_overview_shows_institutions_decisions_and_errors(
    client: TestClient[Any, Any],
) -> None:
    page = await text_of(client, "/")
    for piece in ("Tidewater Courier", "robots blocked · robots rule", "http 404", "coverage"):
        assert piece in page


async def test_an_empty_lake_says_how_to_fill_it(tmp_path: Path) -> None:
    settings = read_settings({"WEBMINE_DATA": str(tmp_path)})
    app = build_app(settings, enhance=lambda name, progress: None)
    async with TestClient(TestServer(app)) as client:
        assert "webmine demo" in await text_of(client, "/")
        for path in ("/pages", "/pages?q=word", "/urls", "/rules", "/sql", "/api"):
            await text_of(client, path)


def damage(settings: Settings, table: str) -> str:
    path = Path(Lake(settings.lake).path_of(table, NEWSROOM))
    path.write_bytes(b"no parquet")
    return str(path)


@pytest.mark.parametrize("path", ["/pages", f"/pages/{ARTICLE_ID}"])
async def test_a_damaged_file_of_the_lake_is_named(
    client: TestClient[Any, Any], settings: Settings, path: str
) -> None:
    damaged = damage(settings, "page_topics")
    assert damaged in await text_of(client, path, status=503)


async def test_sql_over_other_tables_is_answered_beside_a_damaged_file(
    client: TestClient[Any, Any], settings: Settings
) -> None:
    damaged = damage(settings, "page_topics")
    assert damaged not in await text_of(client, "/sql?q=select+1")
    assert damaged in await text_of(client, "/sql?q=from+page_topics")


async def test_a_broken_institution_file_is_shown_on_the_overview(
    client: TestClient[Any, Any], settings: Settings
) -> None:
    (settings.institutions / "bad.yaml").write_text("institution_id: <b>bad</b>\n", "utf-8")
    page = await text_of(client, "/")
    assert "cannot be used" in page
    assert "<b>bad</b>" not in page


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=harbour", True),
        ("institution=newsroom", True),
        ("institution=other", False),
        ("language=en", True),
        ("language=xx", False),
        ("topic=technology", True),
        ("topic=no+such+topic", False),
        ("decision=stored", True),
        ("decision=fresh", False),
        ("since=2000-01-01&until=2100-01-01", True),
        ("since=2100-01-01", False),
        ("q=harbour&language=xx", False),
        ("q=zyxwvut", False),
    ],
)
async def test_filters_narrow_the_explorer(
    client: TestClient[Any, Any], query: str, found: bool
) -> None:
    page = await text_of(client, f"/pages?{query}")
    assert ("No page matches" in page) is not found


@pytest.mark.parametrize("path", ["/pages", "/urls"])
async def test_a_screen_beyond_the_last_leads_back(client: TestClient[Any, Any], path: str) -> None:
    page = await text_of(client, f"{path}?institution=newsroom&page=99999")
    assert "no such screen" in page
    assert f"{path.removeprefix('/')} match" not in page
    last = re.findall(r'href="(\?[^"]*)"', page)[-1]
    assert "no such screen" not in await text_of(client, path + unescape(last))


async def test_days_the_wrong_way_round_are_named(client: TestClient[Any, Any]) -> None:
    assert "later day" in await text_of(client, "/pages?since=2030-01-01&until=2020-01-01")


async def test_what_lacks_metadata_is_a_question_away(client: TestClient[Any, Any]) -> None:
    overview = await text_of(client, "/")
    link = re.search(r'href="(/sql[^"]*)" title="Which pages have no author', overview)
    assert link
    answer = await text_of(client, unescape(link[1]))
    assert "could not be answered" not in answer
    assert "len(authors)" in answer
    assert "<td" in answer


async def test_all_views_are_named_beside_the_sql_box(client: TestClient[Any, Any]) -> None:
    page = await text_of(client, "/sql")
    for view in DERIVED_VIEWS:
        assert f"<code>{view}</code>" in page


async def test_the_workshop_shows_a_page_and_its_boxes(client: TestClient[Any, Any]) -> None:
    assert f"/rules/{ARTICLE_ID}" in await text_of(client, "/rules")
    page = await text_of(client, f"/rules/{ARTICLE_ID}")
    assert f'src="/pages/{ARTICLE_ID}/picker"' in page
    assert "div.article-body" in page


async def test_the_reference_says_what_each_field_is_for(client: TestClient[Any, Any]) -> None:
    document = await (await client.get("/api/openapi.json")).json()
    page = await text_of(client, "/api")
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                assert escape(parameter["description"]) in page
    assert "what the rule removes, for people" in page
    assert "<dd>string" not in page


async def test_search_marks_the_words_it_found(client: TestClient[Any, Any]) -> None:
    assert "<mark>" in await text_of(client, "/pages?q=network")


async def test_a_decision_without_pages_leads_to_the_urls(client: TestClient[Any, Any]) -> None:
    answer = await client.get("/pages?decision=robots_blocked", allow_redirects=False)
    assert answer.headers["Location"] == "/urls?decision=robots_blocked"


async def test_screens_can_be_turned(client: TestClient[Any, Any]) -> None:
    first = await text_of(client, "/pages?limit=10")
    assert "screen 1 of 3" in first
    assert f"{ARTICLES + 1} pages" in first
    assert 'rel="prev"' in await text_of(client, "/pages?limit=10&page=2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tab", "piece"),
    [
        ("reading", "technician in Solvik"),
        ("stored", 'sandbox=""'),
        ("metadata", "Where each value came from"),
        ("topics", "Topics with their evidence"),
        ("history", "Aliases"),
    ],
)
async def test_every_tab_of_a_page_shows_its_part(
    client: TestClient[Any, Any], tab: str, piece: str
) -> None:
    page = await text_of(client, f"/pages/{ARTICLE_ID}?tab={tab}")
    assert piece in page
    assert ARTICLE in page


async def test_metadata_shows_winners_and_losers(client: TestClient[Any, Any]) -> None:
    page = await text_of(client, f"/pages/{ARTICLE_ID}?tab=metadata")
    assert "title:h1" in page
    assert "lost" in page


@pytest.mark.parametrize(
    "path", ["/pages/0000000000000000", "/pages/nope", f"/pages/{ARTICLE_ID}?tab=nope", "/x"]
)
async def test_what_is_not_there_is_a_page_that_says_so(
    client: TestClient[Any, Any], path: str
) -> None:
    assert "Back to the overview" in await text_of(client, path, 404)


async def test_a_page_tells_what_a_browser_had_to_do_with_it(client: TestClient[Any, Any]) -> None:
    account = f"rendered in a browser: empty_root, 228 ms; 1 request gave nothing: {BASE}/<b>.js"
    assert escape(account) in await text_of(client, f"/pages/{HOSTILE_ID}")
    assert "rendered in a browser" not in await text_of(client, f"/pages/{ARTICLE_ID}")


async def test_a_screenshot_is_shown_where_there_is_one(
    client: TestClient[Any, Any], settings: Settings
) -> None:
    assert "Screenshot" not in await text_of(client, f"/pages/{ARTICLE_ID}")
    folder = settings.screenshots / "newsroom"
    folder.mkdir(parents=True)
    (folder / f"{ARTICLE_ID}.png").write_bytes(b"\x89PNG")
    assert "Screenshot" in await text_of(client, f"/pages/{ARTICLE_ID}")
    answer = await client.get(f"/pages/{ARTICLE_ID}/screenshot")
    assert (answer.status, answer.content_type) == (200, "image/png")


@pytest.mark.parametrize(
    ("url", "piece"),
    [
        (BLOCKED, "Disallow: /account/"),
        (BLOCKED, "<dt>What helps</dt>"),
        (f"{BLOCKED}#top", "Disallow: /account/"),
        (ARTICLE, "open the stored page"),
        ("https://courier.example/never", "Never seen"),
    ],
)
async def test_the_ledger_answers_why_a_url_is_not_here(
    client: TestClient[Any, Any], url: str, piece: str
) -> None:
    answer = await client.get("/urls", params={"url": url})
    assert piece in await answer.text()


async def test_a_stored_page_is_served_inert(client: TestClient[Any, Any]) -> None:
    answer = await client.get(f"/pages/{HOSTILE_ID}/stored")
    assert answer.headers["Content-Security-Policy"].endswith("sandbox")
    body = await answer.text()
    for piece in ("<script", "away.example", "onload", "onclick", "refresh", "<form", "<iframe"):
        assert piece not in body
    assert "A paragraph of the hostile page." in body


async def test_the_picker_has_one_script_and_its_nonce(client: TestClient[Any, Any]) -> None:
    answer = await client.get(f"/pages/{HOSTILE_ID}/picker")
    body = await answer.text()
    nonce = body.split('nonce="')[1].split('"')[0]
    assert body.count("<script") == 1
    assert f"'nonce-{nonce}'" in answer.headers["Content-Security-Policy"]
    again = await (await client.get(f"/pages/{HOSTILE_ID}/picker")).text()
    assert nonce not in again


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "piece"),
    [
        ("select 1 as one", '<td class="num">1</td>'),
        ("select decision, count(*) n from url_ledger group by all", '<dl class="bars"'),
        ("select * from page_snapshot", "did you mean page_snapshots?"),
        ("drop view page_content", "ask one question"),
        ("select '<script>alert(1)</script>' as x", "&lt;script&gt;"),
    ],
)
async def test_the_sql_box_answers_or_says_why_not(
    client: TestClient[Any, Any], sql: str, piece: str
) -> None:
    answer = await client.get("/sql", params={"q": sql})
    assert answer.status == 200
    assert piece in await answer.text()


async def test_a_link_from_elsewhere_fills_the_box_and_runs_nothing(
    client: TestClient[Any, Any],
) -> None:
    headers = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    answer = await client.get("/sql", params={"q": "select 41 + 1"}, headers=headers)
    page = await answer.text()
    assert "select 41 + 1" in page
    assert "42" not in page


async def test_an_institution_without_a_file_can_be_chosen(
    client: TestClient[Any, Any], settings: Settings
) -> None:
    (settings.institutions / f"{NEWSROOM}.yaml").unlink()
    for path in ("/pages", "/urls"):
        assert f'<option value="{NEWSROOM}"' in await text_of(client, path)
