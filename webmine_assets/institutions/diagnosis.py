"""From the model's complaints to mistakes that a person can mend."""

import difflib
import sys
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from webmine_assets.errors import MISSING, Mistake
from webmine_assets.institutions.model import (
    Budgets,
    ExtractionRule,
    Institution,
    Policy,
    Politeness,
    Rendering,
)
from webmine_assets.institutions.syntax import line_of

Location = tuple[int | str, ...]


# What each complaint of pydantic means to the person who wrote the file; `ctx` fills the gaps.
_EXPECTED = {
    "missing": "expected this key to be present",
    "string_type": "expected text; put it in quotes if it looks like a number or a date",
    "tuple_type": "expected a list, such as [a, b]",
    "too_short": "expected at least {min_length} of them",
    "string_too_short": "expected at least {min_length} characters",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "finite_number": "expected a finite number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "literal_error": "expected {expected}",
    "model_type": "expected keys and values",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected at least {ge}",
    "less_than_equal": "expected at most {le}",
    "datetime_from_date_parsing": "expected a date and time, such as 2026-01-31T10:30:00Z",
    "datetime_parsing": "expected a date and time, such as 2026-01-31T10:30:00Z",
}


def mistakes_of(problem: ValidationError, raw: dict[str, Any]) -> list[Mistake]:
    """Every mistake of a file in the order of its lines; those about the whole file come last."""
    complaints = problem.errors(include_url=False)
    places = {complaint["loc"] for complaint in complaints}
    mistakes = [
        Mistake(
            ".".join(map(str, complaint["loc"])),
            MISSING if complaint["type"] == "missing" else complaint["input"],
            _expected(complaint),
            line_of(raw, complaint["loc"]),
        )
        for complaint in complaints
        if not _follows_from_a_part(complaint, places)
    ]
    return sorted(mistakes, key=lambda mistake: mistake.line or sys.maxsize)


def _follows_from_a_part(complaint: ErrorDetails, places: Iterable[Location]) -> bool:
    """Whether a list counts as too short only because its items were refused one by one."""
    own = complaint["loc"]
    inner = any(len(place) > len(own) and place[: len(own)] == own for place in places)
    return complaint["type"] == "too_short" and inner


def _expected(complaint: ErrorDetails) -> str:
    if complaint["type"] == "extra_forbidden":
        return _nearest_key(complaint["loc"])
    if known := _EXPECTED.get(complaint["type"]):
        return known.format_map(complaint.get("ctx", {}))
    message = complaint["msg"].removeprefix("Value error, ")
    return message if message.startswith("expected") else f"expected: {message}"


def _nearest_key(location: Location) -> str:
    known = list(_model_at(location[:-1]).model_fields)
    near = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
    return f"expected a known key; {hint}"


def _model_at(location: Location) -> type[BaseModel]:
    model: type[BaseModel] = Institution
    sections: dict[str, type[BaseModel]] = {
        "budgets": Budgets,
        "politeness": Politeness,
        "rendering": Rendering,
        "policy": Policy,
        "extraction_rules": ExtractionRule,
    }
    for part in location:
        model = sections.get(str(part), model)
    return model
