"""The Tidewater Courier: articles whose metadata is marked up in every common way."""

import json
from dataclasses import dataclass
from datetime import date, datetime

from markupsafe import Markup

from webmine_assets.demo.painter import Painter, read_records, read_static
from webmine_assets.demo.picture import build_png
from webmine_assets.demo.site import Resource, Site

NAME = "Tidewater Courier"
_UPDATED = date(2025, 10, 20)
_FEED_LENGTH = 15
_RELATED = 3
_ROBOTS = """User-agent: *
Disallow: /account/

Sitemap: {base_url}/sitemap.xml
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    slug: str
    title: str
    summary: str

    @property
    def path(self) -> str:
        return f"/{self.slug}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One article; `markup` is how it tells its metadata: see `templates/newsroom/head.html`."""

    section: str
    slug: str
    title: str
    summary: str
    author: str
    published: datetime
    markup: str
    tags: list[str]
    caption: str
    body: str
    modified: datetime | None = None

    @property
    def path(self) -> str:
        return f"/{self.section}/{self.slug}"

    @property
    def image(self) -> str:
        return f"/images/{self.slug}.png"

    @property
    def updated(self) -> datetime:
        return self.modified or self.published


def build_newsroom(base_url: str) -> Site:
    """Every page, picture and feed, with absolute links to where the site is served."""
    sections = [Section(**record) for record in read_records("newsroom", "section")]
    articles = _newest_first([Article(**record) for record in read_records("newsroom", "article")])
    painter = Painter("newsroom", base_url, site_name=NAME, sections=sections)
    resources = {
        **_front_pages(painter, sections, articles),
        **{article.path: _paint(painter, article, articles, base_url) for article in articles},
        **{article.image: _picture(article) for article in articles},
        **_machine_files(painter, base_url, articles),
    }
    missing = painter.html("missing.html", _UPDATED, status=404, path="/404")
    return Site(name="newsroom", resources=resources, fallback=missing)


def json_ld(article: Article, base_url: str) -> Markup:
    """The NewsArticle of schema.org, safe inside a script element."""
    record = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "description": article.summary,
        "image": [base_url + article.image],
        "datePublished": article.published.isoformat(),
        "dateModified": article.updated.isoformat(),
        "author": [{"@type": "Person", "name": article.author}],
        "publisher": {"@type": "Organization", "name": NAME},
        "keywords": article.tags,
        "articleSection": article.section,
        "mainEntityOfPage": base_url + article.path,
    }
    text = json.dumps(record, indent=2, ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704  # no tag can open in it


def _newest_first(articles: list[Article]) -> list[Article]:
    return sorted(articles, key=lambda article: article.published, reverse=True)


def _front_pages(
    painter: Painter, sections: list[Section], articles: list[Article]
) -> dict[str, Resource]:
    pages = {
        section.path: painter.html(
            "section.html",
            _UPDATED,
            path=section.path,
            section=section,
            articles=[article for article in articles if article.section == section.slug],
        )
        for section in sections
    }
    for record in read_records("newsroom", "page"):
        values = {"path": record["path"], "page": record, "articles": articles}
        pages[record["path"]] = painter.html(f"{record['layout']}.html", _UPDATED, **values)
    return pages


def _paint(painter: Painter, article: Article, articles: list[Article], base_url: str) -> Resource:
    comments = read_records("newsroom", "comment")
    first = articles.index(article) * 2
    return painter.html(
        "article.html",
        article.updated.date(),
        path=article.path,
        article=article,
        related=_related(article, articles),
        comments=[comments[(first + step) % len(comments)] for step in range(2)],
        json_ld=json_ld(article, base_url),
    )


def _related(article: Article, articles: list[Article]) -> list[Article]:
    """Articles of the same section first, then the newest of the others."""
    others = [other for other in articles if other is not article]
    others.sort(key=lambda other: other.section != article.section)
    return others[:_RELATED]


def _picture(article: Article) -> Resource:
    body = build_png(article.slug)
    return Resource(body=body, content_type="image/png", modified_on=article.published.date())


def _machine_files(painter: Painter, base_url: str, articles: list[Article]) -> dict[str, Resource]:
    entries = articles[:_FEED_LENGTH]
    updated = max(article.updated for article in articles)
    feed = {"articles": entries, "updated": updated}
    day = updated.date()
    return {
        "/feeds/rss.xml": painter.xml("rss.xml", day, "application/rss+xml", **feed),
        "/feeds/atom.xml": painter.xml("atom.xml", day, "application/atom+xml", **feed),
        "/sitemap.xml": painter.xml("sitemap.xml", day, "application/xml", articles=articles),
        "/robots.txt": _static(_ROBOTS.format(base_url=base_url).encode(), "text/plain"),
        "/static/site.css": _static(read_static("newsroom.css"), "text/css"),
        "/static/masthead.svg": _static(read_static("masthead.svg"), "image/svg+xml"),
    }


def _static(body: bytes, content_type: str) -> Resource:
    return Resource(body=body, content_type=content_type, modified_on=_UPDATED)
