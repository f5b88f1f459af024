"""Addresses that a site makes up without end: calendars, sessions, growing paths, filter mazes.

Budgets count distinct URLs of one shape, in the order they are found, so the answer is the same in
every run. They are far above what a page collection needs and far below what a trap offers.
"""

import re
from collections import Counter

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.records import Decision
from webmine_assets.urls import host_of, target_of

MAX_URL_CHARS = 2000
MAX_SEGMENTS = 24
# `/a/b/a/b/a/b` comes of a relative link that climbs into itself; twice may be a real path.
MAX_SAME_SEGMENT = 3

# Five years of months, two months of days: what lies further off is rarely linked by people.
CALENDAR_BUDGET = 60
# An archive by date without a calendar's words: a hundred years of months, three of days.
DATE_PATH_BUDGET = 1200
# A session in an unknown parameter: the fourth address of the same page tells.
SESSION_BUDGET = 3
# `/news/123` and `?id=123` are how large sites number their pages.
SHAPE_BUDGET = 20_000
TWO_KEYS_BUDGET = 2000
# Three filters at once are combinations, not pages; counted for a path over all sets of filters.
MANY_KEYS_BUDGET = 1000

_CALENDAR_WORD = re.compile(
    r"calend|kalend|agenda|event|evenement|veranstaltung|termine|month|week|schedule"
    r"|/cal(?=[/._-])|(?<![a-z])diary",
    re.IGNORECASE,
)
_DATE_KEYS = frozenset({
    "date", "day", "month", "year", "week", "datum", "monat", "jahr", "tag", "woche", "cal_date",
    "yearmonth", "fecha", "annee", "mois", "tribe-bar-date", "start_date", "end_date", "startdate",
    "enddate", "cal", "calendar",
})  # fmt: skip
_DATE_VALUE = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?(?:T.*)?|(?:19|20)\d{6}")
_MONTH_AT_END = re.compile(
    r"/(?:1[89]|2\d)\d\d[/-](?:0?[1-9]|1[0-2])(?:[/-](?:0?[1-9]|[12]\d|3[01]))?/?$"
)
# A bare number may be an id as well as a year or a day: only the word tells.
_NUMBER_AT_END = re.compile(
    r"(?:/cal|calend[^/]*|kalend[^/]*)/(?:1[89]|2\d)\d\d(?:\d{4})?/?$", re.IGNORECASE
)
_SESSION_KEY = re.compile(
    r"sess|sid$|^s$|token|nonce|csrf|ticket|auth|rand|cachebust|timestamp", re.IGNORECASE
)
_VOLATILE = re.compile(r"(?=\D*\d)(?=\d*[A-Za-z_-])[\w-]{6,}")
_DIGITS = re.compile(r"\d+")
_OPAQUE = re.compile(r"(?<=/)(?=[^/]{0,40}\d)[0-9a-fA-F-]{8,}(?=/|$)")

Parameters = list[tuple[str, str]]


class TrapGuard:
    """Counts the shapes of one crawl's URLs; ask once for each new URL, in frontier order."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def decide(self, url: str) -> Refusal | None:
        """Why a URL is part of a trap, or None."""
        if len(url) > MAX_URL_CHARS:
            return _trap("too_long", f"{len(url)} characters")
        path, _, query = target_of(url).partition("?")
        segments = [segment for segment in path.split("/") if segment]
        if len(segments) > MAX_SEGMENTS:
            return _trap("too_deep", f"{len(segments)} path segments")
        if (segment := _repeated(segments)) is not None:
            return _trap("repeated_segments", segment)
        return self._over_budget(host_of(url) + path, _parameters(query))

    def _over_budget(self, place: str, parameters: Parameters) -> Refusal | None:
        if (session := _session_shape(place, parameters)) is not None:
            return self._count("session_id", session, SESSION_BUDGET)
        shape = _shape(place, parameters)
        if shape == place:
            return None
        if (budget := _calendar_budget(place, parameters)) is not None:
            return self._count("calendar", shape, budget)
        if len(parameters) > 2:
            return self._count("filters", _shape(place, []) + "?…", MANY_KEYS_BUDGET)
        return self._count(
            "pattern", shape, TWO_KEYS_BUDGET if len(parameters) == 2 else SHAPE_BUDGET
        )

    def _count(self, reason: str, shape: str, budget: int) -> Refusal | None:
        key = f"{reason} {shape}"
        self._counts[key] += 1
        if self._counts[key] <= budget:
            return None
        return _trap(reason, f"more than {budget} URLs like {shape}")


def _trap(reason: str, detail: str) -> Refusal:
    return Refusal(decision=Decision.TRAP, reason=reason, detail=detail)


def _parameters(query: str) -> Parameters:
    pieces = (piece.partition("=") for piece in query.split("&") if piece)
    return [(name, value) for name, _, value in pieces]


def _repeated(segments: list[str]) -> str | None:
    """A segment that comes up too often; numbers do not count, as dates and versions repeat."""
    if len(segments) <= MAX_SAME_SEGMENT:
        return None
    words = Counter(segment for segment in segments if not segment.isdigit())
    return next((word for word, times in words.items() if times > MAX_SAME_SEGMENT), None)


def _shape(place: str, parameters: Parameters) -> str:
    """The place with its numbers and opaque ids blanked, and the names of its parameters."""
    host, _, path = place.partition("/")
    blanked = _DIGITS.sub("#", _OPAQUE.sub("#", f"/{path}"))
    keys = "&".join(sorted({name for name, _ in parameters}))
    return f"{host}{blanked}?{keys}" if keys else f"{host}{blanked}"


def _session_shape(place: str, parameters: Parameters) -> str | None:
    """The URL without its session, if a parameter looks like one."""
    rest = [(name, "*" if _is_session(name, value) else value) for name, value in parameters]
    if rest == parameters:
        return None
    return f"{place}?" + "&".join(f"{name}={value}" for name, value in rest)


def _is_session(name: str, value: str) -> bool:
    return _SESSION_KEY.search(name) is not None and _VOLATILE.fullmatch(value) is not None


def _calendar_budget(place: str, parameters: Parameters) -> int | None:
    if any(
        name.lower() in _DATE_KEYS or _DATE_VALUE.fullmatch(value) for name, value in parameters
    ):
        return CALENDAR_BUDGET
    if _NUMBER_AT_END.search(place):
        return CALENDAR_BUDGET
    if not _MONTH_AT_END.search(place):
        return None
    return CALENDAR_BUDGET if _CALENDAR_WORD.search(place) else DATE_PATH_BUDGET
