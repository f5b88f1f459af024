"""Authored content and templates: reads the TOML files and paints pages from them."""

import tomllib
from datetime import date
from email.utils import format_datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from webmine_assets.demo.prose import paint_prose
from webmine_assets.demo.site import HTML, Resource

FOLDER = Path(__file__).parent


def read_records(site: str, table: str) -> list[dict[str, Any]]:
    """All entries of one array of tables, over the site's content files in order of their names."""
    return [entry for document in _documents(site) for entry in document.get(table, [])]


@cache
def _documents(site: str) -> list[dict[str, Any]]:
    files = sorted((FOLDER / "content" / site).glob("*.toml"))
    return [tomllib.loads(path.read_text("utf-8")) for path in files]


def read_static(name: str) -> bytes:
    return (FOLDER / "static" / name).read_bytes()


class Painter:
    """Paints the templates of one site; every template sees `base_url` and the shared values."""

    def __init__(self, site: str, base_url: str, **shared: object) -> None:
        self._site = site
        self._shared = {"base_url": base_url, **shared}

    def html(
        self, template: str, modified_on: date, /, *, status: int = 200, **values: object
    ) -> Resource:
        text = self._paint(template, values)
        return Resource(body=text, modified_on=modified_on, status=status, content_type=HTML)

    def xml(
        self, template: str, modified_on: date, media_type: str, /, **values: object
    ) -> Resource:
        content_type = f"{media_type}; charset=utf-8"
        body = self._paint(template, values)
        return Resource(body=body, modified_on=modified_on, content_type=content_type)

    def _paint(self, template: str, values: dict[str, object]) -> bytes:
        page = _environment().get_template(f"{self._site}/{template}")
        return page.render({**self._shared, **values}).encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = paint_prose
    environment.filters["rfc822"] = format_datetime
    return environment
