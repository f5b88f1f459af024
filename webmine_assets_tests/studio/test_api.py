"""The API for programs."""

import asyncio
from typing import Any

import pytest
from aiohttp.test_utils import TestClient

from webmine_assets.institutions import load_institution
from webmine_assets.settings import Settings
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.studio.corpus import ARTICLE_ID, ARTICLES, BLOCKED, NEWSROOM

Client = TestClient[Any, Any]


async def json_of(client: Client, path: str, **query: str) -> Any:
    answer = await client.get(path, params=query)
    assert answer.status == 200, await answer.text()
    return await answer.json()


async def test_pages_are_listed_and_found(client: Client) -> None:
    listed = await json_of(client, "/api/pages", limit="5")
    assert listed["total"] == ARTICLES + 1
    assert len(listed["pages"]) == 5
    found = await json_of(client, "/api/search", q="harbours close the ring")
    assert found["pages"][0]["page_id"] == ARTICLE_ID


async def test_a_page_has_its_rows_of_every_table(client: Client) -> None:
    page = await json_of(client, f"/api/pages/{ARTICLE_ID}")
    assert page["metadata"]["title"] == "Eleven harbours close the ring"
    assert page["snapshot"]["institution"] == NEWSROOM
    assert "body" not in page["snapshot"]
    assert page["topics"]


async def test_institutions_and_ledger_are_there(client: Client) -> None:
    institutions = (await json_of(client, "/api/institutions"))["institutions"]
    assert [row["pages"] for row in institutions] == [ARTICLES + 1]
    assert all(isinstance(row["words"], int) for row in institutions)
    ledger = await json_of(client, "/api/ledger", decision="robots_blocked")
    assert [row["url"] for row in ledger["urls"]] == [BLOCKED]


@pytest.mark.parametrize(
    "path",
    [
        "/api/pages?limit=0",
        "/api/pages?limit=101",
        "/api/pages?page=x",
        "/api/pages?since=yesterday",
        "/api/pages?decision=maybe",
        "/api/search",
        "/api/ledger?limit=9999",
        "/api/ledger?reason=nope",
        "/api/ledger?decison=stored",
        "/api/pages?nope=1",
        f"/api/pages/{ARTICLE_ID}?limit=1",
        "/api/tasks?page=1",
        f"/api/rules/preview?page={ARTICLE_ID}&value=%5B",
        f"/api/rules/preview?page={ARTICLE_ID}&value=x&type=regex",
        f"/api/rules/preview?page={ARTICLE_ID}",
        f"/api/rules/pick?page={ARTICLE_ID}&element=999999",
        f"/api/rules/propose?page={ARTICLE_ID}",
        "/api/pages?q=%00",
    ],
)
async def test_a_wrong_value_is_a_problem_that_names_it(client: Client, path: str) -> None:
    answer = await client.get(path)
    problem = await answer.json()
    assert answer.status == 400
    assert answer.content_type == "application/problem+json"
    assert problem["status"] == 400
    assert problem["detail"]


@pytest.mark.parametrize(
    "path", ["/api/pages/nope", "/api/nope", "/api/rules/preview?page=x&value=p"]
)
async def test_what_is_not_there_is_a_problem(client: Client, path: str) -> None:
    answer = await client.get(path)
    assert answer.status == 404
    assert (await answer.json())["title"] == "Not Found"


async def test_a_preview_tells_elements_shares_and_difference(client: Client) -> None:
    preview = await json_of(client, "/api/rules/preview", page=ARTICLE_ID, value=".article-body")
    assert preview["elements"] == 1
    assert 0.3 < preview["textShare"] < 1
    assert preview["contentShare"] > 0.5
    assert preview["warning"] is True
    assert any(line["kind"] == "removed" for line in preview["diff"])
    assert preview["sampled"] == 20
    assert preview["touched"] >= 19
    assert len(preview["marked"]) == 1


async def test_a_preview_of_nothing_changes_nothing(client: Client) -> None:
    preview = await json_of(client, "/api/rules/preview", page=ARTICLE_ID, value=".nothing-here")
    assert (preview["elements"], preview["touched"], preview["diff"]) == (0, 0, [])
    assert preview["before"] == preview["after"]


async def test_words_propose_the_related_box_first(client: Client) -> None:
    answer = await json_of(
        client, "/api/rules/propose", page=ARTICLE_ID, words="remove the related articles"
    )
    first = answer["proposals"][0]
    assert first["selector"] == ".related-articles"
    assert first["elements"] == 1
    assert first["snippet"].startswith("Related articles")


async def saved(client: Client, **body: str) -> Any:
    return await client.post("/api/rules", json={"institution": NEWSROOM, **body})


async def test_a_saved_rule_is_in_the_file_and_in_the_content(
    client: Client, settings: Settings
) -> None:
    answer = await saved(client, value=".related-articles", description="Teasers")
    assert answer.status == 201
    number = (await answer.json())["task"]["number"]
    path = settings.institutions / f"{NEWSROOM}.yaml"
    (rule,) = load_institution(path).extraction_rules
    assert (rule.value, rule.description) == (".related-articles", "Teasers")
    assert rule.created_at is not None
    assert "# The newsroom of the tests." in path.read_text("utf-8")
    await until_done(client, number)
    page = await json_of(client, f"/api/pages/{ARTICLE_ID}")
    assert page["content"]["rules_applied"] == [".related-articles"]
    assert "Related articles" not in page["content"]["full_content"]


async def until_done(client: Client, number: int) -> None:
    for _ in range(200):
        tasks = (await json_of(client, "/api/tasks"))["tasks"]
        (task,) = (task for task in tasks if task["number"] == number)
        if task["state"] in {"done", "failed"}:
            assert task["state"] == "done", task["note"]
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the enhancement did not finish")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"value": "div["}, 400),
        ({"value": ""}, 400),
        ({"value": "//p", "type": "regex"}, 400),
        ({"value": ".x", "wrong": "key"}, 400),
        ({"value": ".x", "institution": "nobody"}, 404),
        ({"value": ".x", "institution": "../newsroom"}, 404),
        ({"value": ".x" * 300}, 400),
        ({"value": ".x\udcff"}, 400),
        ({"value": "string(//p)", "type": "xpath"}, 400),
        ({"value": "document('/etc/hostname')", "type": "xpath"}, 400),
        ({"value": "//p[$x]", "type": "xpath"}, 400),
    ],
)
async def test_a_wrong_rule_is_not_saved(
    client: Client, settings: Settings, body: dict[str, str], status: int
) -> None:
    before = (settings.institutions / f"{NEWSROOM}.yaml").read_text("utf-8")
    assert (await saved(client, **body)).status == status
    assert (settings.institutions / f"{NEWSROOM}.yaml").read_text("utf-8") == before


async def test_a_rule_is_saved_once(client: Client) -> None:
    first = await saved(client, value="//div[@class='share-bar']", type="xpath")
    assert first.status == 201
    assert (await saved(client, value="//div[@class='share-bar']", type="xpath")).status == 409
    await until_done(client, (await first.json())["task"]["number"])


@pytest.mark.slow
async def test_rules_saved_at_the_same_time_are_all_kept(
    client: Client, settings: Settings
) -> None:
    wanted = [f".r{number}" for number in range(6)]
    answers = await asyncio.gather(*(saved(client, value=value) for value in wanted))
    assert {answer.status for answer in answers} == {201}
    kept = load_institution(settings.institutions / f"{NEWSROOM}.yaml").extraction_rules
    assert sorted(rule.value for rule in kept) == wanted
    await until_done(client, max([(await a.json())["task"]["number"] for a in answers]))


@pytest.mark.slow
async def test_a_removed_rule_is_gone_from_the_file_and_its_box_is_back(
    client: Client, settings: Settings
) -> None:
    path = settings.institutions / f"{NEWSROOM}.yaml"
    before = path.read_text("utf-8")
    first = await saved(client, value=".article-body")
    await until_done(client, (await first.json())["task"]["number"])
    assert "technician" not in await content_of(client)
    query = {"institution": NEWSROOM, "value": ".article-body"}
    answer = await client.delete("/api/rules", params=query)
    assert answer.status == 200
    await until_done(client, (await answer.json())["task"]["number"])
    assert "technician" in await content_of(client)
    assert path.read_text("utf-8").startswith(before)
    assert load_institution(path).extraction_rules == ()


async def content_of(client: Client) -> str:
    page = await json_of(client, f"/api/pages/{ARTICLE_ID}")
    return str(page["content"]["full_content"])


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"institution": NEWSROOM, "value": ".not-there"}, 404),
        ({"institution": "nobody", "value": ".x"}, 404),
        ({"institution": NEWSROOM}, 400),
        ({"institution": NEWSROOM, "value": ".x", "type": "regex"}, 400),
    ],
)
async def test_a_rule_that_cannot_be_removed_is_a_problem(
    client: Client, query: dict[str, str], status: int
) -> None:
    answer = await client.delete("/api/rules", params=query)
    assert (answer.status, answer.content_type) == (status, "application/problem+json")


async def test_the_enhancement_operation_takes_and_gives_what_the_seed_says(
    client: Client, settings: Settings
) -> None:
    Lake(settings.lake).remove("page_metadata", NEWSROOM)
    answer = await client.post("/api/enhance/metadata", json={"contentIds": [ARTICLE_ID]})
    body = await answer.json()
    assert answer.status == 200
    assert (body["message"], body["processed"]) == ("Metadata enhancement completed", 1)
    assert body["enhanced"] == 1
    (result,) = body["results"]
    assert (result["id"], result["status"]) == (ARTICLE_ID, "enhanced")
    assert {"image_url", "author", "published_at"} <= set(result["fieldsAdded"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        {"batchSize": 0},
        {"batchSize": 101},
        {"batchSize": "10"},
        {"batchSize": True},
        {"contentIds": "all"},
        {"contentIds": [1]},
        {"forceRescrape": "yes"},
        {"unknown": 1},
    ],
)
async def test_a_wrong_enhancement_request_is_a_problem(
    client: Client, body: dict[str, Any]
) -> None:
    answer = await client.post("/api/enhance/metadata", json=body)
    assert answer.status == 400
    assert answer.content_type == "application/problem+json"


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
async def test_what_is_no_json_object_is_a_problem(client: Client, data: bytes) -> None:
    answer = await client.post("/api/sql", data=data, headers={"Content-Type": "application/json"})
    assert answer.status == 400


@pytest.mark.slow
async def test_sql_gives_rows_and_what_is_no_number_as_null(client: Client) -> None:
    answer = await client.post(
        "/api/sql", json={"sql": "select 1 as one, 'nan'::double as nan, now() as moment"}
    )
    body = await answer.json()
    assert body["columns"] == ["one", "nan", "moment"]
    assert body["rows"][0][:2] == [1, None]


@pytest.mark.slow
async def test_sql_answers_are_cut_at_the_limit(client: Client) -> None:
    answer = await client.post("/api/sql", json={"sql": "select * from range(2000)"})
    body = await answer.json()
    assert (len(body["rows"]), body["isCut"]) == (500, True)


async def test_a_wrong_method_names_the_right_one(client: Client) -> None:
    answer = await client.delete("/api/pages")
    assert answer.status == 405
    assert "GET" in answer.headers["Allow"]


async def test_what_is_misspelt_is_answered_with_the_nearest(client: Client) -> None:
    async def detail(path: str) -> str:
        answer = await client.get(path)
        assert answer.status == 400
        return str((await answer.json())["detail"])

    assert "did you mean decision?" in await detail("/api/ledger?decison=stored")
    assert "did you mean robots_rule?" in await detail("/api/ledger?reason=robot_rule")
    assert "known: decision, institution" in await detail("/api/ledger?nope=1")
    # A status that no row has yet is a right question.
    assert (await json_of(client, "/api/ledger", reason="http_418"))["total"] == 0
