"""What robots.txt allows (RFC 9309), and which line decided it; fetching it is done elsewhere.

Misspellings and separators are tolerated as Google's parser tolerates them; where the two differ
over percent-encoded letters, the RFC is followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from webmine_assets.crawl.rules.pathpattern import PathPattern, comparable
from webmine_assets.urls import target_of

MAX_BYTES = 500 * 1024  # the least that a crawler must read, RFC 9309 section 2.5
# Google's limit for one line: eight URLs of the length that Internet Explorer allowed.
_MAX_LINE_BYTES = 2083 * 8
_MAX_CRAWL_DELAY_S = 86_400.0

_LINE_END = re.compile(rb"\r\n|\r|\n")
_OUTSIDE_ASCII = re.compile(rb"[\x80-\xff]")
_TOKEN = re.compile(r"[A-Za-z_-]*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_KEYS = {
    "user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
    "allow": "allow",
    "disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow",
    "diasllow": "disallow", "disallaw": "disallow",
    "sitemap": "sitemap", "site-map": "sitemap",
    "crawl-delay": "crawl-delay", "crawldelay": "crawl-delay", "crawl delay": "crawl-delay",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """Whether a URL may be fetched, with the rule that says so (none: nothing forbids it)."""

    allowed: bool
    rule: str | None = None
    line_number: int | None = None
    agent: str | None = None

    @property
    def detail(self) -> str:
        """The deciding line as a person would quote it."""
        if self.rule is None:
            return "no rule applies"
        return f"robots.txt line {self.line_number}: {self.rule} (user-agent {self.agent})"


@dataclass(frozen=True, slots=True)
class Rule:
    """One allow or disallow line."""

    allow: bool
    pattern: PathPattern
    text: str
    line_number: int


@dataclass(slots=True)
class Group:
    """All that the file says to one user agent, its groups merged (RFC 9309, section 2.2.1)."""

    agent: str
    rules: list[Rule] = field(default_factory=list)
    crawl_delay_s: float | None = None
    _by_prefix: dict[str, list[Rule]] = field(default_factory=dict)
    _prefix_lengths: list[int] = field(default_factory=list)

    def decisive_rule(self, path: str) -> Rule | None:
        """The matching rule with the most octets; of equals an allow, then the first line."""
        if not self._by_prefix and self.rules:
            self._index()
        best: Rule | None = None
        for length in self._prefix_lengths:
            for rule in self._by_prefix.get(path[:length], ()):
                if (best is None or _rank(rule) > _rank(best)) and rule.pattern.matches(path):
                    best = rule
        return best

    def _index(self) -> None:
        # A file of 500 KiB can hold 40,000 rules: only those whose first characters fit are tried.
        for rule in self.rules:
            self._by_prefix.setdefault(rule.pattern.prefix, []).append(rule)
        self._prefix_lengths = sorted({len(prefix) for prefix in self._by_prefix})


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A parsed robots.txt."""

    groups: dict[str, Group]
    sitemaps: tuple[str, ...]

    def decide(self, user_agent: str, url: str) -> RobotsDecision:
        """Whether an agent, by its product token or whole user-agent string, may fetch a URL."""
        path = comparable(target_of(url))
        group = self._group(user_agent)
        # The file itself may always be fetched (RFC 9309, section 2.2.2).
        if group is None or path == "/robots.txt":
            return RobotsDecision(True)
        rule = group.decisive_rule(path or "/")
        if rule is None:
            return RobotsDecision(True, agent=group.agent)
        return RobotsDecision(rule.allow, rule.text, rule.line_number, group.agent)

    def crawl_delay_s(self, user_agent: str) -> float | None:
        """Seconds between requests that the file asks of this agent."""
        group = self._group(user_agent)
        return group.crawl_delay_s if group else None

    def _group(self, user_agent: str) -> Group | None:
        return self.groups.get(_product_token(user_agent).lower()) or self.groups.get("*")


def is_allowed(robots_bytes: bytes, user_agent: str, url: str) -> RobotsDecision:
    """One decision from the bytes of a robots.txt; for many URLs parse it once."""
    return parse_robots(robots_bytes).decide(user_agent, url)


def parse_robots(robots_bytes: bytes) -> RobotsFile:
    """Parse any bytes: what is no rule is passed over, what is beyond 500 KiB is not read."""
    groups: dict[str, Group] = {}
    sitemaps: dict[str, None] = {}
    agents: dict[str, None] = {}
    naming = False
    for line in _lines(robots_bytes):
        if line.key == "sitemap":
            sitemaps[line.value] = None
        elif line.key == "user-agent":
            agents = agents if naming else {}
            naming = True
            if agent := _agent_name(line.value):
                agents[agent] = None
                groups.setdefault(agent, Group(agent))
        elif line.key == "crawl-delay":
            _set_delay([groups[agent] for agent in agents], line.value)
        else:
            naming = False
            _add_rules([groups[agent] for agent in agents], line)
    return RobotsFile(groups, tuple(sitemaps))


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    value: str
    text: str
    number: int


def _lines(robots_bytes: bytes) -> Iterator[_Line]:
    body = robots_bytes[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf")
    for number, raw_line in enumerate(_LINE_END.split(body), start=1):
        line = raw_line[:_MAX_LINE_BYTES].partition(b"#")[0].strip()
        raw_key, colon, value = line.partition(b":")
        if not colon:
            words = line.split()
            raw_key, value = words if len(words) == 2 else (b"", b"")
        key = _key(raw_key.decode("latin-1").strip().lower())
        if key is not None:
            text = line.decode("utf-8", "replace")
            yield _Line(
                key, _OUTSIDE_ASCII.sub(_escape, value.strip()).decode("ascii"), text, number
            )


def _key(written: str) -> str | None:
    """The key a line means; like Google's parser, a known word with an ending is that word."""
    known = _KEYS.get(written)
    if known or not written:
        return known
    return next((key for word, key in _KEYS.items() if written.startswith(word)), None)


def _escape(match: re.Match[bytes]) -> bytes:
    return b"%%%02X" % match[0][0]


def _agent_name(value: str) -> str:
    """The token before a version or comment; `*` only when it stands alone."""
    if value.split()[:1] == ["*"]:
        return "*"
    return _product_token(value).lower()


def _product_token(user_agent: str) -> str:
    match = _TOKEN.match(user_agent.strip())
    return match[0] if match else ""


def _set_delay(groups: list[Group], value: str) -> None:
    if not (match := _NUMBER.match(value)):
        return
    delay_s = min(float(match[0]), _MAX_CRAWL_DELAY_S)
    for group in groups:
        group.crawl_delay_s = max(delay_s, group.crawl_delay_s or 0.0)


def _add_rules(groups: list[Group], line: _Line) -> None:
    """Add the line's rule; an empty one says nothing. Allowing an index page allows its folder."""
    patterns = [line.value] if line.value else []
    folder, slash, page = line.value.rpartition("/")
    if line.key == "allow" and slash and page.startswith("index.htm"):
        patterns.append(f"{folder}/$")
    for pattern in patterns:
        rule = Rule(line.key == "allow", PathPattern.of(pattern), line.text, line.number)
        for group in groups:
            group.rules.append(rule)


def _rank(rule: Rule) -> tuple[int, bool]:
    return rule.pattern.length, rule.allow
