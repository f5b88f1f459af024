"""Pages with enough text to be stored, an institution for them, and a data folder."""

from pathlib import Path
from typing import Any

from webmine_assets.crawl.pages.page import PageInput, read_page
from webmine_assets.institutions import Institution
from webmine_assets.records import PageSnapshot
from webmine_assets.settings import Settings, read_settings
from webmine_assets_tests.factories import snapshot


def institution(**fields: Any) -> Institution:
    values = {
        "institution_id": "u1",
        "seed_urls": ["https://u1.edu/"],
        "allowed_domains": ["u1.edu"],
    } | fields
    return Institution.model_validate(values)


def settings_in(folder: Path) -> Settings:
    return read_settings({"WEBMINE_DATA": str(folder)})


def html(subject: str, *, head: str = "", aside: str = "") -> bytes:
    sentences = " ".join(
        f"The {subject} of the harbour town was discussed for the {n}th time this week."
        for n in range(4, 12)
    )
    return (
        f"<!doctype html><html lang='en'><head><title>About the {subject}</title>{head}</head>"
        "<body>"
        f"<article><h1>About the {subject}</h1><p>{sentences}</p></article>"
        f"<div class='promo'><p>{aside}</p></div></body></html>"
    ).encode()


def page(url: str, body: bytes, **fields: Any) -> PageSnapshot:
    """The row a crawl would have made of these bytes."""
    headers = {"content-type": "text/html; charset=utf-8"}
    parsed = read_page(PageInput(url=url, body=body, headers=headers))
    values: dict[str, Any] = {
        "body": body,
        "text": parsed.text,
        "excerpt": parsed.text[:280],
        "lang": parsed.lang,
        "lang_confidence": parsed.lang_confidence,
        "checksum": parsed.checksum,
        "simhash": parsed.simhash,
        "title": parsed.title,
        "encoding": parsed.encoding,
        "canonical_url": parsed.canonical or url,
    }
    return snapshot(url, **(values | fields))
