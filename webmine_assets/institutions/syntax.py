"""The text of an institution file as keys and values, with the line of each; no bombs."""

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedBase
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.tokens import (
    AliasToken,
    BlockEndToken,
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingEndToken,
    FlowMappingStartToken,
    FlowSequenceEndToken,
    FlowSequenceStartToken,
)

from webmine_assets.errors import InstitutionFileError, Mistake, UnreadableFileError, Words

_EXPECTED_YAML = "expected valid YAML, without aliases and deep nesting"
_MAX_FILE_CHARS = 1_000_000
# Three are enough for every key: the file, a list, the keys of a rule.
_MAX_DEPTH = 12
_OPENING = (
    BlockMappingStartToken,
    BlockSequenceStartToken,
    FlowMappingStartToken,
    FlowSequenceStartToken,
)
_CLOSING = (BlockEndToken, FlowMappingEndToken, FlowSequenceEndToken)


def yaml_of_files() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    # Or long URLs and selectors would be folded into several lines.
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as problem:
        said = Words(problem.strerror or str(problem))
        raise UnreadableFileError(
            path, [Mistake("(file)", said, "expected a readable file")]
        ) from None
    except UnicodeDecodeError as problem:
        said = Words(f"byte {problem.start} is none of UTF-8")
        mistake = Mistake("(file)", said, "expected UTF-8 text")
        raise InstitutionFileError(path, [mistake]) from None


def _refuse_bombs(text: str) -> None:
    """Aliases and deep nesting make small files huge; an institution file needs neither."""
    if len(text) > _MAX_FILE_CHARS:
        raise YAMLError(f"a file of {len(text)} characters")
    depth = 0
    for token in yaml_of_files().scan(text):
        if isinstance(token, AliasToken):
            raise YAMLError(f"an alias (*{token.value})")
        depth += isinstance(token, _OPENING) - isinstance(token, _CLOSING)
        if depth > _MAX_DEPTH:
            raise YAMLError(f"nesting deeper than {_MAX_DEPTH}")


def parse_mapping(text: str, path: Path) -> dict[str, Any]:
    try:
        _refuse_bombs(text)
        raw = yaml_of_files().load(text)
    except YAMLError as problem:
        mark = problem.problem_mark if isinstance(problem, MarkedYAMLError) else None
        said = problem.problem if isinstance(problem, MarkedYAMLError) else str(problem)
        line = mark.line + 1 if mark else None
        mistake = Mistake("(file)", Words(said or "it is no YAML"), _EXPECTED_YAML, line)
        raise InstitutionFileError(path, [mistake]) from None
    if not isinstance(raw, dict):
        found = Words("it holds nothing") if raw is None else plain(raw)
        mistake = Mistake("(file)", found, "expected keys such as institution_id and seed_urls")
        raise InstitutionFileError(path, [mistake])
    return raw


def plain(value: Any) -> Any:
    """Ruamel's containers as plain ones: pydantic is strict about neither, errors read better.

    A key with nothing behind it counts as not written: that is what is left of a list when all its
    lines are commented out.
    """
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def line_of(raw: Any, location: tuple[int | str, ...]) -> int | None:
    """The 1-based line of a key: the deepest part of the path that the file has."""
    line: int | None = None
    node = raw
    for part in location:
        if not isinstance(node, CommentedBase):
            break
        try:
            line = node.lc.data[part][0] + 1
            node = node[part]  # type: ignore[index]  # ruamel types its containers as one base
        except (KeyError, IndexError, TypeError):
            break
    return line
