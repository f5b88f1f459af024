"""Rules put into institution files and taken out of them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webmine_assets.errors import InstitutionFileError
from webmine_assets.institutions import ExtractionRule, load_institution, remove_rule, save_rule

HEAD = """\
# Our university.
institution_id: u1   # the id
seed_urls:
- https://u1.edu/
allowed_domains: [u1.edu]
"""
RULES = """\
# What to take out.
extraction_rules:
    - type: css_selector
      value: .a  # the first
      description: >
        two
        lines
    # about b
    - value: .b
    # - value: .off

ttl_days: 3
"""
MOMENT = datetime(2026, 3, 31, 12, 30, 15, 999, tzinfo=UTC)


def write(folder: Path, text: str, name: str = "u1.yaml") -> Path:
    path = folder / "institutions" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def rule(value: str, **fields: object) -> ExtractionRule:
    return ExtractionRule.model_validate({"value": value, "created_at": MOMENT, **fields})


def values(path: Path) -> list[str]:
    return [known.value for known in load_institution(path).extraction_rules]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HEAD, HEAD + "\nextraction_rules:\n{new}"),
        (HEAD.rstrip("\n"), HEAD + "\nextraction_rules:\n{new}"),
        (
            HEAD + "extraction_rules:\n  # none yet\n",
            HEAD + "extraction_rules:\n{new}  # none yet\n",
        ),
        (
            HEAD + "extraction_rules:\n- value: .a\n# the end\n",
            HEAD + "extraction_rules:\n- value: .a\n{flush}# the end\n",
        ),
    ],
)
def test_a_saved_rule_adds_lines_and_changes_none(tmp_path: Path, before: str, after: str) -> None:
    path = write(tmp_path, before)
    save_rule(path, rule(".x", description="a: b"))
    lines = [
        "- type: css_selector",
        "  value: .x",
        "  description: 'a: b'",
        "  created_at: '2026-03-31T12:30:15+00:00'",
    ]
    new = "".join(f"  {line}\n" for line in lines)
    flush = "".join(f"{line}\n" for line in lines)
    assert path.read_text("utf-8") == after.format(new=new, flush=flush)
    assert values(path)[-1] == ".x"


def test_a_saved_rule_stands_behind_the_last_one(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + RULES)
    save_rule(path, rule("//x", type="xpath"))
    text = path.read_text("utf-8")
    assert values(path) == [".a", ".b", "//x"]
    assert "    - value: .b\n    - type: xpath\n      value: //x\n" in text
    assert [line for line in (HEAD + RULES).splitlines() if line not in text.splitlines()] == []


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (".a", RULES.replace(RULES[RULES.index("    - type") : RULES.index("    # about")], "")),
        (".b", RULES.replace("    - value: .b\n", "")),
    ],
)
def test_a_removed_rule_leaves_every_other_line(tmp_path: Path, value: str, left: str) -> None:
    path = write(tmp_path, HEAD + RULES)
    assert remove_rule(path, rule(value))
    assert path.read_text("utf-8") == HEAD + left


def test_the_last_rule_can_be_removed_and_another_saved(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + "extraction_rules:\n  - value: .a\n")
    assert remove_rule(path, rule(".a"))
    assert values(path) == []
    save_rule(path, rule(".b"))
    assert values(path) == [".b"]


@pytest.mark.parametrize(
    "rules", ["extraction_rules: []\n", "extraction_rules: [{value: .a}, {value: .b}]\n"]
)
def test_a_list_within_one_line_stays_there(tmp_path: Path, rules: str) -> None:
    path = write(tmp_path, HEAD + rules)
    before = values(path)
    save_rule(path, rule(".x"))
    assert values(path) == [*before, ".x"]
    for value in [*before, ".x"]:
        assert remove_rule(path, rule(value))
    assert values(path) == []
    assert "# the id" in path.read_text("utf-8")


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_json_stays_json(tmp_path: Path, indent: int | None) -> None:
    content = {
        "institution_id": "u1",
        "seed_urls": ["https://u1.edu/"],
        "allowed_domains": ["u1.edu"],
        "extraction_rules": [{"type": "css_selector", "value": ".a"}, {"value": ".b"}],
    }
    path = write(tmp_path, json.dumps(content, indent=indent), "u1.json")
    save_rule(path, rule(".ü"))
    assert remove_rule(path, rule(".a"))
    left = json.loads(path.read_text("utf-8"))
    assert [known["value"] for known in left["extraction_rules"]] == [".b", ".ü"]
    assert list(left) == list(content)


@pytest.mark.parametrize("wanted", [rule(".c"), rule(".a", type="xpath")])
def test_a_rule_that_is_not_there_changes_nothing(tmp_path: Path, wanted: ExtractionRule) -> None:
    path = write(tmp_path, HEAD + RULES)
    assert not remove_rule(path, wanted)
    assert path.read_text("utf-8") == HEAD + RULES


def test_a_broken_file_is_named_and_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + "nonsense: 1\n")
    with pytest.raises(InstitutionFileError, match="nonsense"):
        save_rule(path, rule(".x"))
    assert path.read_text("utf-8") == HEAD + "nonsense: 1\n"


def test_a_file_of_windows_keeps_its_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "u1.yaml"
    before = b"institution_id: u1\r\nseed_urls: [https://u1.edu/]\r\nallowed_domains: [u1.edu]\r\n"
    path.write_bytes(before)
    save_rule(path, ExtractionRule(value=".teaser"))
    after = path.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(b"\r\n")


def test_a_changed_file_keeps_its_mode(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD)
    path.chmod(0o640)
    save_rule(path, rule(".x"))
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("value", ["'", '"', "#x", "a: b", "- x", "\\", "{x}", "%", "|"])
def test_any_selector_comes_back_as_it_was(tmp_path: Path, value: str) -> None:
    path = write(tmp_path, HEAD + RULES)
    save_rule(path, rule(value, description=value))
    assert values(path)[-1] == value
    assert remove_rule(path, rule(value))
    assert path.read_text("utf-8") == HEAD + RULES
