"""What an institution file says in vain: well formed, but of no use to the part that reads it."""

from collections.abc import Iterator
from pathlib import Path

from webmine_assets.errors import Mistake
from webmine_assets.extract.rules import rule_problem
from webmine_assets.institutions import Institution, line_in
from webmine_assets.reading.language import codes


def unusable_values(institution: Institution, path: Path) -> Iterator[Mistake]:
    """Rules that select no elements, languages that no page is ever in; with their lines."""
    for number, rule in enumerate(institution.extraction_rules):
        if problem := rule_problem(rule):
            yield _mistake(path, ("extraction_rules", number, "value"), rule.value, problem)
    for number, language in enumerate(institution.policy.languages):
        if language.lower().partition("-")[0] not in codes():
            expected = "expected a two-letter code that the detector knows, such as en or de"
            yield _mistake(path, ("policy", "languages", number), language, expected)


def _mistake(path: Path, place: tuple[str | int, ...], found: str, expected: str) -> Mistake:
    return Mistake(".".join(map(str, place)), found, expected, line_in(path, place))
