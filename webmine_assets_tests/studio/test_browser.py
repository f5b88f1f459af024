"""The studio in a real browser, as a person meets it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from playwright.async_api import Browser, Page, async_playwright, expect

from webmine_assets.institutions import load_institution
from webmine_assets.settings import Settings
from webmine_assets.studio.app import build_app
from webmine_assets_tests.browser import CHROMIUM, SWITCHES
from webmine_assets_tests.studio.corpus import (
    ARTICLE_ID,
    BLOCKED,
    HOSTILE_ID,
    NEWSROOM,
    enhance,
    write_corpus,
)

VIEWS = (
    "/",
    "/pages",
    "/pages?q=network",
    f"/pages/{ARTICLE_ID}",
    f"/pages/{ARTICLE_ID}?tab=stored",
    f"/pages/{ARTICLE_ID}?tab=metadata",
    f"/pages/{ARTICLE_ID}?tab=topics",
    f"/pages/{ARTICLE_ID}?tab=history",
    "/urls",
    "/rules",
    f"/rules/{ARTICLE_ID}",
    "/sql?q=select+decision,count(*)+from+url_ledger+group+by+all",
    "/api",
)

pytestmark = pytest.mark.browser


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM.path, args=SWITCHES)
        yield browser
        await browser.close()


def address(client: TestClient[Any, Any], path: str = "/") -> str:
    return str(client.make_url(path)).replace("%3F", "?")


async def opened(browser: Browser, url: str, **context: Any) -> tuple[Page, list[str]]:
    """A page, and what its console complains about."""
    page = await (await browser.new_context(**context)).new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda problem: complaints.append(str(problem)))
    await page.goto(url)
    return page, complaints


async def test_a_person_teaches_the_newsroom_a_rule(
    client: TestClient[Any, Any], settings: Settings, browser: Browser
) -> None:
    page, complaints = await opened(browser, address(client))
    await page.click("text=Tidewater Courier")
    await page.fill("#q", "harbours close the ring")
    await page.click("main button:text('Show')")
    await page.click("main h3 >> text=Eleven harbours close the ring")
    await page.click("text=Teach a rule")
    await page.frame_locator("#picker").locator(".related-articles li").first.click()
    await page.wait_for_selector("#outcome:not([hidden])")
    assert await page.input_value("#selector") == ".related-articles"
    assert await page.inner_text("#elements") == "1"
    assert await page.inner_text("#touched") == "20 of 20"
    assert await page.is_hidden("#warning")
    await page.fill("#description", "Teasers of other articles")
    await page.click("text=Save and enhance")
    await page.wait_for_selector("#task [data-state=done]", timeout=60_000)
    (rule,) = load_institution(settings.institutions / f"{NEWSROOM}.yaml").extraction_rules
    assert (rule.value, rule.description) == (".related-articles", "Teasers of other articles")
    await page.click("text=See the content")
    content = await page.inner_text("main")
    assert "technician in Solvik" in content
    assert "Related articles" not in content
    answer = await client.get(f"/api/pages/{ARTICLE_ID}")
    assert "Related articles" not in (await answer.json())["content"]["raw_markdown"]
    assert complaints == []


async def test_a_rule_can_be_found_by_words_and_by_keyboard(
    client: TestClient[Any, Any], browser: Browser
) -> None:
    page, complaints = await opened(browser, address(client, f"/rules/{ARTICLE_ID}"))
    await page.fill("#words", "remove the related articles")
    await page.keyboard.press("Enter")
    await page.focus(".proposal >> nth=0")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#outcome:not([hidden])")
    assert await page.input_value("#selector") == ".related-articles"
    await page.focus("summary:text('Boxes of this page')")
    await page.keyboard.press("Enter")
    await page.focus("[data-element]:has-text('div.article-body')")
    await page.keyboard.press("Enter")
    await expect(page.locator("#selector")).to_have_value(".article-body")
    await page.fill("#selector", "article")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#warning:not([hidden])")
    assert "more than half" in await page.inner_text("#warning")
    await page.fill("#selector", "div[")
    await page.keyboard.press("Enter")
    await page.wait_for_selector("#status.bad")
    await expect(page.locator("#figures")).to_be_hidden()
    await expect(page.locator("#outcome")).to_be_hidden()
    await page.fill("#selector", "//aside")
    await expect(page.locator("#type")).to_have_value("xpath")
    assert [text for text in complaints if "400" not in text] == []


@pytest.mark.parametrize("width", [1280, 420])
async def test_every_view_fits_and_is_labelled(
    client: TestClient[Any, Any], browser: Browser, width: int
) -> None:
    size = {"viewport": {"width": width, "height": 800}}
    page, complaints = await opened(browser, address(client), **size)
    for view in VIEWS:
        await page.goto(str(client.make_url("/")).rstrip("/") + view)
        assert await page.evaluate("document.documentElement.scrollWidth") <= width, view
        unnamed = await page.evaluate(
            """() => [...document.querySelectorAll('input, select, textarea, iframe, button, img')]
                .filter((e) => !(e.labels?.length || e.ariaLabel || e.title || e.alt
                    || e.textContent.trim())).map((e) => e.outerHTML)"""
        )
        assert unnamed == [], view
        assert await page.locator("h1").count() == 1, view
        assert await page.evaluate("document.documentElement.lang") == "en"
    assert complaints == []


# Text against the colour behind it, as WCAG 2 counts; what is hidden or empty does not count.
LOW_CONTRAST = """() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgba = (colour) => {
        canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const colour = rgba(getComputedStyle(e).backgroundColor);
            if (colour[3] > 250) return colour;
        }
        return [255, 255, 255, 255];
    };
    const found = [];
    for (const e of document.querySelectorAll('body *')) {
        const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('');
        const style = getComputedStyle(e);
        const isShown = e.checkVisibility() && !e.closest('[aria-hidden=true], :disabled');
        if (!text.trim() || !isShown || e.closest('svg, option')) continue;
        const [one, two] = [light(rgba(style.color)), light(behind(e))].sort((a, b) => b - a);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const ratio = (one + 0.05) / (two + 0.05);
        if (ratio < (isLarge ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${e.outerHTML}`);
    }
    return found.map((text) => text.slice(0, 120));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_stands_out_from_its_background(
    client: TestClient[Any, Any], browser: Browser, scheme: str
) -> None:
    page, _ = await opened(browser, address(client), color_scheme=scheme)
    views = (*VIEWS, "/nope", "/sql?q=nonsense", f"/urls?url={BLOCKED}", "/login")
    for view in views:
        await page.goto(str(client.make_url("/")).rstrip("/") + view)
        assert await page.evaluate(LOW_CONTRAST) == [], view


async def test_the_keyboard_reaches_everything(
    client: TestClient[Any, Any], browser: Browser
) -> None:
    page, complaints = await opened(browser, address(client))
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to content"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "main"
    await page.keyboard.press("/")
    await page.keyboard.type("harbours close the ring")
    await page.keyboard.press("Enter")
    await expect(page.locator("main h3 a").first).to_have_text("Eleven harbours close the ring")
    await page.keyboard.press("g")
    await page.keyboard.press("s")
    await expect(page).to_have_url(address(client, "/sql"))
    await page.focus("#q")
    await page.keyboard.type("g s /")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("select 40 + 2 as answer")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".cells td")).to_have_text("42", timeout=30_000)
    for view in VIEWS:
        await page.goto(str(client.make_url("/")).rstrip("/") + view)
        unreachable = await page.evaluate(
            """() => [...document.querySelectorAll('*')].filter((e) =>
                e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'auto'
                && e.tabIndex < 0 && !e.querySelector('a, button, input'))
                .map((e) => e.outerHTML)"""
        )
        assert unreachable == [], view
    assert complaints == []


async def test_only_what_was_previewed_can_be_saved_and_a_rule_can_be_removed(
    client: TestClient[Any, Any], settings: Settings, browser: Browser
) -> None:
    url = address(client, f"/rules/{ARTICLE_ID}")
    page, complaints = await opened(browser, f"{url}?type=xpath&selector=//aside")
    page.on("dialog", lambda dialog: dialog.accept())
    save = page.locator("#save button")
    await expect(page.locator("#status")).to_contain_text("Finds")
    await page.select_option("#type", "css_selector")
    await page.fill("#selector", ".nothing-here")
    await expect(save).to_be_disabled()
    await page.keyboard.press("Enter")
    await expect(page.locator("#status")).to_contain_text("nothing to save")
    await expect(save).to_be_disabled()
    await page.fill("#selector", ".related-articles")
    await page.keyboard.press("Enter")
    await expect(save).to_be_enabled()
    await page.fill("#selector", ".related-article")
    await expect(save).to_be_disabled()
    await page.fill("#selector", ".related-articles")
    await page.keyboard.press("Enter")
    await page.fill("#description", "Teasers")
    await expect(save).to_be_enabled()
    await save.click()
    await page.wait_for_selector("#task [data-state=done]", timeout=60_000)
    await page.goto(f"{url}?selector=.related-articles")
    await expect(page.locator("#status")).to_contain_text("a rule already")
    await expect(save).to_be_disabled()
    await page.goto(address(client, "/rules"))
    await expect(page.locator("[data-count]").first).to_have_text("1")
    await page.click("[data-remove='.related-articles']")
    await expect(page.locator("[data-count]").first).to_have_text("0")
    await page.wait_for_selector("#task [data-state=done]", timeout=60_000)
    assert load_institution(settings.institutions / f"{NEWSROOM}.yaml").extraction_rules == ()
    assert complaints == []


class Away:
    """A server that a stored page would like to reach; it remembers who came."""

    def __init__(self) -> None:
        self.visits: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.visits.append(request.path)
        return web.Response(text="<title>away</title>", content_type="text/html")

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        return app


async def test_a_hostile_stored_page_does_nothing(tmp_path: Path, browser: Browser) -> None:
    away = Away()
    async with TestServer(away.app()) as elsewhere:
        base = str(elsewhere.make_url("")).rstrip("/")
        settings = write_corpus(tmp_path / "data", away=base, articles=2)
        app = build_app(settings, enhance=lambda name, progress: enhance(settings, name, progress))
        async with TestClient(TestServer(app)) as client:
            for path in (f"/pages/{HOSTILE_ID}?tab=stored", f"/rules/{HOSTILE_ID}"):
                url = str(client.make_url("/")).rstrip("/") + path
                page, _ = await opened(browser, url)
                frame = page.frame_locator("iframe.stored")
                for selector in ("h1", "#link", "#script", "#data", "#form span", "p"):
                    await frame.locator(selector).first.click()
                inner = next(frame for frame in page.frames if frame != page.main_frame)
                assert await inner.evaluate("() => window.ran === undefined")
                await page.wait_for_timeout(500)
                assert page.url == url
                assert len(page.frames) == 2
            direct, _ = await opened(browser, str(client.make_url(f"/pages/{HOSTILE_ID}/stored")))
            await direct.wait_for_timeout(300)
    assert away.visits == []


async def test_another_site_cannot_write_or_read(
    client: TestClient[Any, Any], settings: Settings, browser: Browser
) -> None:
    path = settings.institutions / f"{NEWSROOM}.yaml"
    before = path.read_text("utf-8")
    async with TestServer(Away().app()) as elsewhere:
        page, _ = await opened(browser, str(elsewhere.make_url("/")))
        target = str(client.make_url("/")).rstrip("/")
        outcome = await page.evaluate(
            """async (target) => {
                const body = JSON.stringify({institution: 'newsroom', value: '.x'});
                const tries = [
                    fetch(target + '/api/rules', {method: 'POST', body, mode: 'no-cors'}),
                    fetch(target + '/api/rules', {method: 'POST', body,
                        headers: {'Content-Type': 'application/json'}}),
                    fetch(target + '/api/pages').then((answer) => answer.text()),
                ];
                return (await Promise.allSettled(tries)).map((result) => result.status);
            }""",
            target,
        )
        assert outcome[1:] == ["rejected", "rejected"]
        await page.set_content(
            f'<form method="post" action="{target}/api/rules"><button>Go</button></form>'
        )
        async with page.expect_navigation():
            await page.click("button")
        assert "not taken" in await page.inner_text("body")
    assert path.read_text("utf-8") == before
