"""Who may talk to the studio: Host, Origin, fetch metadata and token, decided without I/O."""

import hashlib
import hmac
import ipaddress
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

COOKIE = "webmine_studio"
MIN_TOKEN_CHARACTERS = 12
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    # What is no page of ours (JSON, pictures, style sheets) loads nothing and is framed nowhere.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def stored_page_policy(nonce: str | None = None) -> str:
    """The policy of a stored page: nothing loads, nothing runs but our own script, if any.

    An opaque origin (`sandbox`) keeps the page away from the studio even where the frame is left.
    """
    script = f"script-src 'nonce-{nonce}'; " if nonce else ""
    sandbox = "sandbox allow-scripts" if nonce else "sandbox"
    return (
        f"default-src 'none'; {script}style-src 'unsafe-inline'; img-src data:; "
        f"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; {sandbox}"
    )


def is_loopback(host: str) -> bool:
    """Whether a host to listen on is this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request is turned away."""

    status: int
    detail: str


class Doorkeeper:
    """Decides from a request's headers alone; `token` None means loopback needs none."""

    def __init__(self, *, hosts: Collection[str], any_address: bool, token: str | None) -> None:
        self._hosts = {"localhost", "127.0.0.1", "::1", *(host.lower() for host in hosts)}
        self._any_address = any_address
        self._token = token

    def refusal(self, method: str, headers: Mapping[str, str]) -> Refusal | None:
        """What speaks against a request, apart from the token."""
        host = headers.get("Host", "")
        if not self._knows(host):
            # Misdirected Request (RFC 9110, 15.5.20): what a name rebound to this address gets.
            return Refusal(status=421, detail=f"this server does not answer for {host!r}")
        origin = headers.get("Origin")
        if origin is not None and not _is_same(origin, host):
            return Refusal(status=403, detail=f"requests from {origin!r} are not taken")
        if _is_cross_site(method, headers):
            return Refusal(status=403, detail="requests that another site makes are not taken")
        return None

    def _knows(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self._hosts or (self._any_address and _is_address(name))

    def has_token(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        if self._token is None:
            return True
        scheme, _, given = headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return True
        return _is_equal(cookies.get(COOKIE, ""), self.cookie)

    def is_token(self, given: str) -> bool:
        return _is_equal(given, self._token or "")

    @property
    def cookie(self) -> str:
        """What a browser keeps instead of the token itself."""
        return hashlib.sha256(f"studio cookie\n{self._token}".encode()).hexdigest()


def _is_equal(given: str, secret: str) -> bool:
    """In a time that does not tell how much of it is right; a header may hold half a character."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _is_same(origin: str, host: str) -> bool:
    scheme, _, rest = origin.partition("://")
    return scheme in {"http", "https"} and rest.lower() == host.lower()


def _is_cross_site(method: str, headers: Mapping[str, str]) -> bool:
    """Other sites may link here; they may not write, embed or fetch."""
    # Programs do not send it, nor do browsers to plain addresses beyond loopback; their writes
    # name an Origin.
    site = headers.get("Sec-Fetch-Site", "none")
    if site in {"same-origin", "none"}:
        return False
    is_link = (
        method in SAFE_METHODS
        and headers.get("Sec-Fetch-Mode") == "navigate"
        and headers.get("Sec-Fetch-Dest") == "document"
    )
    return not is_link


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
