"""What a browser had to do with a stored page: the line of `webmine why` and the studio."""

from collections.abc import Mapping
from typing import Any

_SHOWN_REQUESTS = 3


def account_of_render(meta: Mapping[str, Any]) -> str | None:
    """The line for a row's `meta`; None if no browser was asked for."""
    facts = _facts(meta)
    if not facts and not meta.get("rendered"):
        return None
    parts = [": ".join(part for part in (_outcome(meta), ", ".join(facts)) if part)]
    if meta.get("render_timed_out"):
        parts.append("still changing at the time limit")
    if log := meta.get("render_log"):
        more = f" and {len(log) - _SHOWN_REQUESTS} more" if len(log) > _SHOWN_REQUESTS else ""
        requests = "1 request" if len(log) == 1 else f"{len(log)} requests"
        parts.append(f"{requests} gave nothing: {', '.join(log[:_SHOWN_REQUESTS])}{more}")
    return "; ".join(parts)


def _outcome(meta: Mapping[str, Any]) -> str:
    if meta.get("rendered"):
        return "rendered in a browser"
    if meta.get("render_error"):
        return "kept as received, though it may need a browser"
    return "kept as received, for a browser showed no more of it"


def _facts(meta: Mapping[str, Any]) -> list[str]:
    took = meta.get("render_ms")
    facts = (meta.get("render_reason"), f"{took} ms" if took else None, meta.get("render_error"))
    return [fact for fact in facts if fact]
