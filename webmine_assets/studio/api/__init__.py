"""The API for programs: JSON in, JSON or problem JSON out."""

import json
import math
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from aiohttp import web


def json_answer(value: Any, *, status: int = 200) -> web.Response:
    """Rows as JSON: moments in ISO 8601, bytes by their number, what is no number as null."""
    return web.json_response(value, status=status, dumps=_dumps)


def _dumps(value: Any) -> str:
    # Few answers hold such a number: the rest need not be copied to look for one.
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_plain)


def _finite(value: Any) -> Any:
    """NaN and infinity are numbers to DuckDB and none to JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, bytes):
        return {"bytes": len(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
