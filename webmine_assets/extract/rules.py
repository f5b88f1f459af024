"""An institution's extraction rules: what they remove from a page, and which cannot be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cssselect import GenericTranslator, HTMLTranslator, SelectorError
from lxml import etree
from lxml.html import HtmlElement

from webmine_assets.institutions import ExtractionRule

_TRANSLATOR: GenericTranslator = HTMLTranslator()


@dataclass(frozen=True, slots=True)
class Removal:
    """Elements to leave out, the rules that found any, and the rules that could not be read."""

    elements: frozenset[HtmlElement] = frozenset()
    applied: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


def rule_problem(rule: ExtractionRule) -> str | None:
    """Why a rule cannot be used, for the person who wrote it; None if it can."""
    compiled = _compiled(rule.type, rule.value)
    return compiled if isinstance(compiled, str) else None


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
