"""Take the pictures of the studio again, from a studio that shows the demo.

webmine demo && webmine studio &
python docs/screenshots/take.py [http://127.0.0.1:8900] [--chromium PATH]
"""

import argparse
import json
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from webmine_assets.crawl.rendering.chromium import find_chromium

FOLDER = Path(__file__).parent
WIDTH = 1280
SQL = "select decision, count(*) as urls\nfrom url_ledger group by decision order by urls desc"


def views(page_id: str) -> list[tuple[str, str, int]]:
    """Name, address and height of each picture."""
    blocked = urllib.parse.quote("http://127.0.0.1:8801/internal/staff-handbook")
    return [
        ("overview", "/", 1240),
        ("explorer", "/pages?q=energy", 900),
        ("page", f"/pages/{page_id}", 860),
        ("stored-page", f"/pages/{page_id}?tab=stored", 860),
        ("metadata", f"/pages/{page_id}?tab=metadata", 1000),
        ("topics", f"/pages/{page_id}?tab=topics", 760),
        ("history", f"/pages/{page_id}?tab=history", 820),
        ("why", f"/urls?url={blocked}", 760),
        ("urls", "/urls?institution=demo-university", 860),
        ("rules", "/rules", 820),
        ("workshop", f"/rules/{page_id}", 1100),
        ("sql", f"/sql?{urllib.parse.urlencode({'q': SQL})}", 1000),
        ("api", "/api", 860),
        ("not-found", "/no-such-view", 520),
    ]


def shoot(browser: Browser, address: str, path: Path, height: int, **options: Any) -> None:
    size = {"width": options.pop("width", WIDTH), "height": height}
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    page.goto(address)
    if path.stem == "workshop":
        teach(page)
    page.wait_for_timeout(400)
    page.screenshot(path=path)
    context.close()


def teach(page: Page) -> None:
    page.fill("#words", "remove the comments")
    page.click("text=Propose")
    page.click(".proposal >> nth=0")
    page.wait_for_selector("#outcome:not([hidden])")
    page.focus("#description")
    page.evaluate("scrollTo(0, 0)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("studio", nargs="?", default="http://127.0.0.1:8900")
    parser.add_argument("--chromium", default=find_chromium().path)
    options = parser.parse_args()
    search = f"{options.studio}/api/search?q=town+heated+by+the+fjord&limit=1"
    with urllib.request.urlopen(search) as answer:  # noqa: S310  # the studio one was asked to name
        page_id = json.load(answer)["pages"][0]["page_id"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.chromium, args=["--no-sandbox"]
        )
        for name, address, height in views(page_id):
            shoot(browser, options.studio + address, FOLDER / f"{name}.png", height)
        dark, phone = FOLDER / "overview-dark.png", FOLDER / "overview-phone.png"
        shoot(browser, options.studio, dark, 1240, color_scheme="dark")
        shoot(browser, options.studio, phone, 860, width=420)
        shoot(browser, f"{options.studio}/pages/{page_id}?tab=metadata",
              FOLDER / "metadata-dark.png", 1000, color_scheme="dark")  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
