"""What reading one page costs at crawl time, step by step.

    python benchmarks/page_reading.py PAGES.jsonl.xz [COUNT]

Each line of the file is JSON with `url` and `html_b64`. Times are CPU milliseconds per page and
per 40 kB of HTML, the best of three rounds.
"""

import base64
import json
import lzma
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from webmine_assets.crawl.pages.fingerprint import checksum, simhash
from webmine_assets.crawl.pages.links import read_page_links
from webmine_assets.crawl.pages.text import extract_page_text
from webmine_assets.reading.charset import decode
from webmine_assets.reading.html import parse
from webmine_assets.reading.language import detect

_ROUNDS = 3
_UNIT_BYTES = 40_000


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else None
    with lzma.open(Path(sys.argv[1])) as lines:
        rows = [json.loads(line) for line in islice(lines, count)]
    bodies = [(row["url"], base64.b64decode(row["html_b64"])) for row in rows]
    total_bytes = sum(len(body) for _, body in bodies)
    print(f"{len(bodies)} pages of {total_bytes / len(bodies) / 1000:.1f} kB on average")
    whole_ms = _report(bodies, units=total_bytes / _UNIT_BYTES)
    print(f"{'all steps':<12}{whole_ms / len(bodies):8.3f} ms a page")


def _report(bodies: list[tuple[str, bytes]], *, units: float) -> float:
    """Print each step's time and return the sum in milliseconds."""
    texts, decode_ms = _timed(lambda body: decode(body, None).text, [body for _, body in bodies])
    pages = list(zip((url for url, _ in bodies), texts, strict=True))
    trees, parse_ms = _timed(lambda page: parse(page[1], url=page[0]), pages)
    located = list(zip((url for url, _ in bodies), trees, strict=True))
    links, links_ms = _timed(lambda page: read_page_links(page[1], url=page[0]), located)
    contents, text_ms = _timed(extract_page_text, trees)
    plain = [content.text for content in contents]
    detect("The model is loaded before the clock starts, as in a crawl.")
    _, language_ms = _timed(detect, plain)
    _, checksum_ms = _timed(checksum, plain)
    _, simhash_ms = _timed(simhash, plain)
    steps = {
        "decode": decode_ms, "parse": parse_ms, "links": links_ms, "text": text_ms,
        "language": language_ms, "checksum": checksum_ms, "simhash": simhash_ms,
    }  # fmt: skip
    for name, total_ms in steps.items():
        print(
            f"{name:<12}{total_ms / len(bodies):8.3f} ms a page{total_ms / units:8.3f} ms per 40 kB"
        )
    print(f"{sum(len(page.links) for page in links) / len(bodies):.0f} links a page")
    print(f"{sum(map(len, plain)) / len(plain):.0f} characters of text a page")
    return sum(steps.values())


def _timed(step: Callable[[Any], Any], inputs: list[Any]) -> tuple[list[Any], float]:
    best_s = float("inf")
    results: list[Any] = []
    for _ in range(_ROUNDS):
        start_s = time.process_time()
        results = [step(item) for item in inputs]
        best_s = min(best_s, time.process_time() - start_s)
    return results, best_s * 1000


if __name__ == "__main__":
    main()
