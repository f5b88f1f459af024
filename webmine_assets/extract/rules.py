"""An institution's extraction rules: what they remove from a page, and which cannot be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cssselect import HTMLTranslator, SelectorError
from cssselect.xpath import XPathExpr
from lxml import etree
from lxml.html import HtmlElement, document_fromstring

from webmine_assets.institutions import ExtractionRule


class _Translator(HTMLTranslator):
    """CSS to XPath whose siblings cost what they should: libxml2 merges the siblings after each
    match one by one, which took `div ~ div` 22 s on 5,000 of them, and takes it 5 ms like this."""

    def xpath_indirect_adjacent_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        # Whatever comes after any match comes after the first one of its siblings; but a match that
        # has itself to come after another is not the first of its kind.
        if "sibling::" not in left.path:
            alike = XPathExpr(element=left.element, condition=left.condition)
            left.add_condition(f"not(preceding-sibling::{alike}[1])")
        return left.join("/following-sibling::", right)

    def xpath_direct_adjacent_combinator(self, left: XPathExpr, right: XPathExpr) -> XPathExpr:
        return left.join("/following-sibling::*[1]/self::", right)


_TRANSLATOR = _Translator()
_KINDS = {"css_selector": "a CSS selector", "xpath": "an XPath expression"}
_TRIAL = "<div id='a' class='a'><p id='b' class='b'>text <a href='/'>link</a></p></div>"


@dataclass(frozen=True, slots=True)
class Removal:
    """Elements to leave out, the rules that found any, and the rules that could not be read."""

    elements: frozenset[HtmlElement] = frozenset()
    applied: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


def rule_problem(rule: ExtractionRule) -> str | None:
    """Why a rule cannot be used, for the person who wrote it; None if it can."""
    compiled = _compiled(rule.type, rule.value)
    if isinstance(compiled, str):
        return f"expected {_KINDS[rule.type]}: {compiled}"
    # XPath also counts, joins texts and calls functions: only a try tells what it gives.
    try:
        found = compiled(document_fromstring(_TRIAL))
    except etree.XPathError as problem:
        return f"expected {_KINDS[rule.type]}: {problem}"
    if isinstance(found, list) and all(isinstance(one, HtmlElement) for one in found):
        return None
    return "expected an XPath expression that selects elements, such as //aside"


def apply_rules(root: HtmlElement, rules: Sequence[ExtractionRule]) -> Removal:
    """Find what the rules remove; a rule that fails is named and skipped."""
    found: set[HtmlElement] = set()
    applied: list[str] = []
    invalid: list[str] = []
    for rule in rules:
        matches = _matches(root, rule)
        if matches is None:
            invalid.append(rule.value)
        elif matches:
            applied.append(rule.value)
            found.update(matches)
    return Removal(frozenset(found), tuple(applied), tuple(invalid))


def _matches(root: HtmlElement, rule: ExtractionRule) -> list[HtmlElement] | None:
    compiled = _compiled(rule.type, rule.value)
    if isinstance(compiled, str):
        return None
    try:
        result = compiled(root)
    except etree.XPathError:
        return None
    if not isinstance(result, list):
        return None
    return [element for element in result if isinstance(element, HtmlElement)]


@lru_cache(maxsize=1000)
def _compiled(kind: str, value: str) -> etree.XPath | str:
    """The compiled rule, or what is wrong with it."""
    try:
        if kind == "css_selector":
            value = _TRANSLATOR.css_to_xpath(value, prefix="descendant-or-self::")
        return etree.XPath(value)
    except (SelectorError, etree.XPathError, ValueError) as problem:
        return str(problem) or type(problem).__name__
