"""All that the cascades may look at for one page, gathered once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from webmine_assets.extract.document import Document
from webmine_assets.extract.marks import Element, Marks, marks_of
from webmine_assets.extract.metadata.headings import Headings
from webmine_assets.extract.metadata.wording import fold, squeeze
from webmine_assets.extract.outline import Outline, build_outline
from webmine_assets.extract.structured import Node, page_nodes, texts, types_of

MAX_CLAIM_CHARS = 1_000
# Only the first of these that is there: some pages give their own title as application name.
_NAME_METAS = ("og:site_name", "application-name", "apple-mobile-web-app-title")
_OWNER_METAS = ("publisher", "dc.publisher", "citation_publisher", "twitter:site", "copyright")
_GENERIC_LABELS = frozenset({"com", "org", "net", "gov", "edu", "gob", "www", "blog", "news"})
_SITE_TYPES = frozenset({"WebSite", "Organization", "NewsMediaOrganization", "Corporation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One page as the cascades see it; `main` is the main content's element, if there is one."""

    document: Document
    url: str
    host: str
    today: date
    main: Element | None
    marks: Marks
    nodes: list[Node]
    site_names: frozenset[str]
    title_element: str
    headings: Headings
    outline: Outline
    feed_title: str | None = None
    feed_date: str | None = None
    sitemap_date: str | None = None

    @property
    def metas(self) -> dict[str, list[str]]:
        return self.document.metas

    def tags(self, name: str) -> list[Element]:
        return self.document.by_tag.get(name, [])

    def json_ld_texts(self, name: str) -> list[str]:
        return [text for node in self.nodes for text in texts(node.get(name))]


def gather(
    document: Document,
    *,
    url: str,
    today: date,
    main: Element | None,
    outline: Outline | None = None,
    feed_title: str | None = None,
    feed_date: str | None = None,
    sitemap_date: str | None = None,
) -> Evidence:
    """Index the page once for all cascades; the outline is the content pass's if it is given."""
    marks, nodes = marks_of(document), page_nodes(document.json_ld)
    title_element = _title_element(document)
    named = frozenset(_site_names(document, url)) - {""}
    site_names = named | {name.replace(" ", "") for name in named}
    claims = _claimed_titles(document, nodes, title_element)
    headings = Headings(document, marks, claims=claims, site_names=site_names)
    marks.keep(headings.title_element)
    marks.keep(main)
    return Evidence(
        document=document,
        url=url,
        host=host_of(url),
        today=today,
        main=main,
        marks=marks,
        nodes=nodes,
        site_names=site_names,
        title_element=title_element,
        headings=headings,
        outline=outline if outline is not None else build_outline(document),
        feed_title=feed_title,
        feed_date=feed_date,
        sitemap_date=sitemap_date,
    )


def _claimed_titles(document: Document, nodes: list[Node], title_element: str) -> list[str]:
    """What the page calls itself outside its headings."""
    claims = [
        *document.metas.get("og:title", ())[:1],
        *document.metas.get("twitter:title", ())[:1],
        title_element,
        *[text for node in nodes for text in texts(node.get("headline"))][:1],
    ]
    return [squeeze(claim[:MAX_CLAIM_CHARS]) for claim in claims]


def _title_element(document: Document) -> str:
    """The text of the page's title element (a drawing may have titles too)."""
    for element in document.by_tag.get("title", ()):
        if (parent := element.getparent()) is None or parent.tag != "svg":
            return squeeze((element.text or "")[:MAX_CLAIM_CHARS])
    return ""


def _site_names(document: Document, url: str) -> Iterator[str]:
    """What the site calls itself, folded for comparison."""
    named = next((name for name in _NAME_METAS if document.metas.get(name)), "")
    for name in (named, *_OWNER_METAS):
        yield from (fold(value[:200]) for value in document.metas.get(name, ())[:3])
    for node in document.json_ld:
        if _SITE_TYPES.intersection(types_of(node)):
            yield from (fold(name) for name in texts(node.get("name"))[:2])
        if "publisher" in node:
            yield from (fold(name) for name in texts(node["publisher"])[:2])
    host = host_of(url)
    yield fold(host)
    labels = host.split(".")[:-1]
    yield from (fold(label) for label in labels if len(label) > 2 and label not in _GENERIC_LABELS)


def host_of(url: str) -> str:
    """The host without www; empty if the URL has none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
