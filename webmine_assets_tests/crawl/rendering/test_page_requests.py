"""What a page is given for its requests: redirects, modules, files, and what is not there."""

from dataclasses import replace

import pytest

from webmine_assets_tests.browser import IN_CHROMIUM
from webmine_assets_tests.crawl.rendering.browser_site import (
    PATIENT,
    SHELL,
    SITE,
    TEXT,
    Site,
    opened,
)

pytestmark = IN_CHROMIUM


async def test_page_that_moved_carries_the_answer_of_where_it_led(site: Site) -> None:
    target = site.page("/target", f"<title>Target</title><p>{TEXT}</p>")
    headers = {**target.headers, "x-robots-tag": "noindex", "etag": '"target"'}
    site.answers[f"{SITE}/old"] = replace(
        target, requested_url=f"{SITE}/old", headers=headers, redirects=(f"{SITE}/old",)
    )
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<script>location = '/old'</script>"))
        stayed = await browser.render(site.page("/p/b", SHELL))
    assert page.document is not None
    assert (page.document.headers, page.document.body) == (headers, b"")
    assert (page.moved_to, page.document.redirects) == (f"{SITE}/target", (f"{SITE}/old",))
    assert stayed.document is None


MODULES = {
    "named": ("import {text} from './dep.js';\nexport const shown = text;", "{shown}"),
    "default": ("/* licence */import{text}from'./dep.js';export{text as default};", "shown"),
    "after a directive": (
        "'use strict'; import * as dep from './dep.js'; export let shown = dep.text",
        "{shown}",
    ),
}


@pytest.mark.parametrize(("body", "names"), MODULES.values(), ids=MODULES.keys())
async def test_a_redirected_module_finds_its_own_parts(site: Site, body: str, names: str) -> None:
    final = f"{SITE}/lib/v2/main.js"
    site.serve("/lib/v2/main.js", body, "text/javascript")
    site.serve("/lib/v2/dep.js", f"export const text = {TEXT!r}", "text/javascript")
    moved = site.page("/lib/v2/main.js", body, "text/javascript")
    site.answers[f"{SITE}/lib"] = replace(
        moved, requested_url=f"{SITE}/lib", url=final, redirects=(f"{SITE}/lib",)
    )
    script = f"import {names} from '/lib'; document.body.append(shown)"
    async with opened(site, PATIENT) as browser:
        page = await browser.render(
            site.page("/p/a", f"<body><script type=module>{script}</script>")
        )
    assert TEXT in page.html.replace("\\n", "")
    assert page.blocked == ()


async def test_a_redirected_script_that_is_no_module_is_taken_as_it_is(site: Site) -> None:
    body = f"const words = 'import or export'; document.body.append({TEXT!r})"
    moved = site.page("/app/v2.js", body, "text/javascript")
    site.answers[f"{SITE}/app"] = replace(moved, redirects=(f"{SITE}/app",))
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", "<body><script src=/app></script>"))
    assert TEXT in page.html
    assert browser.fetcher.urls == [f"{SITE}/app"]


async def test_scripts_that_are_not_there_are_in_the_log(site: Site) -> None:
    site.answers[f"{SITE}/late.js"] = replace(site.page("/late.js", "down"), status=503)
    scripts = "<script src=/gone.js></script><script type=module src=/late.js></script>"
    async with opened(site) as browser:
        page = await browser.render(
            site.page("/p/a", f"<p>{TEXT}</p>{scripts}<script>fetch('/no-data')</script>")
        )
    assert set(page.blocked) == {f"{SITE}/gone.js http_404", f"{SITE}/late.js http_503"}


async def test_a_file_that_a_page_leads_to_is_a_link_of_it(site: Site) -> None:
    site.serve("/doc.pdf", "%PDF-1.4", "application/pdf")
    site.serve("/data.bin", "\x00\x01", "application/octet-stream")
    leads = f"<p>{TEXT}</p><script>location = '/doc.pdf'</script>"
    framed = f"<p>{TEXT}</p><iframe src=/data.bin></iframe>"
    async with opened(site) as browser:
        page = await browser.render(site.page("/p/a", leads))
        frames = await browser.render(site.page("/p/b", framed))
    assert TEXT in page.html
    assert (page.moved_to, page.links_to) == (None, (f"{SITE}/doc.pdf",))
    assert page.blocked == (f"{SITE}/doc.pdf not_html",)
    assert (frames.links_to, frames.blocked) == ((), (f"{SITE}/data.bin not_html",))
