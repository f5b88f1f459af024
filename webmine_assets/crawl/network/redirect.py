"""Where a redirect leads and whether the chain may grow. Scope and robots are asked elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_from_bytes

import ada_url

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.network.diagnosis import Diagnosis
from webmine_assets.urls import MAX_URL_CHARS

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
_SCHEMES = ("http:", "https:")
# Everything printable of ASCII stays as the server wrote it; the URL parser does the rest.
_ASCII = "".join(map(chr, range(0x20, 0x7F)))


@dataclass(frozen=True, slots=True)
class Target:
    """A URL ready to be asked for: absolute, without fragment, its host in canonical form."""

    url: str
    host: str


def parse_target(raw_url: str, base: str | None = None) -> Target | None:
    """The target a URL names, or None if it is not an http(s) URL with a host."""
    try:
        parsed = ada_url.URL(raw_url, base=base) if base else ada_url.URL(raw_url)
    except ValueError:
        return None
    if parsed.protocol not in _SCHEMES or not parsed.hostname:
        return None
    if parsed.hash or parsed.href.endswith("#"):
        return Target(parsed.href.partition("#")[0], parsed.host)
    return Target(parsed.href, parsed.host)


@dataclass(slots=True)
class RedirectChain:
    """The way of one fetch so far: `passed` are the URLs that redirected, first to last."""

    target: Target
    max_redirects: int
    passed: list[str] = field(default_factory=list)

    def follow(self, location: str | None) -> Target | Diagnosis:
        """The next target, or why there is none; the chain moves on only with `move`."""
        target = _parse_location(location, self.target.url)
        if target is None:
            shown = (location or "")[:200].encode("ascii", "backslashreplace").decode()
            return Diagnosis(FetchReason.BAD_REDIRECT, f"Location {shown!r} cannot be followed")
        if target.url == self.target.url or target.url in self.passed:
            return Diagnosis(FetchReason.REDIRECT_LOOP, f"redirects back to {target.url}")
        if len(self.passed) >= self.max_redirects:
            return Diagnosis(FetchReason.REDIRECTS, f"more than {self.max_redirects} redirects")
        return target

    def move(self, target: Target) -> None:
        self.passed.append(self.target.url)
        self.target = target


def headers_beyond(headers: Mapping[str, str], source: str, target: str) -> dict[str, str]:
    """What of a request's headers goes on from `source` to `target`: credentials stay at home."""
    # Fetch standard, HTTP-redirect fetch, step 13. What was dropped does not come back later.
    if ada_url.URL(source).origin == ada_url.URL(target).origin:
        return dict(headers)
    return {name: value for name, value in headers.items() if name.lower() != "authorization"}


def _parse_location(location: str | None, base: str) -> Target | None:
    if not location or len(location) > MAX_URL_CHARS:
        return None
    if not location.isascii():
        # Undecodable header bytes arrive as surrogates.
        location = quote_from_bytes(location.encode("utf-8", "surrogateescape"), safe=_ASCII)
    return parse_target(location, base)
