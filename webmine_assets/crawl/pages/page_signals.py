"""What a page as received shows about needing a browser. Pure, one linear pass over the HTML."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

# Seed values of the two-pass plan: shorter text, fewer content tags or a lower share of text in the
# HTML speak for a page that scripts complete.
MIN_TEXT_CHARS = 200
MIN_CONTENT_TAGS = 3
MIN_TEXT_RATIO = 0.05
# Too little to be stored, whatever the policy says of short texts.
EMPTY_TEXT_CHARS = 50
# Beyond this much text of its own a page is worth storing, whatever containers it leaves empty:
# the mount point of a widget looks like that of an application.
SUBSTANTIAL_TEXT_CHARS = 1000
# "Loading, please wait …" inside an application root does not fill it.
_EMPTY_ROOT_CHARS = 60
_MAX_REFRESH_S = 10
_MAX_SCANNED_CHARS = 3_000_000
_MAX_SNIFFED_CHARS = 4000

# Static hosts answer routes that only the application knows with its shell and one of these.
_SHELL_STATUSES = frozenset({403, 404})
_CONTENT_TAGS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "article", "section"}
)
_ROOT_TAGS = frozenset({"app-root", "my-app", "ion-app", "router-outlet"})
_ROOT_ID = re.compile(
    r"root|app|__next|__nuxt|___gatsby|svelte|q-app|vue-app|react-?root|app-(root|container)"
    r"|main-app|application|spa|mount|outlet",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(!--|/?[a-zA-Z][a-zA-Z0-9-]*)")
_ATTRIBUTE = re.compile(
    r"""\s(id|src|type|http-equiv|content|href)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE
)
_BUNDLE = re.compile(r"\b(bundle|main|app|chunk|index|runtime|vendor|docsify)\b", re.IGNORECASE)
_NOSCRIPT_WARNING = re.compile(r"java\s?script", re.IGNORECASE)
_HYDRATION = re.compile(
    r"__NEXT_DATA__|__next_f\b|__NUXT|__INITIAL_STATE__|__PRELOADED_STATE__|__APOLLO_STATE__"
    r"|__remixContext|__sveltekit|\$docsify|\bng-state\b|__DATA__\s*="
)
_REFRESH = re.compile(r"\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*url\s*=", re.IGNORECASE)
_HASH_LINK = re.compile(r"""\shref\s*=\s*["']?[^"'#\s>]{0,500}#!?/[^"'\s>]""", re.IGNORECASE)


class Signal(StrEnum):
    """The evidence that a page needs a browser."""

    FAILED_FETCH = "failed_fetch"
    META_REFRESH = "meta_refresh"
    EMPTY_ROOT = "empty_root"
    BUNDLE_ONLY = "bundle_only"
    NOSCRIPT_WARNING = "noscript_warning"
    HYDRATION_STATE = "hydration_state"
    NO_TEXT = "no_text"
    SHORT_TEXT = "short_text"
    LOW_TEXT_RATIO = "low_text_ratio"

    @property
    def is_strong(self) -> bool:
        """Weak evidence is common on complete pages too; it is worth one probe a host."""
        return self not in (Signal.SHORT_TEXT, Signal.LOW_TEXT_RATIO)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSignals:
    """What was counted in one page."""

    text_chars: int
    html_chars: int
    status: int = 200
    content_tags: int = 0
    scripts: int = 0
    frames: int = 0
    has_bundle: bool = False
    has_empty_root: bool = False
    has_noscript_warning: bool = False
    has_hydration_state: bool = False
    has_meta_refresh: bool = False

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def is_empty(self) -> bool:
        """A page that has nothing to store as it is."""
        return self.text_chars < EMPTY_TEXT_CHARS

    @property
    def can_change(self) -> bool:
        """A page with nothing to run stays as it is, however short."""
        return self.scripts > 0 or self.frames > 0 or self.has_meta_refresh


def needs_render(signals: PageSignals) -> Signal | None:
    """The strongest evidence that this page is not complete without scripts, if there is any.

    A failed fetch is evidence only where its body is the shell of an application. Any other error
    would be the browser's answer too, as its requests are answered by the same fetcher; and the
    scripts of a page that keeps crawlers out are not run.
    """
    if not signals.can_change:
        return None
    if signals.is_error:
        return Signal.FAILED_FETCH if _is_error_shell(signals) else None
    is_short = signals.text_chars < MIN_TEXT_CHARS
    is_thin = signals.text_chars < SUBSTANTIAL_TEXT_CHARS
    is_bundle_only = signals.content_tags < MIN_CONTENT_TAGS and signals.has_bundle
    is_sparse = signals.text_chars < MIN_TEXT_RATIO * signals.html_chars
    evidence = {
        Signal.META_REFRESH: is_short and signals.has_meta_refresh,
        Signal.EMPTY_ROOT: is_thin and signals.has_empty_root,
        Signal.BUNDLE_ONLY: is_thin and is_bundle_only,
        Signal.NOSCRIPT_WARNING: is_short and signals.has_noscript_warning,
        Signal.HYDRATION_STATE: is_short and signals.has_hydration_state,
        Signal.NO_TEXT: signals.is_empty,
        Signal.SHORT_TEXT: is_short,
        Signal.LOW_TEXT_RATIO: is_sparse,
    }
    return next((signal for signal, found in evidence.items() if found), None)


def _is_error_shell(signals: PageSignals) -> bool:
    """An application root left empty; or nothing but a script that leads elsewhere."""
    if signals.status == 404 and signals.text_chars == 0:
        return True
    is_thin = signals.text_chars < SUBSTANTIAL_TEXT_CHARS
    return is_shell_status(signals.status) and signals.has_empty_root and is_thin


def read_signals(html: str, text_length: int, *, status: int = 200) -> PageSignals:
    """Count the signals of a decoded page; `text_length` is that of its plain text."""
    count = _Count()
    _scan(html[:_MAX_SCANNED_CHARS], count)
    return PageSignals(
        text_chars=text_length,
        html_chars=len(html),
        status=status,
        content_tags=count.content_tags,
        scripts=count.scripts,
        frames=count.frames,
        has_bundle=count.has_bundle,
        has_empty_root=count.has_empty_root,
        has_noscript_warning=count.has_noscript_warning,
        has_hydration_state=count.has_hydration_state,
        has_meta_refresh=count.has_meta_refresh,
    )


def is_shell_status(status: int) -> bool:
    """Whether an error with this status may carry an application that knows the page after all."""
    return status in _SHELL_STATUSES


def is_hash_routed(html: str) -> bool:
    """Whether the page links to its own parts as pages: `#/path` or `#!/path`."""
    return _HASH_LINK.search(html[:_MAX_SCANNED_CHARS]) is not None


def is_hash_route(url: str) -> bool:
    """Whether this URL's fragment names a page rather than a place in one."""
    try:
        fragment = urlsplit(url).fragment
    except ValueError:
        return False
    return fragment.startswith(("/", "!/")) and fragment not in ("/", "!/")


@dataclass(slots=True)
class _Root:
    """The application root being read: it ends where tags of its own name balance."""

    name: str
    depth: int = 1
    text_chars: int = 0


@dataclass(slots=True)
class _Count:
    content_tags: int = 0
    scripts: int = 0
    frames: int = 0
    has_bundle: bool = False
    has_empty_root: bool = False
    has_noscript_warning: bool = False
    has_hydration_state: bool = False
    has_meta_refresh: bool = False
    root: _Root | None = field(default=None)


def _scan(html: str, count: _Count) -> None:
    """Visit each tag once, jumping over what is no markup; nothing is searched for twice."""
    lowered = html.lower()
    # A few characters (İ) grow when lowered; positions must stay those of the page.
    folded = lowered if len(lowered) == len(html) else html
    at = 0
    while match := _TAG.search(html, at):
        if count.root:
            count.root.text_chars += len(html[at : match.start()].strip())
        name = match[1].lower()
        if name == "!--":
            at = _after(folded, "-->", match.end())
            continue
        end = _after(html, ">", match.end())
        if name in ("script", "style", "noscript", "template"):
            close = folded.find(f"</{name}", end)
            inner_end = close if close >= 0 else len(html)
            _visit_raw(count, name, html[match.end() : end], html[end:inner_end])
            end = inner_end
        else:
            _visit_tag(count, name, html[match.end() : end])
        at = end


def _after(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return found + len(mark) if found >= 0 else len(text)


def _visit_raw(count: _Count, name: str, raw_attributes: str, inner: str) -> None:
    sniffed = inner[:_MAX_SNIFFED_CHARS]
    if name == "noscript":
        count.has_noscript_warning |= _NOSCRIPT_WARNING.search(sniffed) is not None
    if name != "script":
        return
    attributes = _attributes(raw_attributes)
    kind = attributes.get("type", "").lower()
    count.has_hydration_state |= _HYDRATION.search(raw_attributes + sniffed) is not None
    if "json" in kind or "template" in kind:
        return
    count.scripts += 1
    source = attributes.get("src", "")
    count.has_bundle |= bool(source) and (kind == "module" or _BUNDLE.search(source) is not None)


def _visit_tag(count: _Count, name: str, raw_attributes: str) -> None:
    if count.root:
        _visit_in_root(count, count.root, name)
    if name in _CONTENT_TAGS:
        count.content_tags += 1
    elif name in ("iframe", "frame"):
        count.frames += 1
    elif name == "meta" and "refresh" in raw_attributes.lower():
        count.has_meta_refresh |= _is_refresh(_attributes(raw_attributes))
    if not count.root and _is_root(name, raw_attributes):
        count.root = _Root(name)


def _visit_in_root(count: _Count, root: _Root, name: str) -> None:
    if name == root.name:
        root.depth += 1
    elif name == f"/{root.name}":
        root.depth -= 1
    if root.depth == 0 or name == "/body":
        count.has_empty_root |= root.text_chars < _EMPTY_ROOT_CHARS
        count.root = None


def _is_root(name: str, raw_attributes: str) -> bool:
    if name in _ROOT_TAGS:
        return True
    if name not in ("div", "main", "section") or "id" not in raw_attributes.lower():
        return False
    return _ROOT_ID.fullmatch(_attributes(raw_attributes).get("id", "")) is not None


def _is_refresh(attributes: dict[str, str]) -> bool:
    refresh = _REFRESH.match(attributes.get("content", ""))
    is_refresh = attributes.get("http-equiv", "").lower() == "refresh"
    return is_refresh and refresh is not None and int(refresh[1]) <= _MAX_REFRESH_S


def _attributes(raw: str) -> dict[str, str]:
    pairs = _ATTRIBUTE.findall(raw[:_MAX_SNIFFED_CHARS])
    return {name.lower(): value.strip("\"'") for name, value in pairs}
