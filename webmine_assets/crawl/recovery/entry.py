"""What a journal frame holds: one response, failure or rendering as bytes, and back."""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchResponse,
    Refusal,
    RenderedPage,
    RenderFailure,
)

Entry = FetchResponse | FetchFailure | RenderedPage | RenderFailure


def pack(entry: Entry) -> bytes:
    """A line of JSON with the small fields, then the one big field as it is."""
    fields = _fields(entry)
    big = fields.pop(_BIG[type(entry)], b"") if type(entry) in _BIG else b""
    if isinstance(entry, FetchFailure) and entry.refusal:
        fields["refusal"] = asdict(entry.refusal)
    if isinstance(entry, RenderedPage):
        fields["screenshot_png"] = entry.screenshot_png.hex() if entry.screenshot_png else None
        fields["document"] = _bodyless(entry.document) if entry.document else None
    fields["type"] = type(entry).__name__
    body = big.encode("utf-8", "surrogatepass") if isinstance(big, str) else big
    return json.dumps(fields, default=datetime.isoformat).encode() + b"\n" + body


def _fields(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in entry.__slots__}


def _bodyless(response: FetchResponse) -> dict[str, Any]:
    fields = _fields(response)
    del fields["body"]
    return fields


def unpack(data: bytes) -> Entry:
    line, _, body = data.partition(b"\n")
    fields = json.loads(line)
    return _READERS[fields.pop("type")](fields, body)


def _response(fields: dict[str, Any], body: bytes) -> FetchResponse:
    return FetchResponse(**_dated(fields), body=body)


def _failure(fields: dict[str, Any], body: bytes) -> FetchFailure:
    refusal = Refusal(**fields.pop("refusal")) if fields.get("refusal") else None
    fields.pop("refusal", None)
    reason = FetchReason(fields.pop("reason"))
    return FetchFailure(**_dated(fields), reason=reason, refusal=refusal)


def _rendered(fields: dict[str, Any], body: bytes) -> RenderedPage:
    image = fields.pop("screenshot_png")
    fields["blocked"] = tuple(fields["blocked"])
    # A journal of an earlier version does not have these.
    fields["links_to"] = tuple(fields.get("links_to", ()))
    if document := fields.get("document"):
        fields["document"] = _response(document, b"")
    html = body.decode("utf-8", "surrogatepass")
    return RenderedPage(**fields, html=html, screenshot_png=bytes.fromhex(image) if image else None)


def _render_failure(fields: dict[str, Any], body: bytes) -> RenderFailure:
    fields["blocked"] = tuple(fields["blocked"])
    return RenderFailure(**fields)


def _dated(fields: dict[str, Any]) -> dict[str, Any]:
    fields["fetched_at"] = datetime.fromisoformat(fields["fetched_at"])
    fields["redirects"] = tuple(fields["redirects"])
    return fields


_BIG: dict[type, str] = {FetchResponse: "body", RenderedPage: "html"}
_READERS: dict[str, Callable[[dict[str, Any], bytes], Entry]] = {
    "FetchResponse": _response,
    "FetchFailure": _failure,
    "RenderedPage": _rendered,
    "RenderFailure": _render_failure,
}
