"""Halden University: server-rendered pages with the habits of a real institutional site."""

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from webmine_assets.demo.calendar import calendar_pages
from webmine_assets.demo.painter import Painter, read_records, read_static
from webmine_assets.demo.pdf import build_pdf
from webmine_assets.demo.site import Resource, Site

_UPDATED = date(2025, 9, 15)
_REDIRECTS = {"/physics": (301, "/departments/physics"), "/apply-now": (302, "/study/apply")}
_ROBOTS = """# Halden University
User-agent: *
Disallow: /internal/
Allow: /internal/accessibility
Disallow: /search
# A fraction of a second: the demo must be quick, and a crawler must read fractions.
Crawl-delay: 0.02

Sitemap: {base_url}/sitemap.xml
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One authored page; `layout` names its template."""

    path: str
    title: str
    summary: str
    body: str
    lang: str = "en"
    layout: str = "page"
    updated: date = _UPDATED
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def parent(self) -> str:
        return self.path.rpartition("/")[0] or "/"


def build_university(base_url: str) -> Site:
    """Every page of the site, with absolute links to where it is served."""
    painter = Painter("university", base_url)
    pages = [Page(**record) for record in read_records("university", "page")]
    documents = read_records("university", "document")
    resources = {page.path: _paint(painter, page, pages) for page in pages}
    resources |= calendar_pages(painter)
    resources |= {document["path"]: _pdf(document) for document in documents}
    resources |= {old: _redirect(*target) for old, target in _REDIRECTS.items()}
    resources |= _machine_files(painter, base_url, [*_listed(pages), *documents])
    missing = painter.html("missing.html", _UPDATED, status=404, path="/404")
    return Site(name="university", resources=resources, fallback=missing)


def _listed(pages: list[Page]) -> list[dict[str, Any]]:
    """What the sitemap lists: all that is outside the part robots.txt closes."""
    listed = [page for page in pages if not page.path.startswith("/internal/")]
    return [{"path": page.path, "updated": page.updated} for page in listed]


def _paint(painter: Painter, page: Page, pages: list[Page]) -> Resource:
    children = [other for other in pages if other.parent == page.path and other is not page]
    siblings = [other for other in pages if other.parent == page.parent and other is not page]
    return painter.html(
        f"{page.layout}.html",
        page.updated,
        page=page,
        path=page.path,
        children=[child for child in children if page.path != "/"],
        siblings=[] if page.parent == "/" else siblings[:5],
    )


def _pdf(document: dict[str, Any]) -> Resource:
    body = build_pdf(
        document["title"],
        document["body"].strip().split("\n\n"),
        author=document["author"],
        created_on=document["updated"],
    )
    return Resource(body=body, content_type="application/pdf", modified_on=document["updated"])


def _redirect(status: int, location: str) -> Resource:
    return Resource(status=status, location=location)


def _machine_files(
    painter: Painter, base_url: str, listed: list[dict[str, Any]]
) -> dict[str, Resource]:
    text = Resource(content_type="text/plain; charset=utf-8", modified_on=_UPDATED)
    return {
        "/robots.txt": replace(text, body=_ROBOTS.format(base_url=base_url).encode()),
        "/sitemap.xml": painter.xml("sitemap.xml", _UPDATED, "application/xml", entries=listed),
        "/static/site.css": Resource(
            body=read_static("university.css"), content_type="text/css", modified_on=_UPDATED
        ),
        "/static/crest.svg": Resource(
            body=read_static("crest.svg"), content_type="image/svg+xml", modified_on=_UPDATED
        ),
    }
