"""What a rule would do to a page: elements, shares of text, and the Markdown before and after."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webmine_assets.extract.content import extract_content
from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import apply_rules
from webmine_assets.institutions import ExtractionRule

WARNING_SHARE = 0.5
# difflib is quadratic on lines that repeat; nobody reads a longer difference either.
_MAX_DIFF_LINES = 1_500
_CONTEXT_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one more rule does to a page; shares are of the page's and of the content's text."""

    elements: int
    text_share: float
    content_share: float
    before: str
    after: str

    @property
    def is_harsh(self) -> bool:
        return max(self.text_share, self.content_share) > WARNING_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a difference: `kind` is removed, added, same or gap."""

    kind: str
    text: str


def measure_effect(
    document: Document, rule: ExtractionRule, rules: Sequence[ExtractionRule]
) -> Effect:
    """Extract with the rules there are, and again with one more."""
    matched = apply_rules(document.root, [rule]).elements
    before = extract_content(document, rules=rules).full_content
    after = extract_content(document, rules=[*rules, rule]).full_content if matched else before
    return Effect(
        elements=len(matched),
        text_share=removed_share(document, matched),
        content_share=lost_share(before, after),
        before=before,
        after=after,
    )


def removed_share(document: Document, matched: frozenset[Any]) -> float:
    """The share of a page's visible text that lies in these elements."""
    whole = len(document.text_of(document.root))
    outermost = [e for e in matched if not any(up in matched for up in e.iterancestors())]
    gone = sum(len(document.text_of(element)) for element in outermost)
    return min(gone / whole, 1.0) if whole else 0.0


def lost_share(before: str, after: str) -> float:
    """The share of a content's text in lines that are gone.

    Lengths would not tell: where the main text is removed, another text takes its place.
    """
    kept = set(after.split("\n"))
    lines = before.split("\n")
    whole = sum(map(len, lines))
    return sum(len(line) for line in lines if line not in kept) / whole if whole else 0.0


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """The lines that change, each with a little of what stands around it."""
    old, new = before.split("\n")[:_MAX_DIFF_LINES], after.split("\n")[:_MAX_DIFF_LINES]
    lines: list[DiffLine] = []
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT_LINES):
        if lines:
            lines.append(DiffLine(kind="gap", text="…"))
        for operation, a, b, c, d in group:
            if operation == "equal":
                lines += [DiffLine(kind="same", text=line) for line in old[a:b]]
            else:
                lines += [DiffLine(kind="removed", text=line) for line in old[a:b]]
                lines += [DiffLine(kind="added", text=line) for line in new[c:d]]
    return lines
