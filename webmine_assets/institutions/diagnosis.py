"""From the model's complaints to mistakes that a person can mend."""

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

from webmine_assets.errors import Mistake
from webmine_assets.institutions.model import (
    Budgets,
    ExtractionRule,
    Institution,
    Policy,
    Politeness,
    Rendering,
)
from webmine_assets.institutions.syntax import line_of


def mistakes_of(problem: ValidationError, raw: dict[str, Any]) -> Iterable[Mistake]:
    for error in problem.errors(include_url=False):
        location = error["loc"]
        line = line_of(raw, location)
        key = ".".join(str(part) for part in location)
        if error["type"] == "extra_forbidden":
            yield Mistake(key, error["input"], _nearest_key(location), line)
        elif error["type"] == "missing":
            yield Mistake(key, None, "expected this key to be present", line)
        else:
            message = error["msg"].removeprefix("Value error, ")
            expected = message if message.startswith("expected") else f"expected: {message}"
            yield Mistake(key, error["input"], expected, line)


def _nearest_key(location: tuple[int | str, ...]) -> str:
    known = list(_model_at(location[:-1]).model_fields)
    near = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
    return f"expected a known key; {hint}"


def _model_at(location: tuple[int | str, ...]) -> type[BaseModel]:
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
