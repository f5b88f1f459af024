"""Rules put into an institution file and taken out again; every other line stays as it is.

Lines are edited, not the parsed document: ruamel keeps comments, but indents lists its own way, and
takes the comments behind a rule away with it, since they hang on the rule's last value.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

from webmine_assets.errors import InstitutionFileError
from webmine_assets.institutions.files import parse_institution
from webmine_assets.institutions.model import ExtractionRule
from webmine_assets.institutions.syntax import read_text, yaml_of_files

_KEY = "extraction_rules"
_INDENT = "  "

Entry = dict[str, str]
Edit = Callable[[list[Any]], None]


def save_rule(path: Path, rule: ExtractionRule) -> None:
    """Append a rule to an institution file."""
    moment = (rule.created_at or datetime.now(UTC)).replace(microsecond=0)
    saved = rule.model_copy(update={"created_at": moment})
    entry = {"type": saved.type, "value": saved.value, "description": saved.description}
    entry["created_at"] = moment.isoformat()
    text = read_text(path)
    wanted = [*_rules_in(text, path), saved]
    candidate = _with_lines(text, entry)
    _replace(path, _checked(candidate, wanted, path) or _edited(text, path, _appending(entry)))


def remove_rule(path: Path, rule: ExtractionRule) -> bool:
    """Take a rule out of an institution file; False if it has none of this type and value."""
    text = read_text(path)
    rules = _rules_in(text, path)
    index = next((n for n, known in enumerate(rules) if _is_same(known, rule)), None)
    if index is None:
        return False
    wanted = rules[:index] + rules[index + 1 :]
    candidate = _without_lines(text, index)
    _replace(path, _checked(candidate, wanted, path) or _edited(text, path, _deleting(index)))
    return True


def _is_same(one: ExtractionRule, other: ExtractionRule) -> bool:
    return (one.type, one.value) == (other.type, other.value)


def _rules_in(text: str, path: Path) -> list[ExtractionRule]:
    return list(parse_institution(text, path).extraction_rules)


def _checked(text: str | None, wanted: list[ExtractionRule], path: Path) -> str | None:
    """The text, if it says what it should."""
    with suppress(InstitutionFileError):
        return text if text is not None and _rules_in(text, path) == wanted else None
    return None


def _with_lines(text: str, entry: Entry) -> str | None:
    """The text with one more rule behind the last one; None for a list written within one line."""
    document = yaml_of_files().load(text)
    lines = [line if line.endswith("\n") else f"{line}\n" for line in text.splitlines(True)]
    if _KEY not in document:
        return "".join([*lines, "\n", f"{_KEY}:\n", *_lines_of(entry, _INDENT)])
    at, indent = int(document.lc.key(_KEY)[0]) + 1, _INDENT
    if entries := document[_KEY]:
        start = int(entries.lc.item(len(entries) - 1)[0])
        at, indent = _end_of_item(lines, start), " " * _indent(lines[start])
    return "".join([*lines[:at], *_lines_of(entry, indent), *lines[at:]])


def _lines_of(entry: Entry, indent: str) -> list[str]:
    text = _dumped([entry])
    return [f"{indent}{line.removeprefix(_INDENT)}\n" for line in text.splitlines()]


def _without_lines(text: str, index: int) -> str | None:
    """The text without the lines of one rule; None where a rule has no lines of its own."""
    lines = text.splitlines(True)
    start = int(yaml_of_files().load(text)[_KEY].lc.item(index)[0])
    if not lines[start].lstrip().startswith("-"):
        return None
    return "".join([*lines[:start], *lines[_end_of_item(lines, start) :]])


def _end_of_item(lines: Sequence[str], start: int) -> int:
    """Where an item ends: behind the last line that stands further right than its dash."""
    dash, end = _indent(lines[start]), start + 1
    for number in range(start + 1, len(lines)):
        line = lines[number].strip()
        if line and not line.startswith("#"):
            if _indent(lines[number]) <= dash:
                break
            end = number + 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _appending(entry: Entry) -> Edit:
    return lambda entries: entries.append(entry)


def _deleting(index: int) -> Edit:
    return lambda entries: entries.__delitem__(index)


def _edited(text: str, path: Path, edit: Edit) -> str:
    """The file written anew: JSON stays JSON, a list within one line stays there."""
    is_json = path.suffix == ".json" and text.lstrip().startswith("{")
    document = json.loads(text) if is_json else yaml_of_files().load(text)
    # `extraction_rules:` with nothing behind it is there, and null.
    if document.get(_KEY) is None:
        document[_KEY] = []
    edit(document[_KEY])
    return json.dumps(document, ensure_ascii=False, indent=2) if is_json else _dumped(document)


def _dumped(document: Any) -> str:
    text = StringIO()
    yaml_of_files().dump(document, text)
    return text.getvalue()


def _replace(path: Path, text: str) -> None:
    """Whoever reads the file meanwhile sees the old text or the new one."""
    aside = path.with_name(f".{path.name}.new")
    # Read as text, line ends are all alike: a file of Windows gets its own back.
    newline = "\r\n" if b"\r\n" in path.read_bytes() else "\n"
    aside.write_text(text, "utf-8", newline=newline)
    shutil.copymode(path, aside)
    aside.replace(path)
