"""The image cascade."""

import re
from collections.abc import Iterable, Iterator

from webmine_assets.extract.marks import Element
from webmine_assets.extract.metadata.cascade import (
    Offer,
    Outcome,
    Rejected,
    Source,
    meta,
    offers,
    run,
)
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.structured import urls

MAX_URL_CHARS = 2_000
MAX_IMAGES_READ = 12
_ADDRESS_ATTRIBUTES = ("src", "data-src", "data-original", "data-lazy-src")
# Words of their own: "tracker" and "pixels" count, "soundtrack" and "pixelated-art" do not.
_TRACKER = re.compile(
    r"(?<![a-z0-9])(?:1x1|(?:track(?:er|ing)?|beacon|pixel)s?(?![a-z])|(?:spacer|blank)\.gif)",
    re.IGNORECASE,
)


def _structured(evidence: Evidence) -> Iterator[Offer]:
    for element in evidence.marks.by_property.get("image", ()):
        yield from offers([_address(element) or element.get("content") or ""])
    yield from offers(evidence.metas.get("image", ()))


def _json_ld(evidence: Evidence) -> Iterator[Offer]:
    for node in evidence.nodes:
        yield from offers(urls(node.get("image")))


def _image_links(evidence: Evidence) -> Iterable[Offer]:
    return offers(e.get("href") or "" for e in evidence.marks.by_rel.get("image_src", ()))


def _article_images(evidence: Evidence) -> Iterator[Offer]:
    for article in evidence.tags("article")[:3]:
        yield from _images(article.iter("img"))


def _images(elements: Iterable[Element]) -> Iterator[Offer]:
    for number, element in enumerate(elements):
        if number >= MAX_IMAGES_READ:
            return
        flaw = "a tracking pixel by its size" if _is_dot(element) else ""
        if address := _address(element):
            yield Offer(address, flaw)


def _address(element: Element) -> str:
    """The address of an image: a lazy one first stands in data attributes, src is a stand-in."""
    for name in _ADDRESS_ATTRIBUTES:
        value = (element.get(name) or "").strip()
        if value and not value.startswith("data:"):
            return value
    return (element.get("href") or "").strip() if element.tag in ("a", "link") else ""


def _is_dot(element: Element) -> bool:
    return all((element.get(side) or "").strip(" px") in ("0", "1") for side in ("width", "height"))


IMAGE_SOURCES = (
    meta("og:image"),
    meta("og:image:secure_url"),
    meta("twitter:image"),
    meta("twitter:image:src"),
    Source("itemprop:image", _structured),
    Source("json-ld:image", _json_ld),
    Source("link:image_src", _image_links),
    Source("article-img", _article_images),
    Source("first-img", lambda evidence: _images(evidence.tags("img"))),
)


def extract_image(evidence: Evidence) -> Outcome[str]:
    """The absolute http(s) address of the page's image."""
    return run("image", IMAGE_SOURCES, evidence, _check)


def _check(raw: str, source: str, evidence: Evidence) -> str | Rejected:
    if len(raw) > MAX_URL_CHARS:
        return Rejected(f"longer than {MAX_URL_CHARS} characters")
    url = evidence.document.resolve("".join(raw.split()))
    if url is None:
        return Rejected("not an http or https address")
    if url.partition("#")[0] == evidence.document.base_url.partition("#")[0]:
        return Rejected("the address of the page itself")
    if _TRACKER.search(url.partition("//")[2]):
        return Rejected("a tracking pixel by its address")
    return url
