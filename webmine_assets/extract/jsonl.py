"""JSON lines in, JSON lines out: one page a line, answered in order and flushed."""

import base64
import gc
import json
from collections.abc import Iterable
from typing import Any, TextIO

from webmine_assets.extract.page import extract_page


def extract_jsonl(lines_in: Iterable[str], out: TextIO) -> None:
    """Answer each line `{id, url, html_b64}`; one that cannot be read is answered with an error."""
    # Pages leave no cycles behind: looking for them often took 8 % of the time.
    threshold = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        for number, line in enumerate(lines_in, 1):
            if line.strip():
                out.write(json.dumps(_answer(number, line), ensure_ascii=False) + "\n")
                out.flush()
    finally:
        gc.set_threshold(*threshold)


def _answer(number: int, line: str) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except ValueError as problem:
        return _refusal(None, number, f"not JSON ({problem}); expected {{id, url, html_b64}}")
    if not isinstance(request, dict):
        return _refusal(None, number, "not a JSON object; expected {id, url, html_b64}")
    page_id = request.get("id")
    html, url = request.get("html_b64"), request.get("url") or ""
    if not isinstance(html, str):
        found = "missing" if html is None else f"found {html!r:.60}"
        return _refusal(page_id, number, f"html_b64: {found}; expected base64 text")
    if not isinstance(url, str):
        return _refusal(page_id, number, f"url: found {url!r:.60}; expected text")
    try:
        body = base64.b64decode(html, validate=True)
    except ValueError as problem:
        return _refusal(page_id, number, f"html_b64: expected base64 text ({problem})")
    return {"id": page_id} | extract_page(body, url=url).to_json_dict()


def _refusal(page_id: object, number: int, problem: str) -> dict[str, Any]:
    return {"id": page_id, "error": f"line {number}: {problem}"}
