"""The Wendel Basin data portal: an empty page, a script bundle and a JSON API it renders from."""

import json
from datetime import date
from typing import Any

from webmine_assets.demo.painter import Painter, read_records, read_static
from webmine_assets.demo.prose import paint_prose
from webmine_assets.demo.site import Resource, Site

_UPDATED = date(2025, 8, 4)
_ROBOTS = b"User-agent: *\nDisallow:\n"
BUNDLE = "/assets/app.bundle.js"


def build_portal(base_url: str) -> Site:
    """Each route serves the same shell, unknown ones too; the script decides what is shown."""
    routes = read_records("portal", "route")
    shell = Painter("portal", base_url).html("shell.html", _UPDATED, bundle=BUNDLE)
    resources = {
        **{route["path"]: shell for route in routes},
        **{api_path(route["path"]): _json(_page(route)) for route in routes},
        "/api/navigation.json": _json({"items": _navigation(routes)}),
        BUNDLE: _static("portal.bundle.js", "text/javascript; charset=utf-8"),
        "/assets/portal.css": _static("portal.css", "text/css"),
        "/robots.txt": Resource(body=_ROBOTS, content_type="text/plain", modified_on=_UPDATED),
    }
    return Site(name="portal", resources=resources, fallback=shell)


def api_path(route: str) -> str:
    return f"/api/pages{'/index' if route == '/' else route}.json"


def _page(route: dict[str, Any]) -> dict[str, Any]:
    """What the script shows for one route; the links make the route findable from others."""
    return {
        "title": route["title"],
        "summary": route["summary"],
        "html": paint_prose(route["body"]),
        "figures": route.get("figures", []),
        "links": route.get("links", []),
    }


def _navigation(routes: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [
        {"path": route["path"], "label": route["label"]} for route in routes if "label" in route
    ]


def _json(content: object) -> Resource:
    body = json.dumps(content, ensure_ascii=False).encode()
    return Resource(body=body, content_type="application/json", modified_on=_UPDATED)


def _static(name: str, content_type: str) -> Resource:
    return Resource(body=read_static(name), content_type=content_type, modified_on=_UPDATED)
