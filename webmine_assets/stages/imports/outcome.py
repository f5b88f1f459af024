"""What became of an import, input by input and reason by reason."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from webmine_assets.ingest.intake import IntakeReport

_EXAMPLES = 3


@dataclass(slots=True, kw_only=True)
class ImportOutcome:
    """Counts, and the inputs by what happened to them.

    `added` are new pages or seeds, `renewed` stored pages that came in a newer copy, `known` those
    that did not; `waiting` seeds were there before, and no crawl has decided about them yet;
    `empty` are the inputs of
    `taken` that held nothing; `failed` pairs an input with the reason.
    """

    institution: str
    kind: str
    added: int = 0
    renewed: int = 0
    known: int = 0
    waiting: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def refuse(self, reason: str, example: str) -> None:
        """Count something that was not taken; a few of each reason are shown."""
        self.refused[reason] += 1
        shown = self.examples.setdefault(reason, [])
        if len(shown) < _EXAMPLES:
            shown.append(example[:200])

    def add_inputs(self, report: IntakeReport) -> None:
        self.taken += report.taken
        self.empty += report.empty
        self.skipped += report.skipped
        self.unfinished += report.unfinished
        self.failed += report.failed

    def to_json_dict(self) -> dict[str, Any]:
        failed = [{"input": name, "problem": problem} for name, problem in self.failed]
        return asdict(self) | {"refused": dict(self.refused), "failed": failed}
