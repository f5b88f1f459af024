"""Which URL a link means, and which URLs mean the same page.

`resolve` gives the URL to fetch, `canonicalise` the key of the page: the crawler asks the server
for the first, as a trailing slash or an index page may matter to it, and compares the second.
"""

import re

import ada_url

# Servers and proxies refuse longer request lines; this also bounds what a hostile <base href> can
# multiply.
MAX_URL_CHARS = 8192

_PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_PORT = re.compile(r"(?:https?://)?[^/?#]*:(\d+)(?:[/?#]|$)", re.IGNORECASE)
MAX_PORT = 65_535
_ORDINARY_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_NOT_IN_PATH = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]")
_NOT_IN_QUERY = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_LAST_SEGMENT_OF_A_FOLDER = re.compile(
    r"(?:index\.(?:html?|xhtml|shtml|php[345]?|aspx?|jspx?|cfm|cgi)|default\.(?:html?|aspx?))?",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*|/\((?:[a-z]\([a-z0-9]*\))+\)(?=/|$)",
    re.IGNORECASE,
)
_TRACKING_PREFIXES = (
    "utm_", "pk_", "piwik_", "mtm_", "matomo_", "hsa_", "oly_", "fb_action_", "aspsessionid",
)  # fmt: skip
_TRACKING_NAMES = frozenset(
    [
        "gclid",
        "gclsrc",
        "dclid",
        "gbraid",
        "wbraid",
        "srsltid",
        "fbclid",
        "fb_ref",
        "fb_source",
        "msclkid",
        "yclid",
        "ysclid",
        "twclid",
        "ttclid",
        "rdt_cid",
        "igshid",
        "igsh",
        "li_fat_id",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "_gac",
        "_hsenc",
        "_hsmi",
        "__hstc",
        "__hssc",
        "__hsfp",
        "hsctatracking",
        "mkt_tok",
        "vero_id",
        "wickedid",
        "s_kwcid",
        "_openstat",
        "ref",
        "ref_src",
        "ref_url",
        "referrer",
        "phpsessid",
        "jsessionid",
        "asp.net_sessionid",
        "sessionid",
        "session_id",
        "sessid",
        "sess_id",
        "cfid",
        "cftoken",
        "zenid",
        "oscsid",
    ]
)
# `sid` and `s` name stories and searches as often as sessions: only a value like a token is one.
_SESSION_IF_TOKEN = frozenset({"sid", "s", "sess", "session"})
_TOKEN = re.compile(r"(?=[A-Za-z_-]*\d)(?=[0-9_-]*[A-Za-z])[A-Za-z0-9_-]{16,}")


def resolve(raw_url: str, base_url: str, *, keep_fragment: bool = False) -> str | None:
    """The absolute http(s) URL that a link on a page means (WHATWG); None if it means no page."""
    if len(raw_url) > MAX_URL_CHARS:
        return None
    try:
        url: str = ada_url.join_url(base_url, raw_url)
    except ValueError:
        return None
    if not url.startswith(("http://", "https://")) or len(url) > MAX_URL_CHARS:
        return None
    return url if keep_fragment else url.partition("#")[0]


def url_problem(text: str) -> str | None:
    """Why a text that a person wrote is no address of a page; None if it is one."""
    if resolve(text, text) is not None:
        return None
    if (port := _PORT.match(text)) and int(port[1]) > MAX_PORT:
        return f"{text!r}: the port {port[1]} is none; expected 1 to {MAX_PORT}"
    return f"{text!r} is not an http or https URL"


def canonicalise(url: str, *, keep_fragment: bool = False) -> str:
    """The key under which all spellings of one page's address meet; idempotent.

    With `keep_fragment` a hash route (`#/people`, `#!people`) stays, as it names a page of its own.
    What is no http(s) URL is returned as it is.
    """
    parts = _split(url)
    if parts is None:
        return url
    scheme, host, path, query, fragment = parts
    target = _canonical_path(path)
    if query and (kept := _canonical_query(query)):
        target = f"{target}?{kept}"
    if keep_fragment and fragment.startswith(("/", "!")):
        target = f"{target}#{_canonical_escapes(fragment, outside=_NOT_IN_QUERY)}"
    return f"{scheme}://{host}{target}"


def forms_of(url: str) -> list[str]:
    """The URL as it is written, and the keys under which its page may be known."""
    forms = (url, url.partition("#")[0], canonicalise(url), canonicalise(url, keep_fragment=True))
    return list(dict.fromkeys(forms))


def host_of(url: str) -> str:
    """The host, in punycode and lower case, with its port if that is not the scheme's own."""
    parts = _split(url)
    return parts[1] if parts else ""


def origin_of(url: str) -> str:
    """Scheme, host and port: what has one robots.txt."""
    parts = _split(url)
    return f"{parts[0]}://{parts[1]}" if parts else ""


def path_of(url: str) -> str:
    """The path alone, as it is sent."""
    parts = _split(url)
    return parts[2] if parts else ""


def target_of(url: str) -> str:
    """Path and query, as they are sent: what robots.txt rules are compared with."""
    parts = _split(url)
    if not parts:
        return ""
    return f"{parts[2]}?{parts[3]}" if parts[3] else parts[2]


def _split(url: str) -> tuple[str, str, str, str, str] | None:
    """Scheme, host with port, path, query and fragment of the URL as a browser reads it."""
    try:
        match = _PARTS.fullmatch(ada_url.normalize_url(url))
    except ValueError:
        return None
    if match is None:
        return None
    scheme, authority, path, query, fragment = match.groups("")
    host = authority.rpartition("@")[2]
    if host.endswith("."):
        host = _without_final_dots(host)
    return scheme, host, path, query, fragment


def _without_final_dots(host: str) -> str:
    """`u1.edu.` is `u1.edu`; a host that only reads as a name because of its dots keeps them."""
    shorter = host.rstrip(".")
    try:
        read_again = ada_url.normalize_url(f"http://{shorter}/")
    except ValueError:
        return host
    return shorter if read_again == f"http://{shorter}/" else host


def _canonical_path(path: str) -> str:
    if not _ORDINARY_PATH.fullmatch(path):
        path = _canonical_escapes(path, outside=_NOT_IN_PATH)
        without_session = _SESSION_IN_PATH.sub("", path)
        if without_session != path:
            # What is left may be a dot segment (`/a/..;sid=1`), which a URL cannot hold.
            parts = _split(f"http://h{without_session}")
            path = _canonical_path(parts[2]) if parts else path
    return _without_index_page(path)


def _without_index_page(path: str) -> str:
    while path:
        folder, _, last = path.rpartition("/")
        if not _LAST_SEGMENT_OF_A_FOLDER.fullmatch(last):
            return path
        path = folder
    return "/"


def _canonical_query(query: str) -> str:
    pieces = []
    for raw in query.split("&"):
        piece = _canonical_escapes(raw, outside=_NOT_IN_QUERY).replace("%20", "+")
        name, _, value = piece.partition("=")
        if piece and not _is_tracking(name.lower(), value):
            pieces.append((name, piece))
    # Sorted by name only: the order of values of one name may carry meaning.
    pieces.sort(key=lambda item: item[0])
    return "&".join(piece for _, piece in pieces)


def _is_tracking(name: str, value: str) -> bool:
    if name in _TRACKING_NAMES or name.startswith(_TRACKING_PREFIXES):
        return True
    return name in _SESSION_IF_TOKEN and _TOKEN.fullmatch(value) is not None


def _canonical_escapes(text: str, *, outside: re.Pattern[str]) -> str:
    """Escapes in upper case, none where none is needed, one where one is."""
    if "%" in text:
        text = _ESCAPE.sub(_canonical_escape, text)
    return outside.sub(_escape, text)


def _canonical_escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
