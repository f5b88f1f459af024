"""Main text: fit the weights of the evidence on labelled pages, or measure speed by part.

    python benchmarks/extraction.py fit --data FOLDER [--write]
    python benchmarks/extraction.py speed --data FOLDER

FOLDER has aeb.jsonl.xz and traf.jsonl.xz: lines of {"id", "url", "html_b64", "gold"}, gold being
{"text"} or {"must_have": [...], "must_not": [...]}. The fit prints the F1 of the chosen text in
five-fold cross-validation by site: what to expect on pages it was not fitted on.
"""

import argparse
import base64
import json
import lzma
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy

from webmine_assets.extract import extract_page
from webmine_assets.extract import weights as weights_module
from webmine_assets.extract.agreement import choose
from webmine_assets.extract.candidates import measure
from webmine_assets.extract.content import extract_content, outline_of, page_titles
from webmine_assets.extract.document import Document
from webmine_assets.extract.inline import InlineWriter
from webmine_assets.extract.markdown import MarkdownWriter
from webmine_assets.extract.rules import Removal
from webmine_assets.extract.votes import NAMES, Votes

WORD = re.compile(r"\w+")
# An article page weighs as much as twelve snippets: fewer let teasers in, more cost traf recall.
ARTICLE_WEIGHT = 12.0
# Least weight of a block of an article page, so that bylines count at all.
BLOCK_WEIGHT = 0.01
FOLDS = 5
# Cross-validated: a third of it or twice as much costs 0.001 to 0.002 F1 on snippets.
RIDGE = 1.0
NEWTON_STEPS = 12
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Sample:
    """One block: its evidence, whether it is main text, how much it counts, and its fold."""

    row: list[float]
    wanted: bool
    weight: float
    fold: int


def read_pages(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(folder / f"{name}.jsonl.xz", "rt") as lines:
        yield from map(json.loads, lines)


def document_of(page: dict[str, Any]) -> Document:
    return Document.parse(base64.b64decode(page["html_b64"]), url=page["url"])


def votes_of(page: dict[str, Any]) -> Votes:
    document = document_of(page)
    return Votes(measure(outline_of(document, Removal())), page_titles(document))


def fold_of(page: dict[str, Any]) -> int:
    """Pages of one site are in one fold: another page of the same template would be no test."""
    url = page["url"].rpartition("/http")[2] or page["id"]
    host = url.partition("://")[2].partition("/")[0] or page["id"]
    return crc32(".".join(host.split(".")[-2:]).encode()) % FOLDS


def shingles(text: str) -> list[tuple[str, ...]]:
    words = WORD.findall(text)
    if len(words) < 4:
        return [tuple(words)] if words else []
    return list(zip(*(words[start:] for start in range(4)), strict=False))


def article_samples(page: dict[str, Any]) -> Iterator[Sample]:
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
        yield Sample(
            row, wanted, ARTICLE_WEIGHT * block.chars / total + BLOCK_WEIGHT, fold_of(page)
        )


def snippet_samples(page: dict[str, Any]) -> Iterator[Sample]:
    """Blocks of a page of which a wanted or an unwanted snippet is known."""
    votes = votes_of(page)
    wanted = [" ".join(text.split()) for text in page["gold"]["must_have"]]
    unwanted = [" ".join(text.split()) for text in page["gold"]["must_not"]]
    for block, row in zip(votes.blocks, votes.rows(), strict=True):
        text = " ".join(block.text.split())
        if row is None:
            continue
        if any(snippet in text for snippet in wanted):
            yield Sample(row, True, 1.0, fold_of(page))
        elif any(snippet in text for snippet in unwanted):
            yield Sample(row, False, 1.0, fold_of(page))


def fit(folder: Path, *, write: bool) -> None:
    samples = [s for page in read_pages(folder, "aeb") for s in article_samples(page)]
    samples += [s for page in read_pages(folder, "traf") for s in snippet_samples(page)]
    print("five folds:", cross_validated(folder, samples))
    found = fitted(samples)
    table = "".join(f'    "{name}": {value},\n' for name, value in found.items())
    text = f'"""{weights_module.__doc__}"""\n\nWEIGHTS = {{\n{table}}}\n'
    if write:
        Path(str(weights_module.__file__)).write_text(text, "utf-8")
    else:
        print(text)


def cross_validated(folder: Path, samples: list[Sample]) -> str:
    """F1 of the whole choice of text on pages of sites that the weights were not fitted on."""
    models = [fitted([s for s in samples if s.fold != fold]) for fold in range(FOLDS)]
    weights = [[model[name] for name in NAMES] for model in models]
    articles = [article_score(p, weights[fold_of(p)]) for p in read_pages(folder, "aeb")]
    precision, recall = (sum(values) / len(values) for values in zip(*articles, strict=True))
    snippets = [snippet_counts(p, weights[fold_of(p)]) for p in read_pages(folder, "traf")]
    right, wrong, missed = map(sum, zip(*snippets, strict=True))
    return (
        f"aeb F1 {2 * precision * recall / (precision + recall):.4f} "
        f"traf F1 {2 * right / (2 * right + wrong + missed):.4f}"
    )


def text_of(page: dict[str, Any], weights: list[float]) -> str:
    document = document_of(page)
    measured = measure(outline_of(document, Removal()))
    choice = choose(measured, page_titles(document), weights)
    return MarkdownWriter(InlineWriter(document)).write_text(choice.blocks)


def article_score(page: dict[str, Any], weights: list[float]) -> tuple[float, float]:
    """Precision and recall over shingles."""
    gold, found = Counter(shingles(page["gold"]["text"])), Counter(shingles(text_of(page, weights)))
    common = (gold & found).total()
    return common / (found.total() or 1), common / (gold.total() or 1)


def snippet_counts(page: dict[str, Any], weights: list[float]) -> tuple[int, int, int]:
    """Wanted snippets that are there, unwanted ones that are, wanted ones that are not."""
    text = " ".join(text_of(page, weights).split())
    wanted = [" ".join(s.split()) in text for s in page["gold"]["must_have"]]
    unwanted = [" ".join(s.split()) in text for s in page["gold"]["must_not"]]
    return sum(wanted), sum(unwanted), len(wanted) - sum(wanted)


def fitted(samples: list[Sample]) -> dict[str, float]:
    """Logistic regression with a ridge penalty, by Newton's method; the bias is not penalised."""
    rows = numpy.array([s.row for s in samples])
    wanted = numpy.array([s.wanted for s in samples], dtype=float)
    counts = numpy.array([s.weight for s in samples])
    penalty = numpy.array([0.0 if name == "bias" else RIDGE for name in NAMES])
    weights = numpy.zeros(len(NAMES))
    for _ in range(NEWTON_STEPS):
        likely = 1 / (1 + numpy.exp(-(rows @ weights)))
        slope = rows.T @ (counts * (likely - wanted)) + penalty * weights
        curvature = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows
        weights -= numpy.linalg.solve(curvature + numpy.diag(penalty + TINY), slope)
    return {name: round(float(value), 2) for name, value in zip(NAMES, weights, strict=True)}


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
