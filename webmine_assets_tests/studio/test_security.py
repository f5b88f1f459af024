"""Who may enter."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from webmine_assets.errors import ConfigurationError
from webmine_assets.settings import Settings
from webmine_assets.studio.app import build_app, build_doorkeeper
from webmine_assets.studio.security import COOKIE, Doorkeeper, is_loopback, stored_page_policy
from webmine_assets_tests.studio.corpus import ARTICLE_ID

TOKEN = "a-token-of-the-tests"
LOCAL = Doorkeeper(hosts=("127.0.0.1",), any_address=False, token=None)
BEYOND = Doorkeeper(hosts=("0.0.0.0", "studio.example"), any_address=True, token=TOKEN)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.evil.example", False),
        ("studio.example", False),
    ],
)
def test_loopback_is_told_from_the_rest(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8900", None),
        ("localhost:8900", None),
        ("LOCALHOST", None),
        ("[::1]:8900", None),
        ("evil.example:8900", 421),
        ("127.0.0.1.evil.example", 421),
        ("10.0.0.7:8900", 421),
        ("", 421),
        ("[", 421),
        ("user@evil.example", 421),
    ],
)
def test_a_foreign_host_name_is_refused(host: str, status: int | None) -> None:
    refusal = LOCAL.refusal("GET", {"Host": host})
    assert (refusal.status if refusal else None) == status


def test_beyond_loopback_addresses_and_given_names_are_known() -> None:
    for host in ("192.168.1.5:8900", "studio.example:8900"):
        assert BEYOND.refusal("GET", {"Host": host}) is None
    assert BEYOND.refusal("GET", {"Host": "rebound.example:8900"}) is not None


@pytest.mark.parametrize(
    ("method", "headers", "is_refused"),
    [
        ("POST", {}, False),
        ("POST", {"Origin": "http://127.0.0.1:8900"}, False),
        ("POST", {"Origin": "http://127.0.0.1:3000"}, True),
        ("POST", {"Origin": "https://evil.example"}, True),
        ("POST", {"Origin": "null"}, True),
        ("GET", {"Origin": "https://evil.example"}, True),
        ("POST", {"Sec-Fetch-Site": "same-origin"}, False),
        ("POST", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, True),
        ("POST", {"Sec-Fetch-Site": "same-site"}, True),
        ("GET", {"Sec-Fetch-Site": "none"}, False),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, True),
        (
            "GET",
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "document",
            },
            False,
        ),
        (
            "GET",
            {
                "Sec-Fetch-Site": "cross-site",
                "Sec-Fetch-Mode": "navigate",
                "Sec-Fetch-Dest": "iframe",
            },
            True,
        ),
    ],
)
def test_other_sites_may_link_and_nothing_more(
    method: str, headers: dict[str, str], is_refused: bool
) -> None:
    refusal = LOCAL.refusal(method, {"Host": "127.0.0.1:8900", **headers})
    assert (refusal is not None) is is_refused


@pytest.mark.parametrize(
    ("headers", "cookies", "expected"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, {}, True),
        ({"Authorization": f"bearer {TOKEN}"}, {}, True),
        ({}, {"webmine_studio": BEYOND.cookie}, True),
        ({"Authorization": "Bearer wrong"}, {}, False),
        ({"Authorization": TOKEN}, {}, False),
        ({}, {"webmine_studio": TOKEN}, False),
        ({}, {"webmine_studio": "\udcff"}, False),
        ({"Authorization": "Bearer \udcff"}, {}, False),
        ({}, {}, False),
    ],
)
def test_a_token_comes_as_header_or_cookie(
    headers: dict[str, str], cookies: dict[str, str], expected: bool
) -> None:
    assert BEYOND.has_token(headers, cookies) is expected


def test_loopback_needs_no_token() -> None:
    assert LOCAL.has_token({}, {})


@pytest.mark.parametrize(("host", "token"), [("0.0.0.0", None), ("127.0.0.1", "short")])
def test_a_missing_or_short_token_is_a_mistake(host: str, token: str | None) -> None:
    with pytest.raises(ConfigurationError, match="token"):
        build_doorkeeper(host, token)


def test_a_stored_page_may_run_nothing_but_what_has_the_nonce() -> None:
    assert "script-src" not in stored_page_policy()
    assert "sandbox" in stored_page_policy()
    assert "allow-same-origin" not in stored_page_policy("n")
    assert "script-src 'nonce-n'" in stored_page_policy("n")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
async def test_writes_from_elsewhere_change_nothing(
    client: TestClient[Any, Any], settings: Settings, headers: dict[str, str], status: int
) -> None:
    path = settings.institutions / "newsroom.yaml"
    before = path.read_text("utf-8")
    body = {"institution": "newsroom", "value": ".share-bar"}
    answer = await client.post("/api/rules", json=body, headers=headers)
    assert answer.status == status
    assert answer.content_type == "application/problem+json"
    assert path.read_text("utf-8") == before


async def test_a_form_of_another_site_cannot_be_taken_for_json(
    client: TestClient[Any, Any],
) -> None:
    answer = await client.post("/api/rules", data={"institution": "newsroom", "value": ".x"})
    assert answer.status == 415


async def test_every_answer_carries_the_safe_headers(client: TestClient[Any, Any]) -> None:
    pages = (f"/pages/{ARTICLE_ID}/stored", f"/pages/{ARTICLE_ID}/picker", "/login", "/", "/api")
    others = ("/api/pages", "/api/nope", "/nope", "/static/studio.css", "/static/nope")
    for path in pages + others:
        answer = await client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy, path
        assert "frame-ancestors" in policy, path
        assert answer.headers["X-Content-Type-Options"] == "nosniff", path
        assert answer.headers["Referrer-Policy"] == "no-referrer", path
        assert "no-" in answer.headers["Cache-Control"], path


@pytest.mark.slow
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/", "/pages", "/sql", "/api/pages", "/api/rules", "/static/x"])
async def test_a_rebound_name_reads_and_writes_nothing(
    client: TestClient[Any, Any], method: str, path: str
) -> None:
    answer = await client.request(method, path, headers={"Host": "rebound.example:8900"})
    assert answer.status == 421
    answer = await client.request(method, path, headers={"Origin": "https://evil.example"})
    assert answer.status == 403


async def test_a_studio_with_a_token_lets_in_who_has_it(settings: Settings) -> None:
    app = build_app(settings, enhance=lambda name, progress: None, token=TOKEN)
    async with TestClient(TestServer(app)) as visitor:
        assert (await visitor.get("/api/pages")).status == 401
        assert (await visitor.get("/", allow_redirects=False)).headers["Location"] == "/login"
        assert (await visitor.get("/login")).status == 200
        wrong = await visitor.post("/login", data={"token": "wrong"})
        assert wrong.status == 401
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert (await visitor.get("/api/pages", headers=bearer)).status == 200
        right = await visitor.post("/login", data={"token": TOKEN}, allow_redirects=False)
        assert right.status == 303
        cookie = right.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert TOKEN not in cookie


async def test_the_first_address_may_bring_the_token(settings: Settings) -> None:
    app = build_app(settings, enhance=lambda name, progress: None, token=TOKEN)
    async with TestClient(TestServer(app)) as visitor:
        answer = await visitor.get(
            "/pages", params={"token": TOKEN, "q": "x"}, allow_redirects=False
        )
        assert answer.status == 303
        assert answer.headers["Location"] == "/pages?q=x"
        assert TOKEN not in str(answer.headers)
        again = await visitor.get("/?token=" + TOKEN, allow_redirects=False)
        assert (again.status, again.headers["Location"]) == (303, "/")
        away = f"{visitor.make_url('/')}/evil.example/?token={TOKEN}"
        with_slashes = await visitor.session.get(away, allow_redirects=False)
        assert with_slashes.headers["Location"] == "/evil.example/"


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/%5Cevil.example", "/%5Cevil.example"),
        ("/\\evil.example", "/evil.example"),
        ("/%2F%2Fevil.example", "/%2F%2Fevil.example"),
        ("/a%0D%0ASet-Cookie:%20a=b", "/a%0D%0ASet-Cookie:%20a=b"),
        ("/caf%C3%A9%3Fa", "/caf%C3%A9%3Fa"),
    ],
)
async def test_no_address_with_the_token_leads_elsewhere_or_adds_a_header(
    settings: Settings, path: str, location: str
) -> None:
    app = build_app(settings, enhance=lambda name, progress: None, token=TOKEN)
    async with TestClient(TestServer(app)) as visitor:
        address = URL(f"{visitor.make_url('/').origin()}{path}?token={TOKEN}", encoded=True)
        answer = await visitor.session.get(address, allow_redirects=False)
        assert answer.status == 303
        assert answer.headers["Location"] == location
        assert COOKIE in answer.headers["Set-Cookie"]
