"""Which stored page a visited one is: by URL, canonical link and text. First seen stays."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from webmine_assets.urls import origin_of

Sighting = tuple[int, str | None]
"""(depth, discovered_from) of a URL."""

MAX_VARIANTS = 10
"""Spellings of one URL that are kept: session ids make a new one on every page."""
MAX_VARIANTS_IN_ALL = 200_000
"""Of all URLs together: a million known ones with ten spellings each would take 1.3 GB."""
MAX_LASTMODS = 200_000
"""Pages whose sitemap date is kept, about 150 bytes each: as many as may wait for their turn."""


@dataclass(slots=True)
class Identities:
    """The stored pages so far and the other URLs that lead to them."""

    _by_checksum: dict[str, str] = field(default_factory=dict)
    _aliases: dict[str, dict[str, str]] = field(default_factory=dict)
    _asked: dict[str, str] = field(default_factory=dict)
    _variants: dict[str, dict[str, Sighting]] = field(default_factory=dict)
    _variant_count: int = 0
    _lastmods: dict[str, str] = field(default_factory=dict)

    def __contains__(self, url: str) -> bool:
        return url in self._aliases

    def owner(self, url: str, checksum: str, *, has_text: bool) -> str | None:
        """The stored page that this one repeats."""
        if url in self._aliases:
            return url
        return self._by_checksum.get(checksum) if has_text else None

    def store(self, url: str, checksum: str, *, requested_url: str) -> None:
        self._aliases[url] = {}
        self._asked[url] = requested_url
        self._by_checksum.setdefault(checksum, url)

    def add_alias(self, url: str, alias: str, reason: str) -> None:
        self._aliases[url].setdefault(alias, reason)

    def aliases(self, url: str) -> dict[str, str]:
        return self._aliases[url]

    def note_lastmod(self, key: str, lastmod: str) -> None:
        """Remember when a sitemap says that a page last changed; the first sitemap is believed."""
        if len(self._lastmods) < MAX_LASTMODS:
            self._lastmods.setdefault(key, lastmod)

    def lastmod(self, url: str) -> str | None:
        """What a sitemap said of a stored page, under its own URL or one that led to it."""
        keys = (url, *self._aliases[url])
        return next((self._lastmods[key] for key in keys if key in self._lastmods), None)

    def note_variant(self, key: str, url: str, seen: Sighting) -> None:
        """Remember another spelling under which a known URL was linked."""
        if url == key or self._asked.get(key) == url:
            return
        if self._variant_count >= MAX_VARIANTS_IN_ALL:
            return
        spellings = self._variants.setdefault(key, {})
        if len(spellings) < MAX_VARIANTS and url not in spellings:
            spellings[url] = seen
            self._variant_count += 1

    def variants(self) -> Iterable[tuple[str, str, Sighting]]:
        """(key, spelling, where it was seen) of the stored pages, in the order they were noted."""
        for key, spellings in self._variants.items():
            for spelling, seen in spellings.items():
                if key in self._aliases and spelling != self._asked[key]:
                    yield key, spelling, seen


def is_credible_canonical(canonical: str, final: str) -> bool:
    """A template that names the home page on every page would fold the site into one row.

    A true copy of the home page is still found by its text.
    """
    home = origin_of(canonical)
    return canonical.rstrip("/") != home.rstrip("/") or final.partition("?")[0].rstrip("/") == home
