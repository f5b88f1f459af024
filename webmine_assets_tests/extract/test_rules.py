"""Extraction rules of an institution: what they remove and how bad ones are named."""

import pytest
from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from webmine_assets.extract.content import extract_content
from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import apply_rules, rule_problem
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


_SELECTORS = (
    "h2 ~ p", "p ~ p", "p ~ p.x", ".x ~ *", "* ~ .x ~ p", "div > p ~ h2", "h2 + p", "p + p + p",
    "h2 + p ~ p", "p ~ h2 + p", "div p.x ~ div p", "p:first-of-type ~ p", "p:not(.x) ~ p",
    "div:has(p ~ h2)", "p:not(h2 ~ p)",
)  # fmt: skip
_TREES = st.recursive(
    st.sampled_from(["<p>a</p>", "<p class='x'>b</p>", "<h2>c</h2>"]),
    lambda inner: st.lists(inner, max_size=6).map(lambda parts: f"<div>{''.join(parts)}</div>"),
)


@pytest.mark.parametrize("selector", _SELECTORS)
@given(tree=_TREES)
def test_siblings_are_found_as_css_means_them(selector: str, tree: str) -> None:
    root = html.fromstring(f"<body>{tree}{tree}</body>")
    plain = HTMLTranslator().css_to_xpath(selector, prefix="descendant-or-self::")
    removed = apply_rules(root, [ExtractionRule(value=selector)]).elements
    assert removed == set(root.xpath(plain))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("selector", ["p ~ p", "p + p", "h1 ~ p", "p.x ~ p.x", "section > p ~ p"])
def test_thousands_of_siblings_do_not_hold_a_rule_up(selector: str) -> None:
    root = html.fromstring(f"<section><h1>List</h1>{'<p class=x>entry</p>' * 5_000}</section>")
    assert len(apply_rules(root, [ExtractionRule(value=selector)]).elements) >= 4_999
