"""A date and time as people and machines write them, to ISO 8601; the offset is kept.

Only reads what is written; where a date stands and whether it is believed is for `dates`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from webmine_assets.extract.metadata.months import MONTHS

FIRST_YEAR = 1990
MAX_CHARS = 300
MAX_OFFSET_WEST, MAX_OFFSET_EAST = 12 * 60, 14 * 60

_TIME = re.compile(
    r"[T\s,]{0,3}(?:at |um |à |@ )?(\d{1,2}):(\d{2})(?::(\d{1,2}))?(?:[.,]\d{1,9})?"
    r"\s?([ap]\.?m\b\.?)?\s?(?:(Z|UTC|GMT)?\s?([+-]\d{2}):?(\d{2})|(Z|UTC|GMT)\b)?",
    re.IGNORECASE,
)
_YMD = re.compile(
    r"(?<!\d)((?:19|20)\d{2})(?:\s?[-/.年년]\s{0,2})(\d{1,2})(?:\s?[-/.月월]\s{0,2})(\d{1,2})(?!\d)"
)
_DMY = re.compile(
    r"(?<![\d.])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?((?:19|20)\d{2}|\d{2})(?![\d])"
)
_D_MONTH_Y = re.compile(
    r"(?<!\d)(\d{1,2})(?:\.|st|nd|rd|th|er|º|ª|-?го)?[\s\-/]{1,3}(?:de |of |d[’'])?"
    r"([^\W\d_]{3,12})\.?,?[\s\-/]{1,3}(?:de |del |of )?[’']?((?:19|20)\d{2}|\d{2})(?!\d)"
)
# The month before the day is looked up backwards: to start from every word of a text, when digits
# are rare, takes ten times as long.
_D_Y = re.compile(
    r"(?<=\s)(\d{1,2})(?:st|nd|rd|th)?,?\s{1,2}"
    r"(?:\d{1,2}:\d{2}(?::\d{2})?\s(?:[A-Z]{3,4}\s)?)?((?:19|20)\d{2})(?!\d)"
)
_MONTH_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.?\s{1,2}$")
_MONTH_REACH = 16
_Y_MONTH_D = re.compile(r"(?<!\d)((?:19|20)\d{2})\.?\s([^\W\d_]{3,12})\.?\s(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?(?!\d)")
_PDF = re.compile(
    r"\s*D:(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:(Z)|([+-]\d{2})'?(\d{2})?)?)?"
)
_OFFSET = re.compile(r"[+-]\d{2}:\d{2}$")
# Arabic, Persian, Devanagari and full-width digits, one sign for one.
_DIGITS = {
    zero + value: str(value) for zero in (0x0660, 0x06F0, 0x0966, 0xFF10) for value in range(10)
}
_EPOCH = re.compile(r"\s*(\d{10})(?:\d{3})?\s*")


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, with the time and offset if they were written."""

    day: date
    iso: str

    @property
    def is_utc(self) -> bool:
        return self.iso.endswith("+00:00")

    @property
    def is_utc_or_local(self) -> bool:
        """Not bound to a place's own offset: a server's clock may have set it."""
        return self.is_utc or not _OFFSET.search(self.iso)

    @property
    def other_day(self) -> date:
        """The neighbouring day that an instant in UTC may fall on elsewhere."""
        return self.day + timedelta(days=1 if int(self.iso[11:13] or 0) >= 12 else -1)


class WrittenDay(NamedTuple):
    """A date in a text and where it stands."""

    day: date
    start: int
    end: int


def parse_moment(raw: str, *, month_first: bool = False) -> Moment | None:
    """The date a machine-readable or short human value names; None if it names none."""
    text = _plain_digits(raw[:MAX_CHARS])
    if epoch := _EPOCH.fullmatch(text):
        return _from_epoch(int(epoch[1]))
    if pdf := _PDF.match(text):
        return _from_pdf(pdf)
    if compact := _COMPACT.match(text.strip()):
        return _from_compact(compact)
    # What machines write begins with the date: no other can come before it.
    if (first := _YMD.match(text)) and (on := _day(first[1], first[2], first[3])):
        return _with_time(on, text, first.end())
    for written in find_days(text, month_first=month_first):
        return _with_time(written.day, text, written.end)
    return None


def find_days(text: str, *, month_first: bool = False) -> Iterator[WrittenDay]:
    """The dates written in `text` by position."""
    text = _plain_digits(text)
    found: list[tuple[int, int, date]] = []
    for match in _YMD.finditer(text):
        _collect(found, match, _day(match[1], match[2], match[3]))
    for match in _DMY.finditer(text):
        _collect(found, match, _numeric(match, month_first=month_first))
    for match in _D_MONTH_Y.finditer(text):
        _collect(found, match, _named(match[3], match[2], match[1]))
    for match in _D_Y.finditer(text):
        reach = max(match.start() - _MONTH_REACH, 0)
        if month := _MONTH_BEFORE.search(text[reach : match.start()]):
            day = _named(match[2], month[1], match[1])
            if day:
                found.append((reach + month.start(), match.end(), day))
    for match in _Y_MONTH_D.finditer(text):
        _collect(found, match, _named(match[1], match[2], match[3]))
    found.sort(key=lambda hit: (hit[0], -hit[1]))
    last_end = -1
    for start, end, day in found:
        if start >= last_end:
            last_end = end
            yield WrittenDay(day, start, end)


def _plain_digits(text: str) -> str:
    return text if text.isascii() else text.translate(_DIGITS)


def _collect(found: list[tuple[int, int, date]], match: re.Match[str], day: date | None) -> None:
    if day:
        found.append((match.start(), match.end(), day))


def _day(year: str, month: str | int, day: str) -> date | None:
    try:
        return date(_year(year), int(month), int(day))
    except ValueError:
        return None


def _year(text: str) -> int:
    number = int(text)
    if number >= 100:
        return number
    return number + (1900 if number >= 90 else 2000)


def _numeric(match: re.Match[str], *, month_first: bool) -> date | None:
    first, second, year = match[1], match[3], match[4]
    if match[2] == "-" and len(year) == 2:
        return None
    if match[2] == "." or (not month_first and int(second) <= 12) or int(first) > 12:
        return _day(year, second, first)
    return _day(year, first, second)


def _named(year: str, month: str, day: str) -> date | None:
    number = MONTHS.get(month.lower())
    return _day(year, number, day) if number else None


def _from_epoch(seconds: int) -> Moment | None:
    at = datetime.fromtimestamp(min(seconds, 9_999_999_999), UTC)
    return Moment(at.date(), at.isoformat())


def _from_compact(match: re.Match[str]) -> Moment | None:
    day = _day(match[1], match[2], match[3])
    return Moment(day, day.isoformat()) if day else None


def _from_pdf(match: re.Match[str]) -> Moment | None:
    """A date of PDF (ISO 32000, 7.9.4): D:20240131120000+01'00'."""
    day = _day(match[1], match[2], match[3])
    if day is None or match[4] is None:
        return Moment(day, day.isoformat()) if day else None
    offset = "Z" if match[7] else f"{match[8]}:{match[9] or '00'}" if match[8] else ""
    time = f"{match[4]}:{match[5]}:{match[6] or '00'}{offset}"
    return _with_time(day, f"{day.isoformat()}T{time}", len("YYYY-MM-DD"))


def _with_time(day: date, text: str, end: int) -> Moment:
    clock = _TIME.match(text, end)
    if not clock:
        return Moment(day, day.isoformat())
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[4] and hour <= 12:
        hour = hour % 12 + (12 if clock[4][0] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return Moment(day, day.isoformat())
    return Moment(day, f"{day.isoformat()}T{hour:02}:{minute:02}:{second:02}{_offset(clock)}")


def _offset(clock: re.Match[str]) -> str:
    """The offset if there is such a one on Earth: from -12:00 to +14:00."""
    if clock[6]:
        minutes = abs(int(clock[6])) * 60 + int(clock[7])
        most = MAX_OFFSET_WEST if clock[6].startswith("-") else MAX_OFFSET_EAST
        return f"{clock[6]}:{clock[7]}" if int(clock[7]) < 60 and minutes <= most else ""
    return "+00:00" if clock[8] else ""


def flaw_of(moment: Moment, *, today: date) -> str:
    """Why a date cannot be that of a page; empty if nothing speaks against it."""
    if moment.day.year < FIRST_YEAR:
        return f"before {FIRST_YEAR}"
    if _utc_day(moment) > today:
        return "in the future"
    return ""


def _utc_day(moment: Moment) -> date:
    """The day in UTC: a page of the far east may bear tomorrow's date and be of today."""
    try:
        at = datetime.fromisoformat(moment.iso)
        return at.astimezone(UTC).date() if at.tzinfo else moment.day
    except (ValueError, OverflowError):
        return moment.day
