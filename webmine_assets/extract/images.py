"""The address of a picture, lazy-loaded or not, and whether it is one a reader would see."""

import re
from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from webmine_assets.extract.document import Document

_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-url")
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_PLACEHOLDER = re.compile(
    r"^data:|(?:^|[/_.-])(?:spacer|blank|placeholder|transparent|clear|grey|gray|lazy|loading|1x1|pixel)"
    r"[\w-]{0,20}\.(?:gif|png|svg|jpe?g)",
    re.IGNORECASE,
)
_TRACKER = re.compile(
    r"(?:^|[/._?&=-])(?:pixels?|beacon|track(?:er|ing)?|1x1|counter|stat(?:s|istics)?|analytics|impression)"
    r"(?:[/._?&=-]|$)|facebook\.com/tr|doubleclick\.net|scorecardresearch|vgwort\.de|ioam\.de",
    re.IGNORECASE,
)
_TINY_PX = 2
# Real pictures have up to ten; a picture around 5 MB of them was read again for each of its images.
_MAX_SOURCES = 12


def image_url(image: HtmlElement, document: Document) -> str | None:
    """The absolute address of a picture a reader would see; None for pixels and placeholders."""
    if _is_tiny(image):
        return None
    for source in _sources(image):
        source = source.strip()
        if source and not source.startswith("data:"):
            url = document.resolve(source)
            if url and not _TRACKER.search(url[:400]):
                return url
    return None


def _sources(image: HtmlElement) -> Iterator[str]:
    """What may be the picture, best first: lazy attributes hide it from browsers, not from us."""
    yield from (image.get(name) or "" for name in _LAZY)
    source = image.get("src") or ""
    yield "" if _PLACEHOLDER.search(source[:400]) else source
    yield from (_largest(value) for name in _SETS if (value := image.get(name)))
    yield from _picture_sources(image)


def _picture_sources(image: HtmlElement) -> Iterator[str]:
    """The sources of the picture around an img; libxml2 nests what follows a source in it."""
    for picture in islice(image.iterancestors(), _MAX_SOURCES):
        if picture.tag == "picture":
            sources = islice(picture.iter("source"), _MAX_SOURCES)
            yield from (_largest(s.get("srcset") or s.get("data-srcset") or "") for s in sources)
        if picture.tag != "source":
            return


def _largest(srcset: str) -> str:
    """The address with the greatest width or density of a srcset."""
    best, best_size = "", -1.0
    for part in srcset[:20_000].split(", "):
        words = part.strip().strip(",").split()
        if words and (size := _size(words[1] if len(words) > 1 else "1x")) > best_size:
            best, best_size = words[0], size
    return best


def _size(descriptor: str) -> float:
    try:
        return float(descriptor[:-1])
    except ValueError:
        return 0.0


def _is_tiny(image: HtmlElement) -> bool:
    for name in ("width", "height"):
        value = (image.get(name) or "").strip().removesuffix("px")
        if value.isascii() and value.isdigit() and len(value) < 6 and int(value) <= _TINY_PX:
            return True
    return False
