"""The university's calendar: each month links to the next for ten years, as such pages do."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from webmine_assets.demo.painter import Painter, read_records
from webmine_assets.demo.site import Resource

FIRST, LAST = date(2025, 10, 1), date(2035, 9, 1)
_PUBLISHED = date(2025, 9, 1)


@dataclass(frozen=True, slots=True)
class Event:
    day: date
    title: str
    text: str


def calendar_pages(painter: Painter) -> dict[str, Resource]:
    """`/calendar` is the first month; the others differ from it by their query only."""
    months = {month_path(month): _month(painter, month) for month in _months()}
    return {**months, "/calendar": months[month_path(FIRST)]}


def month_path(month: date) -> str:
    return f"/calendar?month={month:%Y-%m}"


def _months() -> Iterator[date]:
    month = FIRST
    while month <= LAST:
        yield month
        month = _next(month)


def _month(painter: Painter, month: date) -> Resource:
    return painter.html(
        "calendar.html",
        _PUBLISHED,
        path="/calendar" if month == FIRST else month_path(month),
        month=month,
        events=_events(month),
        earlier=month_path(_previous(month)) if month > FIRST else None,
        later=month_path(_next(month)) if month < LAST else None,
    )


def _events(month: date) -> list[Event]:
    """The authored events whose months include this one, on their weekday of their week."""
    series = [
        entry for entry in read_records("university", "event") if month.month in entry["months"]
    ]
    events = [
        Event(_weekday(month, entry["weekday"], entry["week"]), entry["title"], entry["text"])
        for entry in series
    ]
    return sorted(events, key=lambda event: event.day)


def _weekday(month: date, weekday: int, week: int) -> date:
    first = month + timedelta(days=(weekday - month.weekday()) % 7)
    return first + timedelta(weeks=week - 1)


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _previous(month: date) -> date:
    return (month - timedelta(days=1)).replace(day=1)
