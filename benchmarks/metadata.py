"""How much time metadata and topics add to the content pass, part by part.

    python benchmarks/metadata.py --data FOLDER [--rounds 5] [--limit 0]

FOLDER has traf.jsonl.xz: lines of {"url", "html_b64"}. Every page goes through the whole pass
`rounds` times and the best time of each part counts: the parts are timed side by side on the same
page, so that a noisy machine disturbs the ratio little. CPU time of this thread only.
"""

import argparse
import base64
import gc
import json
import lzma
import time
from collections import Counter
from datetime import date
from itertools import islice, pairwise
from pathlib import Path

from webmine_assets.extract.content import extract_content
from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata import extract_metadata
from webmine_assets.extract.topics import extract_topics

PARTS = ("parse", "content", "metadata", "topics")
TODAY = date(2026, 1, 1)
BAR = 0.30
"""What metadata and topics may add to parse and content."""


def time_page(body: bytes, url: str) -> list[float]:
    """Seconds for each part of one pass over a page."""
    clock = [time.thread_time()]
    document = Document.parse(body, url=url)
    clock.append(time.thread_time())
    content = extract_content(document)
    clock.append(time.thread_time())
    extract_metadata(document, content, url=url, today=TODAY)
    clock.append(time.thread_time())
    extract_topics(document, content.text, url=url)
    clock.append(time.thread_time())
    return [later - earlier for earlier, later in pairwise(clock)]


def measure(folder: Path, *, rounds: int, limit: int) -> tuple[Counter[str], int]:
    """The best seconds of each part, summed over the pages, and how many pages there were."""
    totals: Counter[str] = Counter()
    pages = 0
    with lzma.open(folder / "traf.jsonl.xz", "rt") as lines:
        for page in map(json.loads, islice(lines, limit or None)):
            body = base64.b64decode(page["html_b64"])
            times = [time_page(body, page["url"]) for _ in range(rounds)]
            totals.update(dict(zip(PARTS, map(min, zip(*times, strict=True)), strict=True)))
            pages += 1
            gc.collect()  # Between pages, not within one of their parts.
    return totals, pages


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=0, help="only the first N pages")
    args = parser.parse_args()
    gc.disable()
    totals, pages = measure(args.data, rounds=args.rounds, limit=args.limit)
    for part in PARTS:
        print(f"{part:9} {1000 * totals[part] / pages:6.2f} ms a page")
    share = (totals["metadata"] + totals["topics"]) / (totals["parse"] + totals["content"])
    print(f"metadata and topics add {share:.1%} to parse and content; the bar is {BAR:.0%}")


if __name__ == "__main__":
    main()
