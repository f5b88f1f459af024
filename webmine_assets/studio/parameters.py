"""Reading what a client sent: bounded, and a clear 400 for what cannot be right."""

import difflib
import json
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware


def bad_request(detail: str) -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text=detail)


def text(request: web.Request, name: str, *, limit: int = 2_000) -> str | None:
    """A text of the query string; absent and empty are both None."""
    value = request.query.get(name, "").strip()
    if len(value) > limit:
        raise bad_request(f"{name}: expected at most {limit} characters, found {len(value)}")
    require_unicode(name, value)
    return value or None


def integer(request: web.Request, name: str, *, default: int, low: int, high: int) -> int:
    value = request.query.get(name, "").strip()
    if not value:
        return default
    expected = f"{name}: expected a whole number from {low} to {high}, found {value[:40]!r}"
    # 18 digits fit 64 bits, and Python refuses to read numbers of thousands of them.
    if not (value.isascii() and value.lstrip("-").isdigit() and len(value) <= 18):
        raise bad_request(expected)
    if not low <= int(value) <= high:
        raise bad_request(expected)
    return int(value)


def day(request: web.Request, name: str) -> date | None:
    value = request.query.get(name, "").strip()
    if not value:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise bad_request(
            f"{name}: expected a day such as 2026-03-31, found {value[:40]!r}"
        ) from None


def choice(request: web.Request, name: str, known: list[str]) -> str | None:
    value = text(request, name, limit=100)
    if value is not None and value not in known:
        raise bad_request(f"{name}: expected one of {', '.join(known)}, found {value!r}")
    return value


def one_of(name: str, value: str | None, known: Collection[str]) -> str | None:
    """The value, if it is one of many: too many to name them all in the answer."""
    if value is not None and value not in known:
        raise bad_request(f"{name}: {value!r} is unknown{_nearest(value, known)}")
    return value


def refuse_unknown_queries(known: Mapping[tuple[str, str], Collection[str]]) -> Middleware:
    """400 for a parameter that an address does not take; `known` are names by method and address.

    To pass over a misspelt filter would answer another question.
    """

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        method = "GET" if request.method == "HEAD" else request.method
        names = known.get((method, resource.canonical)) if resource else None
        if names is not None:
            for name in request.query:
                if name not in names and name != "token":
                    among = f"; known: {', '.join(sorted(names))}" if names else ""
                    raise bad_request(
                        f"{name[:60]}: there is no such parameter{_nearest(name, names)}{among}"
                    )
        return await handler(request)

    return check


def _nearest(value: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(value[:60], known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else ""


async def json_object(request: web.Request) -> dict[str, Any]:
    """The JSON object of a request's body."""
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="expected Content-Type: application/json")
    try:
        value = json.loads(await request.read())
    except (ValueError, RecursionError):
        raise bad_request("expected a JSON object as the body") from None
    if not isinstance(value, dict):
        raise bad_request("expected a JSON object as the body")
    return value


def field(body: dict[str, Any], name: str, *, limit: int, required: bool = True) -> str:
    """A text of a JSON body."""
    value = body.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise bad_request(f"{name}: expected a text, found {json.dumps(value, default=str)[:60]}")
    if len(value) > limit:
        raise bad_request(f"{name}: expected at most {limit} characters, found {len(value)}")
    require_unicode(name, value)
    return value.strip()


def refuse_unknown(body: dict[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(body) - known):
        raise bad_request(f"{unknown[0][:60]}: expected one of {', '.join(sorted(known))}")


def require_unicode(name: str, value: str) -> None:
    """Half a surrogate pair is JSON but no text, and a NUL ends texts elsewhere."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise bad_request(f"{name}: expected Unicode text") from None
    if "\0" in value:
        raise bad_request(f"{name}: expected text without NUL characters")
