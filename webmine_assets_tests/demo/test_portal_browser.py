import pytest
from playwright.async_api import Page, async_playwright

from webmine_assets.demo.ports import DemoPorts
from webmine_assets.demo.server import DemoSites
from webmine_assets_tests.browser import CHROMIUM, SWITCHES

pytestmark = pytest.mark.browser


async def seen(page: Page) -> tuple[str, str, str]:
    heading = await page.locator("main h1").inner_text()
    text = await page.locator("main").inner_text()
    return heading, text, await page.title()


async def test_script_renders_follows_links_and_knows_unknown_routes():
    with DemoSites(DemoPorts(university=0, newsroom=0, portal=0)) as sites:
        base_url = sites.base_urls["portal"]
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM.path, args=SWITCHES)
            page = await browser.new_page()

            await page.goto(f"{base_url}/datasets/air-quality")
            heading, text, title = await seen(page)
            assert heading == "Air quality"
            assert len(text) > 300
            assert title == "Air quality | Wendel Basin Data Portal"

            await page.click("nav a[href='/stories']")
            await page.wait_for_selector("h1:text('Data stories')")
            canonical = await page.locator("link[rel=canonical]").get_attribute("href")
            assert canonical == page.url == f"{base_url}/stories"

            await page.go_back()
            await page.wait_for_selector("h1:text('Air quality')")

            await page.goto(f"{base_url}/datasets/retired-survey")
            assert (await seen(page))[0] == "Page not found"
            await browser.close()
