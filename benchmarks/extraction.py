"""Main text: fit the weights of the evidence on labelled pages, or measure speed by part.

    python benchmarks/extraction.py fit --data FOLDER [--write]     # needs numpy and scikit-learn
    python benchmarks/extraction.py speed --data FOLDER

FOLDER has aeb.jsonl.xz and traf.jsonl.xz: lines of {"url", "html_b64", "gold"}, gold being {"text"}
or {"must_have": [...], "must_not": [...]}. The fit prints the accuracy over blocks in five-fold
cross-validation; what counts is the score of the whole extractor on pages it was not fitted on.
"""

import argparse
import base64
import json
import lzma
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webmine_assets.extract import extract_page
from webmine_assets.extract import weights as weights_module
from webmine_assets.extract.candidates import measure
from webmine_assets.extract.content import extract_content, page_titles
from webmine_assets.extract.document import Document
from webmine_assets.extract.outline import build_outline
from webmine_assets.extract.votes import NAMES, Votes

WORD = re.compile(r"\w+")
# An article page weighs as much as twelve snippets: fewer let teasers in, more cost traf recall.
ARTICLE_WEIGHT = 12.0
# Least weight of a block of an article page, so that bylines count at all.
BLOCK_WEIGHT = 0.01
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Sample:
    """One block: its evidence, whether it is main text, how much it counts, and its page."""

    row: list[float]
    wanted: bool
    weight: float
    page: int


def read_pages(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(folder / f"{name}.jsonl.xz", "rt") as lines:
        yield from map(json.loads, lines)


def votes_of(page: dict[str, Any]) -> Votes:
    document = Document.parse(base64.b64decode(page["html_b64"]), url=page["url"])
    return Votes(measure(build_outline(document.elements)), page_titles(document))


def shingles(text: str) -> list[tuple[str, ...]]:
    words = WORD.findall(text)
    if len(words) < 4:
        return [tuple(words)] if words else []
    return list(zip(*(words[start:] for start in range(4)), strict=False))


def article_samples(page: dict[str, Any], number: int) -> Iterator[Sample]:
    """Blocks of a page whose full text is known: wanted if half of their shingles are in it."""
    votes = votes_of(page)
    gold = set(shingles(page["gold"]["text"]))
    words = f" {' '.join(WORD.findall(page['gold']['text']))} "
    total = sum(block.chars for block in votes.blocks) or 1
    for block, row in zip(votes.blocks, votes.rows(), strict=True):
        found = shingles(block.text)
        if row is None or not found:
            continue
        if len(found[0]) < 4:
            wanted = f" {' '.join(found[0])} " in words
        else:
            wanted = sum(shingle in gold for shingle in found) > 0.5 * len(found)
        yield Sample(row, wanted, ARTICLE_WEIGHT * block.chars / total + BLOCK_WEIGHT, number)


def snippet_samples(page: dict[str, Any], number: int) -> Iterator[Sample]:
    """Blocks of a page of which a wanted or an unwanted snippet is known."""
    votes = votes_of(page)
    wanted = [" ".join(text.split()) for text in page["gold"]["must_have"]]
    unwanted = [" ".join(text.split()) for text in page["gold"]["must_not"]]
    for block, row in zip(votes.blocks, votes.rows(), strict=True):
        text = " ".join(block.text.split())
        if row is None:
            continue
        if any(snippet in text for snippet in wanted):
            yield Sample(row, True, 1.0, number)
        elif any(snippet in text for snippet in unwanted):
            yield Sample(row, False, 1.0, number)


def fit(folder: Path, *, write: bool) -> None:
    samples = [
        s for n, page in enumerate(read_pages(folder, "aeb")) for s in article_samples(page, n)
    ]
    samples += [
        s for n, page in enumerate(read_pages(folder, "traf")) for s in snippet_samples(page, n)
    ]
    for fold in range(FOLDS):
        model = fitted([s for s in samples if s.page % FOLDS != fold])
        held = [s for s in samples if s.page % FOLDS == fold]
        right = sum(s.weight for s in held if (score(model, s.row) > 0) == s.wanted)
        print(f"fold {fold}: {right / sum(s.weight for s in held):.4f} of the weight decided right")
    found = fitted(samples)
    table = "".join(f'    "{name}": {value},\n' for name, value in found.items())
    text = f'"""{weights_module.__doc__}"""\n\nWEIGHTS = {{\n{table}}}\n'
    if write:
        Path(str(weights_module.__file__)).write_text(text, "utf-8")
    else:
        print(text)


def fitted(samples: list[Sample]) -> dict[str, float]:
    import numpy
    from sklearn.linear_model import LogisticRegression

    rows = numpy.array([s.row for s in samples])
    model = LogisticRegression(C=1.0, max_iter=5000)
    model.fit(rows, [s.wanted for s in samples], sample_weight=[s.weight for s in samples])
    found = {name: float(value) for name, value in zip(NAMES, model.coef_[0], strict=True)}
    found["bias"] += float(model.intercept_[0])
    return {name: round(value, 2) for name, value in found.items()}


def score(weights: dict[str, float], row: list[float]) -> float:
    return sum(weights[name] * value for name, value in zip(NAMES, row, strict=True))


def speed(folder: Path) -> None:
    pages = list(read_pages(folder, "traf"))
    totals = dict.fromkeys(("parse", "content", "whole page"), 0.0)
    for page in pages:
        body, url = base64.b64decode(page["html_b64"]), page["url"]
        started = time.process_time()
        document = Document.parse(body, url=url)
        parsed = time.process_time()
        extract_content(document)
        done = time.process_time()
        extract_page(body, url=url)
        totals["parse"] += parsed - started
        totals["content"] += done - parsed
        totals["whole page"] += time.process_time() - done
    for part, total in totals.items():
        print(f"{part:10} {1000 * total / len(pages):6.2f} ms a page")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("fit", "speed"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--write", action="store_true", help="write webmine_assets/extract/weights.py"
    )
    args = parser.parse_args()
    if args.what == "fit":
        fit(args.data, write=args.write)
    else:
        speed(args.data)


if __name__ == "__main__":
    main()
