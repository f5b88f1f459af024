"""A rule tried on one page and on a sample of its institution, before anything is saved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webmine_assets.extract.document import Document
from webmine_assets.institutions import ExtractionRule
from webmine_assets.studio.rules.effect import DiffLine, Effect, diff_lines, measure_effect
from webmine_assets.studio.rules.sample import SampledPage, Samples

RulesOf = Callable[[str], Sequence[ExtractionRule]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEffect:
    """The effect on one sampled page."""

    page_id: str
    url: str
    title: str
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The effect on the page at hand, and on others of the institution."""

    page: PageEffect
    diff: list[DiffLine]
    sample: list[PageEffect]

    @property
    def touched(self) -> int:
        return sum(1 for page in self.sample if page.effect.elements)

    @property
    def harsh(self) -> int:
        return sum(1 for page in self.sample if page.effect.is_harsh)

    @property
    def mean_text_share(self) -> float:
        return _mean([page.effect.text_share for page in self.sample])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def parse_page(page: SampledPage) -> Document:
    return Document.parse(page.body, url=page.url, header_charset=page.encoding)


class Previewer:
    """Tries rules; `rules_of` gives the rules an institution has already."""

    def __init__(self, samples: Samples, rules_of: RulesOf) -> None:
        self._samples = samples
        self._rules_of = rules_of

    def preview(self, institution: str, page: SampledPage, rule: ExtractionRule) -> Preview:
        rules = [
            kept
            for kept in self._rules_of(institution)
            if (kept.type, kept.value) != (rule.type, rule.value)
        ]
        here = self._try(page, rule, rules)
        others = [
            self._try(other, rule, rules) if other.page_id != page.page_id else here
            for other in self._samples.sample(institution)
        ]
        return Preview(
            page=here, diff=diff_lines(here.effect.before, here.effect.after), sample=others
        )

    def _try(
        self, page: SampledPage, rule: ExtractionRule, rules: Sequence[ExtractionRule]
    ) -> PageEffect:
        return PageEffect(
            page_id=page.page_id,
            url=page.url,
            title=page.title or page.url,
            effect=measure_effect(parse_page(page), rule, rules),
        )
