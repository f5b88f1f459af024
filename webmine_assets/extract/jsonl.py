"""JSON lines in, JSON lines out: one page a line, answered in order and flushed."""

import base64
import binascii
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
        for line in lines_in:
            if line.strip():
                out.write(json.dumps(_answer(line), ensure_ascii=False) + "\n")
                out.flush()
    finally:
        gc.set_threshold(*threshold)


def _answer(line: str) -> dict[str, Any]:
    page_id = None
    try:
        request = json.loads(line)
        page_id = request.get("id")
        html = base64.b64decode(request["html_b64"], validate=True)
        url = str(request.get("url") or "")
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error) as problem:
        return {"id": page_id, "error": f"expected id, url and html_b64: {problem!r}"}
    return {"id": page_id} | extract_page(html, url=url).to_json_dict()
