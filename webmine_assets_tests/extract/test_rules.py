"""Extraction rules of an institution: what they remove and how bad ones are named."""

import pytest

from webmine_assets.extract.content import extract_content
from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import rule_problem
from webmine_assets.institutions import ExtractionRule

HTML = """<html><body><article><h1>Title of the page</h1>
<p>The first paragraph says what the page is about, in enough words to count as prose.</p>
<div class="box" id="b1"><p>This box is what the institution does not want in its corpus.</p></div>
<p>The last paragraph ends the page, again with enough words to count as prose.</p>
</article></body></html>"""


def content(*rules: ExtractionRule):  # type: ignore[no-untyped-def]
    return extract_content(Document.parse(HTML, url="https://example.org/"), rules=rules)


@pytest.mark.parametrize(
    "rule",
    [
        ExtractionRule(value=".box"),
        ExtractionRule(value="article > div#b1"),
        ExtractionRule(type="xpath", value="//div[contains(@class, 'box')]"),
    ],
    ids=["css class", "css path", "xpath"],
)
def test_a_rule_removes_its_block_everywhere(rule: ExtractionRule) -> None:
    before, after = content(), content(rule)
    assert "This box" in before.full_content
    assert "This box" not in after.full_content + after.raw_markdown + after.text
    assert "The last paragraph" in after.full_content
    assert after.rules_applied == (rule.value,)
    assert after.rules_invalid == ()


def test_the_tree_is_not_changed_by_rules() -> None:
    document = Document.parse(HTML, url="https://example.org/")
    extract_content(document, rules=[ExtractionRule(value=".box")])
    assert "This box" in extract_content(document).text


def test_a_rule_that_finds_nothing_is_not_applied() -> None:
    found = content(ExtractionRule(value=".absent"))
    assert (found.rules_applied, found.rules_invalid) == ((), ())


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("css_selector", "div["), ("css_selector", ".box::before(("), ("css_selector", ":nope(1)"),
        ("xpath", "//div["), ("xpath", "//*[unknown-function()]"), ("xpath", "count(//p)"),
    ],
)  # fmt: skip
def test_a_bad_rule_is_named_and_skipped(kind: str, value: str) -> None:
    bad = ExtractionRule.model_validate({"type": kind, "value": value})
    found = content(bad, ExtractionRule(value=".box"))
    assert found.rules_invalid == (value,)
    assert found.rules_applied == (".box",)


def test_a_problem_is_told_to_the_person_who_wrote_the_rule() -> None:
    assert rule_problem(ExtractionRule(value="div[")) is not None
    assert rule_problem(ExtractionRule(type="xpath", value="//div[")) is not None
    assert rule_problem(ExtractionRule(value=".box, #b1 > p")) is None
