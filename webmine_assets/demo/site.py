"""A site as data: what stands at each path, and the pure answer to a request for it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from email.utils import format_datetime, parsedate_to_datetime

HTML = "text/html; charset=utf-8"
MARKER_PATH = "/.well-known/webmine-demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What one path serves; `location` makes it a redirect."""

    body: bytes = b""
    content_type: str = HTML
    modified_on: date | None = None
    status: int = 200
    location: str | None = None

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'

    @property
    def modified_at(self) -> datetime | None:
        """Half past six in the morning, when the content systems of both demo editors publish."""
        if self.modified_on is None:
            return None
        return datetime.combine(self.modified_on, time(6, 30), UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One demo site; keys of `resources` are a path, or a path with its query."""

    name: str
    resources: Mapping[str, Resource]
    fallback: Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def find_resource(site: Site, path: str, query: str = "") -> Resource:
    """The exact address first, then without its query, then without its trailing slash."""
    for key in (f"{path}?{query}", path, path.rstrip("/")):
        if key in site.resources:
            return site.resources[key]
    return site.fallback


def answer(site: Site, path: str, query: str, headers: Mapping[str, str]) -> Reply:
    """The reply to a GET; `headers` are looked up in lower case."""
    if path == MARKER_PATH:
        return Reply(status=200, headers={"Content-Type": "application/json"}, body=marker(site))
    resource = find_resource(site, path, query)
    if resource.location is not None:
        return Reply(status=resource.status, headers={"Location": resource.location})
    validators = _validators(resource)
    if validators and _is_unchanged(resource, headers):
        return Reply(status=304, headers=validators)
    return Reply(
        status=resource.status,
        headers={"Content-Type": resource.content_type, **validators},
        body=resource.body,
    )


def marker(site: Site) -> bytes:
    """How a port tells that one of our sites, and which, is behind it."""
    return json.dumps({"webmine_demo": site.name}).encode()


def _validators(resource: Resource) -> dict[str, str]:
    if resource.status != 200 or resource.modified_at is None:
        return {}
    modified = format_datetime(resource.modified_at, usegmt=True)
    return {"ETag": resource.etag, "Last-Modified": modified, "Cache-Control": "no-cache"}


def _is_unchanged(resource: Resource, headers: Mapping[str, str]) -> bool:
    """RFC 9110, 13.2.2: If-None-Match decides alone; the date counts only without it."""
    if (tags := headers.get("if-none-match")) is not None:
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return "*" in known or resource.etag in known
    since = _http_date(headers.get("if-modified-since", ""))
    return since is not None and resource.modified_at is not None and resource.modified_at <= since


def _http_date(value: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(value)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else None
