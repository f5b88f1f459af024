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
            place = ("extraction_rules", number, "value")
            yield Mistake(_key(place), rule.value, problem, line_in(path, place))
    for number, language in enumerate(institution.policy.languages):
        if language.lower().partition("-")[0] not in codes():
            place = ("policy", "languages", number)
            expected = "expected a two-letter code that the detector knows, such as en or de"
            yield Mistake(_key(place), language, expected, line_in(path, place))


def _key(place: tuple[str | int, ...]) -> str:
    return ".".join(map(str, place))
