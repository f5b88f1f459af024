"""The addresses in a sitemap: XML (also an index, also gzip) or one URL a line, read as a stream.

Damage ends the reading, not the crawl: what came before it counts.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from lxml import etree

from webmine_assets.urls import MAX_URL_CHARS

# Both limits are those of the protocol at sitemaps.org.
MAX_URLS = 50_000
MAX_EXPANDED_BYTES = 50 * 1024 * 1024
_CHUNK_BYTES = 65_536
# Twenty elements for each of the addresses: images, alternates and dates.
_MAX_ELEMENTS = 20 * MAX_URLS
_GZIP_MAGIC = b"\x1f\x8b"
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_LONGEST_REFERENCE = 10
# Closed, or empty and therefore closed where it begins.
_ROOT = rb"(?:</(?:[\w.-]+:)?%s|<(?:[\w.-]+:)?%s(?:\s[^<>]*)?/)\s*>\s*(?:<!--.*)?$"
_TAIL_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """One address as it is written, and when it last changed as the file says."""

    raw_url: str
    lastmod: str | None = None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap names; `problem` says why it was not read to its end."""

    entries: tuple[SitemapEntry, ...]
    nested: tuple[str, ...] = ()
    problem: str | None = None


def parse_sitemap(body: bytes) -> Sitemap:
    """Pages and nested sitemaps in the order of the file, at most 50,000 in all."""
    found = _Found()
    chunks = _expanded(body, found)
    first = next(chunks, b"")
    read = _read_xml if _is_xml(first) else _read_lines
    read(chain([first], chunks), found)
    return Sitemap(tuple(found.entries), tuple(found.nested), found.problem)


@dataclass(slots=True)
class _Found:
    entries: list[SitemapEntry] = field(default_factory=list)
    nested: list[str] = field(default_factory=list)
    problem: str | None = None
    is_full: bool = False

    def add(self, name: str, raw_url: str, lastmod: str | None) -> None:
        if len(self.entries) + len(self.nested) >= MAX_URLS:
            self.is_full = True
            self.problem = f"more than {MAX_URLS} addresses"
        elif name == "sitemap":
            self.nested.append(raw_url)
        else:
            self.entries.append(SitemapEntry(raw_url, lastmod))


def _expanded(body: bytes, found: _Found) -> Iterator[bytes]:
    """The file in pieces, unpacked if need be, up to the limit on its unpacked size."""
    pieces = _unpacked(body, found) if body.startswith(_GZIP_MAGIC) else _sliced(body)
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > MAX_EXPANDED_BYTES:
            found.problem = f"more than {MAX_EXPANDED_BYTES} bytes unpacked"
            return
        yield piece


def _sliced(body: bytes) -> Iterator[bytes]:
    return (body[at : at + _CHUNK_BYTES] for at in range(0, len(body), _CHUNK_BYTES))


def _unpacked(body: bytes, found: _Found) -> Iterator[bytes]:
    while body:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            while body and not unpacker.eof:
                yield unpacker.decompress(body, _CHUNK_BYTES)
                body = unpacker.unconsumed_tail
        except zlib.error as problem:
            found.problem = f"damaged gzip: {str(problem).rpartition(': ')[2]}"
            return
        if not unpacker.eof:
            found.problem = "damaged gzip: the file ends early"
            return
        body = unpacker.unused_data if unpacker.unused_data.startswith(_GZIP_MAGIC) else b""


def _is_xml(first: bytes) -> bool:
    return first.lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<")


def _read_xml(chunks: Iterable[bytes], found: _Found) -> None:
    handler = _Elements(found)
    # No tree is built, no DTD is loaded, no entity resolved; libxml2's limits on depth stay on.
    parser = etree.XMLParser(
        target=handler,  # type: ignore[arg-type]  # the stubs ask for more than lxml does
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    tail = b""
    try:
        for chunk in _with_ampersands_escaped(chunks):
            parser.feed(chunk)
            tail = (tail + chunk)[-_TAIL_BYTES:]
            if handler.has_enough:
                return
        found.problem = found.problem or _problem_at_end(handler.root, tail.replace(b"\0", b""))
        parser.close()
    except etree.XMLSyntaxError as problem:
        found.problem = found.problem or f"damaged XML: {problem.msg}"


def _problem_at_end(root: str, tail: bytes) -> str | None:
    if root not in ("urlset", "sitemapindex"):
        return f"no sitemap: its root element is {root[:40]!r}" if root else "no sitemap: no XML"
    name = root.encode()
    if not re.search(_ROOT % (name, name), tail, re.DOTALL | re.IGNORECASE):
        # What is still open is not heard of again: its address may be half of one.
        return "damaged XML: the file ends early"
    return None


class _Elements:
    """Hears the elements of a sitemap as they are parsed and keeps the addresses."""

    def __init__(self, found: _Found) -> None:
        self._found = found
        self.root = ""
        self._count = 0
        self._path: list[str] = []
        self._values: dict[str, str] = {}

    @property
    def has_enough(self) -> bool:
        if self._count > _MAX_ELEMENTS:
            self._found.problem = f"more than {_MAX_ELEMENTS} elements"
        return self._count > _MAX_ELEMENTS or self._found.is_full

    def start(self, tag: str, _attributes: object) -> None:
        self._count += 1
        self._path.append(tag.rpartition("}")[2].lower())
        self.root = self.root or self._path[0]

    def data(self, text: str) -> None:
        # Only direct children of a page: an image of it has an address of its own.
        if self._path[-2:-1] in (["url"], ["sitemap"]) and self._path[-1] in ("loc", "lastmod"):
            known = self._values.get(self._path[-1], "")
            if len(known) <= MAX_URL_CHARS:
                self._values[self._path[-1]] = known + text

    def end(self, _tag: str) -> None:
        name = self._path.pop()
        if name not in ("url", "sitemap"):
            return
        values, self._values = self._values, {}
        raw_url = values.get("loc", "").strip()
        if raw_url and len(raw_url) <= MAX_URL_CHARS:
            self._found.add(name, raw_url, values.get("lastmod", "").strip() or None)

    def close(self) -> None:
        """Nothing to give back: the addresses are where they belong."""


def _with_ampersands_escaped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The XML with the ampersands of raw query strings made legal: the most common mistake.

    This also makes every entity but the predefined ones plain text.
    """
    held = b""
    for chunk in chunks:
        if b"\0" in chunk:  # UTF-16, which this does not read
            yield chunk
            continue
        whole = held + chunk
        cut = whole.rfind(b"&", -_LONGEST_REFERENCE)
        whole, held = (whole, b"") if cut < 0 else (whole[:cut], whole[cut:])
        yield _BARE_AMPERSAND.sub(b"&amp;", whole)
    yield _BARE_AMPERSAND.sub(b"&amp;", held)


def _read_lines(chunks: Iterable[bytes], found: _Found) -> None:
    text = b"".join(chunks).decode("utf-8-sig", "replace")
    for line in text.splitlines():
        raw_url = line.strip()
        if raw_url.startswith(("http://", "https://")) and len(raw_url) <= MAX_URL_CHARS:
            found.add("url", raw_url, None)
            if found.is_full:
                return
    if not found.entries:
        found.problem = found.problem or "no sitemap: neither XML nor a list of URLs"
