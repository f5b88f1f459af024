"""A small corpus for the studio: the demo newsroom's articles and one hostile page, stored."""

from pathlib import Path

from webmine_assets.demo.newsroom import build_newsroom
from webmine_assets.institutions import find_institution, load_institution
from webmine_assets.progress import Progress, SilentProgress
from webmine_assets.records import Decision, PageSnapshot, SnapshotMeta, page_id
from webmine_assets.settings import Settings, read_settings
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.search import index_pages
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import crawl_report, ledger_row, snapshot

NEWSROOM = "newsroom"
BASE = "https://courier.example"
ARTICLE = f"{BASE}/technology/harbour-fibre-ring"
ARTICLE_ID = page_id(NEWSROOM, ARTICLE)
HOSTILE = f"{BASE}/hostile"
HOSTILE_ID = page_id(NEWSROOM, HOSTILE)
BLOCKED = f"{BASE}/account/login"
ARTICLES = 24

INSTITUTION_FILE = f"""\
# The newsroom of the tests.
institution_id: {NEWSROOM}
name: Tidewater Courier
seed_urls:
  - {BASE}/
allowed_domains: [courier.example] # one host
max_pages: 50
"""

# Everything a page could try, each aimed at an address that a test listens on.
HOSTILE_PAGE = """\
<html><head><title>Hostile</title>
<meta http-equiv="refresh" content="0; url={away}/refresh">
<base href="{away}/"><link rel="stylesheet" href="{away}/style.css">
<style>@import url("{away}/import.css"); body {{ background: url({away}/background.png) }}</style>
<script>window.ran = 1; fetch("{away}/fetch"); parent.postMessage({{picked: 1}}, "*")</script>
</head><body onload="fetch('{away}/onload')">
<h1 onclick="fetch('{away}/onclick')">Hostile page with a long enough text to be stored</h1>
<img src="{away}/image.png" onerror="fetch('{away}/onerror')" srcset="{away}/set.png 2x">
<p style="background-image: url({away}/inline.png)">A paragraph of the hostile page.</p>
<iframe src="{away}/frame"></iframe><object data="{away}/object"></object>
<svg onload="fetch('{away}/svg')"><use href="{away}/use.svg#a"/></svg>
<video src="{away}/video.mp4" autoplay poster="{away}/poster.png"></video>
<form id="form" action="{away}/form" method="post"><button id="send">Send</button></form>
<a id="link" href="{away}/link" ping="{away}/ping" target="_top">A link that leads away</a>
<a id="script" href="javascript:fetch('{away}/javascript')">A link that runs</a>
<iframe srcdoc="<script>parent.ran = 1; fetch('{away}/srcdoc')</script>"></iframe>
<embed src="{away}/embed"><applet code="{away}/applet"></applet>
<a id="data" href="data:text/html,<script>fetch('{away}/data')</script>">A link with data</a>
<input type="image" src="{away}/input.png" formaction="{away}/formaction" autofocus onfocus="ran=1">
<audio src="{away}/audio.mp3" autoplay></audio><link rel="prefetch" href="{away}/prefetch">
<svg><script>fetch("{away}/svgscript")</script><image href="{away}/svgimage"/></svg>
<style>@font-face {{ font-family: f; src: url({away}/font.woff) }} p {{ font-family: f }}
h1 {{ background: u\\72l({away}/escaped.png) }}</style>
<div title="</iframe></div><script>window.ran = 1</script>">A box that breaks out</div>
</textarea></iframe></title></style><img src=x onerror="fetch('{away}/closed')">
<noscript><img src="{away}/noscript.png"></noscript>
<template><script>fetch("{away}/template")</script></template>
<math><mtext><table><mglyph><style><img src=x onerror="fetch('{away}/math')"></style></table></math>
</body></html>
"""


def write_corpus(
    data: Path, *, away: str = "http://away.example", articles: int = ARTICLES
) -> Settings:
    """A data folder with one institution, crawled, enhanced and indexed, without a request."""
    settings = read_settings({"WEBMINE_DATA": str(data)})
    settings.institutions.mkdir(parents=True)
    (settings.institutions / f"{NEWSROOM}.yaml").write_text(INSTITUTION_FILE, "utf-8")
    lake = Lake(settings.lake)
    pages = [*article_pages()[:articles], hostile_page(away)]
    lake.write("page_snapshots", NEWSROOM, pages)
    blocked = ledger_row(
        BLOCKED,
        Decision.ROBOTS_BLOCKED,
        institution=NEWSROOM,
        reason="robots_rule",
        detail="Disallow: /account/",
    )
    gone = ledger_row(f"{BASE}/gone", Decision.HTTP_ERROR, institution=NEWSROOM, reason="http_404")
    stored = [ledger_row(page.url, institution=NEWSROOM, reason="new") for page in pages]
    lake.write("url_ledger", NEWSROOM, [*stored, blocked, gone])
    lake.write("crawl_reports", NEWSROOM, [crawl_report(institution=NEWSROOM)])
    enhance(settings, NEWSROOM, SilentProgress())
    return settings


def article_pages() -> list[PageSnapshot]:
    resources = build_newsroom(BASE).resources
    found = [path for path, resource in resources.items() if b"related-articles" in resource.body]
    return [
        snapshot(
            BASE + path,
            institution=NEWSROOM,
            body=resources[path].body,
            title=path,
            text=path,
            checksum=f"sha256:{path}",
        )
        for path in sorted(found, key=lambda path: BASE + path != ARTICLE)
    ]


def hostile_page(away: str) -> PageSnapshot:
    body = HOSTILE_PAGE.format(away=away).encode()
    meta = SnapshotMeta(
        rendered=True,
        render_reason="empty_root",
        render_ms=228,
        render_log=(f"{BASE}/<b>.js http_404",),
    )
    return snapshot(
        HOSTILE, institution=NEWSROOM, body=body, title="Hostile", checksum="sha256:h", meta=meta
    )


def enhance(settings: Settings, institution: str, progress: Progress) -> str | None:
    """What the command line does through Dagster, without it."""
    loaded = load_institution(find_institution(settings.institutions, institution))
    lake = Lake(settings.lake)
    enhance_pages(loaded, lake=lake, progress=progress)
    index_pages(loaded, lake=lake, settings=settings, progress=progress)
    return None
