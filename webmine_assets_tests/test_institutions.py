import json
from pathlib import Path

import pytest

from webmine_assets.errors import InstitutionFileError, UnknownInstitutionError
from webmine_assets.institutions import (
    ExtractionRule,
    find_institution,
    load_institution,
    load_institutions,
    save_rule,
)

GOOD = """\
institution_id: u1   # the id
seed_urls: [https://u1.edu/]
allowed_domains: [u1.edu, "*.labs.u1.edu"]
"""


def write(folder: Path, text: str, name: str = "u1.yaml") -> Path:
    path = folder / "institutions" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def mistakes(folder: Path, text: str) -> dict[str, str]:
    with pytest.raises(InstitutionFileError) as caught:
        load_institution(write(folder, text))
    return {mistake.key: str(mistake) for mistake in caught.value.mistakes}


def test_a_small_file_is_enough_and_the_rest_has_defaults(tmp_path: Path) -> None:
    institution = load_institution(write(tmp_path, GOOD))
    assert institution.allowed_domains == ("u1.edu", "*.labs.u1.edu")
    assert institution.politeness.respect_crawl_delay is True
    assert institution.allow_networks == ()
    assert institution.display_name == "u1"


def test_the_flat_json_form_of_the_specification_is_valid(tmp_path: Path) -> None:
    flat = {
        "institution_id": "u1",
        "seed_urls": ["https://u1.edu/engineering/", "https://u1.edu/engineering/departments/"],
        "allowed_domains": ["u1.edu"],
        "disallowed_paths": ["/login", "/search"],
        "max_pages": 300,
        "max_depth": 3,
        "ttl_days": 14,
    }
    institution = load_institution(write(tmp_path, json.dumps(flat, indent=1), "u1.json"))
    assert (institution.max_pages, institution.ttl_days) == (300, 14)


def test_all_mistakes_come_at_once_with_line_value_and_expectation(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path,
        """\
institution_id: U1
seed_urls: [ftp://u1.edu/]
allowed_domains: [u1.edu]
max_page: 30
politeness:
  delay: 3
budgets: {max_bytes: -1}
""",
    )
    assert "line 1" in found["institution_id"]
    assert "lower-case" in found["institution_id"]
    assert "'ftp://u1.edu/'" in found["seed_urls.0"]
    assert "did you mean 'max_pages'?" in found["max_page"]
    assert "line 4" in found["max_page"]
    assert "did you mean 'delay_ms'?" in found["politeness.delay"]
    assert "line 6" in found["politeness.delay"]
    assert "-1" in found["budgets.max_bytes"]


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("", "(file)", "expected keys such as institution_id"),
        ("- a\n- b\n", "(file)", "expected keys"),
        ("institution_id: [", "(file)", "expected valid YAML"),
        (
            "institution_id: u1\ninstitution_id: u2\n",
            "(file)",
            "line 2, (file): found dup",
        ),
        ("", "(file)", "(file): it holds nothing; expected keys"),
        ("- 2024-01-01\n- b\n", "(file)", """found ["2024-01-01", "b"]; expected keys"""),
        (GOOD + "name: 2024-01-01\n", "name", "found 2024-01-01; expected text"),
        (GOOD + "topics: [a, null]\n", "topics.1", "found null; expected text"),
        (GOOD + "topics: [a, true]\n", "topics.1", "found true; expected text"),
        ("institution_id: u1\nallowed_domains: [u1.edu]\n", "seed_urls", "missing; expected this"),
        (GOOD.replace("[https://u1.edu/]", "[]"), "seed_urls", "expected at least 1 of them"),
        (GOOD.replace("[https://u1.edu/]", ""), "seed_urls", "missing; expected this key"),
        (GOOD + "name: 2026\n", "name", "expected text; put it in quotes"),
        (GOOD + "topics: science\n", "topics", "expected a list, such as [a, b]"),
        (GOOD + "max_pages: 1.5\n", "max_pages", "expected a whole number"),
        (GOOD + "max_pages: 0\n", "max_pages", "expected at least 1"),
        (GOOD + "ttl_days: soon\n", "ttl_days", "expected a number"),
        (GOOD + "policy: {language_confidence: 2}\n", "policy.language_confidence", "at most 1"),
        (GOOD + "policy: strict\n", "policy", "expected keys and values"),
        (GOOD + "rendering: {mode: on}\n", "rendering.mode", "'auto', 'never' or 'always'"),
        (GOOD + "rendering: {timeout_s: 0}\n", "rendering.timeout_s", "expected more than 0"),
        (GOOD + "rendering: {screenshots: si}\n", "rendering.screenshots", "true or false"),
        (GOOD.replace("u1.edu,", "'http://u1.edu',"), "allowed_domains.0", "such as u1.edu"),
        (GOOD.replace("u1.edu,", "'u1.edu:99999',"), "allowed_domains.0", "a port from 1 to 65535"),
        (GOOD.replace("u1.edu/]", "u1.edu:99999/]"), "seed_urls.0", "the port 99999 is none"),
        (GOOD + "allow_networks: [nonsense]\n", "allow_networks.0", "nonsense"),
        (GOOD + "include_patterns: ['(']\n", "include_patterns.0", "regular expression"),
        (GOOD + "zebra: 1\n", "zebra", "known keys: institution_id"),
        (GOOD.replace("institution_id: u1", "institution_id: u2"), "institution_id", "'u1'"),
        (GOOD + "budgets: {max_seconds: .inf}\n", "budgets.max_seconds", "finite"),
        (
            GOOD.replace("seed_urls: [https://u1.edu/]", "seed_urls: [https://x.org/]"),
            "allowed_domains",
            "https://x.org/ is on x.org",
        ),
        ("a: &a [x]\nb: *a\n", "(file)", "without aliases"),
        ("a: " + "[" * 5_000, "(file)", "deep nesting"),
        ("institution_id: ../../etc\n" + GOOD.split("\n", 1)[1], "institution_id", "lower-case"),
    ],
)
def test_a_wrong_file_says_where_and_what(tmp_path: Path, text: str, key: str, words: str) -> None:
    assert words in mistakes(tmp_path, text)[key]


def test_mistakes_come_in_the_order_of_the_file_and_each_once(tmp_path: Path) -> None:
    text = """\
nam: University
institution_id: u1
seed_urls: [ftp://u1.edu/, 3]
politeness: {concurrency: many, delay: 1}
max_pages: -4
"""
    with pytest.raises(InstitutionFileError) as caught:
        load_institution(write(tmp_path, text))
    assert [mistake.key for mistake in caught.value.mistakes] == [
        "nam",
        "seed_urls.0",
        "seed_urls.1",
        "politeness.concurrency",
        "politeness.delay",
        "max_pages",
        "allowed_domains",
    ]


def test_a_key_with_nothing_behind_it_counts_as_not_written(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "topics:\n  # - science\nextraction_rules:\n  # none yet\n")
    assert load_institution(path).topics == ()
    save_rule(path, ExtractionRule(value=".related"))
    assert [rule.value for rule in load_institution(path).extraction_rules] == [".related"]
    assert "# - science" in path.read_text()


def test_a_wrong_name_is_told_with_the_other_mistakes(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD.replace("institution_id: u1", "institution_id: u2") + "x: 1\n")
    assert {"institution_id", "x"} <= found.keys()
    assert "line 1" in found["institution_id"]


def test_a_file_that_is_not_utf8_is_a_mistake_not_a_crash(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    path.write_bytes(b"name: \xff\xfe")
    with pytest.raises(InstitutionFileError, match="UTF-8"):
        load_institution(path)


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, "nonsense", "u2.yaml")
    write(tmp_path, GOOD, ".hidden.yaml")
    loaded = load_institutions(tmp_path / "institutions")
    assert list(loaded.institutions) == ["u1"]
    assert [error.path.name for error in loaded.errors] == ["u2.yaml"]


def test_of_two_files_of_one_id_the_first_counts_everywhere(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, GOOD, "u1.json")
    folder = tmp_path / "institutions"
    loaded = load_institutions(folder)
    assert loaded.paths == {"u1": folder / "u1.yaml"}
    assert find_institution(folder, "u1") == folder / "u1.yaml"
    assert [error.path.name for error in loaded.errors] == ["u1.json"]
    assert "one file per institution" in str(loaded.errors[0])


def test_a_file_is_named_by_text_or_path_and_one_that_is_not_there_is_no_wrong_one(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, GOOD)
    assert load_institution(str(path)) == load_institution(path)
    with pytest.raises(InstitutionFileError) as caught:
        load_institution(f"{path}.old")
    assert str(caught.value) == f"{path}.old cannot be read: No such file or directory"


def test_a_missing_folder_has_no_institutions(tmp_path: Path) -> None:
    assert load_institutions(tmp_path / "nowhere").institutions == {}


@pytest.mark.parametrize("name", ["u2", "../u1", ""])
def test_an_unknown_institution_says_what_to_create(tmp_path: Path, name: str) -> None:
    write(tmp_path, GOOD)
    with pytest.raises(UnknownInstitutionError, match=r"create .*yaml"):
        find_institution(tmp_path / "institutions", name)


def test_a_saved_rule_keeps_comments_order_and_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + "max_pages: 3  # small\n")
    save_rule(path, ExtractionRule(value=".related", description="related: articles"))
    text = path.read_text()
    assert "institution_id: u1   # the id" in text
    assert "max_pages: 3  # small" in text
    rule = load_institution(path).extraction_rules[0]
    assert (rule.type, rule.value, rule.description) == (
        "css_selector",
        ".related",
        "related: articles",
    )
    assert rule.created_at is not None
    path.write_text(path.read_text().replace("value: .related", "value: .related  # below"))
    save_rule(path, ExtractionRule(type="xpath", value="//aside"))
    assert len(load_institution(path).extraction_rules) == 2
    assert ".related  # below" in path.read_text()


def test_rules_may_use_the_specification_s_camel_case(tmp_path: Path) -> None:
    rule = "extraction_rules: [{type: css_selector, value: .x, createdAt: 2024-12-09T10:30:00Z}]\n"
    institution = load_institution(write(tmp_path, GOOD + rule))
    assert institution.extraction_rules[0].created_at is not None
