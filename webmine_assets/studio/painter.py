"""Paints templates: one environment, the filters that templates use, the frame of every page."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from webmine_assets import __version__
from webmine_assets.studio import charts
from webmine_assets.studio.security import PAGE_POLICY

FOLDER = Path(__file__).parent


class Painter:
    """Paints the studio's pages."""

    def __init__(self, *, now: Any = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            version=__version__, bars=charts.bars, spark=charts.spark, meter=charts.meter
        )
        self._environment.filters.update(
            number=number, ago=self._ago, stamp=stamp, pretty=pretty, query=query_string
        )

    def page(self, request: web.Request, template: str, **values: Any) -> web.Response:
        """A whole page as an answer, under the studio's own policy."""
        text = self._environment.get_template(template).render(path=request.path, **values)
        return web.Response(
            text=text, content_type="text/html", headers={"Content-Security-Policy": PAGE_POLICY}
        )

    def _ago(self, moment: datetime | None) -> str:
        return ago(moment, self._now())


def number(value: float | None) -> str:
    if value is None:
        return "–"
    return (
        f"{value:,.1f}" if isinstance(value, float) and not value.is_integer() else f"{value:,.0f}"
    )


_STEPS = (
    (60, 1, "second"),
    (3600, 60, "minute"),
    (86_400, 3600, "hour"),
    (31_536_000, 86_400, "day"),
)


def ago(moment: datetime | None, now: datetime) -> str:
    """How long ago something was, in the largest unit that fits."""
    if moment is None:
        return "never"
    seconds = max(0, (now - moment).total_seconds())
    for limit, unit, name in _STEPS:
        if seconds < limit:
            count = int(seconds // unit)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return moment.date().isoformat()


def stamp(moment: datetime | date | None) -> str:
    if moment is None:
        return "–"
    return moment.strftime("%Y-%m-%d %H:%M") if isinstance(moment, datetime) else moment.isoformat()


def pretty(value: Any) -> str:
    """A value of a cell for a person: bytes by their size, structures as JSON."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return f"{len(value):,} bytes"
    if isinstance(value, datetime | date):
        return stamp(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def query_string(values: dict[str, Any], **changes: Any) -> str:
    """The address part after `?` with some values changed; empty ones are left out."""
    merged = {key: value for key, value in {**values, **changes}.items() if value not in (None, "")}
    return f"?{urlencode(merged)}" if merged else "?"
