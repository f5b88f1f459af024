"""A site that exists only in a fake fetcher, and a renderer in real Chromium over it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from webmine_assets.crawl.exchange import FetchResponse, Refusal, RenderedPage, RenderFailure
from webmine_assets.crawl.network.clock import SystemClock
from webmine_assets.crawl.network.fake import Answer, FakeFetcher, Responder
from webmine_assets.crawl.rendering.renderer import ChromiumRenderer, RenderOptions
from webmine_assets_tests.browser import CHROMIUM

SITE = "https://portal.example"
TEXT = "The faculty publishes its research reports every spring. " * 5
APP = f"""
fetch('/api' + location.pathname + '.json').then((r) => r.json()).then((page) => {{
  document.title = page.title;
  document.getElementById('root').innerHTML =
    `<h1>${{page.title}}</h1><p>{TEXT}</p><a href="/p/next">next</a>`;
}});
"""
SHELL = '<!doctype html><title>…</title><div id="root"></div><script src="/app.js"></script>'
SLOW = "<p>x</p><script>setTimeout(() => { document.title = 'late'; }, 1000)</script>"
FAST = RenderOptions(timeout_s=3.0, quiet_ms=100)
# For pages that must not run out of time, however busy the machine is.
PATIENT = replace(FAST, timeout_s=20.0)


class Site:
    """A fake site; `page` makes the response that a renderer is given."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer | Responder] = {}
        self.serve("/app.js", APP, "text/javascript")
        for name in ("a", "b", "c", "d"):
            self.serve(f"/api/p/{name}.json", f'{{"title": "Page {name}"}}', "application/json")

    def serve(self, path: str, body: str, content_type: str = "text/html; charset=utf-8") -> None:
        self.answers[SITE + path] = self.page(path, body, content_type)

    def page(
        self, path: str, body: str, content_type: str = "text/html; charset=utf-8"
    ) -> FetchResponse:
        return FakeFetcher({}).response(SITE + path, body=body.encode(), content_type=content_type)


class Opened:
    """A renderer over the site, and the log of what its fetcher was asked."""

    def __init__(self, renderer: ChromiumRenderer, fetcher: FakeFetcher) -> None:
        self.renderer = renderer
        self.fetcher = fetcher

    async def render(self, response: FetchResponse) -> RenderedPage:
        page = await self.renderer.render(response)
        assert isinstance(page, RenderedPage), page
        return page

    async def fail(self, response: FetchResponse) -> RenderFailure:
        failure = await self.renderer.render(response)
        assert isinstance(failure, RenderFailure), failure
        return failure


@asynccontextmanager
async def opened(
    site: Site,
    options: RenderOptions = FAST,
    *,
    latency_s: Callable[[str], float] = lambda url: 0.0,
) -> AsyncIterator[Opened]:
    async def check_robots(url: str) -> Refusal | None:
        is_private = "/private/" in url
        return Refusal(decision="robots_blocked", reason="rule") if is_private else None

    fetcher = FakeFetcher(site.answers, clock=SystemClock(), latency_s=latency_s)
    assert CHROMIUM.path is not None
    async with ChromiumRenderer(
        fetcher,
        executable=CHROMIUM.path,
        is_in_scope=lambda url: url.startswith(SITE),
        check_robots=check_robots,
        options=options,
    ) as renderer:
        yield Opened(renderer, fetcher)
