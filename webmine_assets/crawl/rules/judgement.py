"""Whether what was received is worth a row: status, type, size, directives and content policy."""

from dataclasses import dataclass

from webmine_assets.crawl.exchange import FetchResponse, Refusal
from webmine_assets.crawl.pages.page import ParsedPage
from webmine_assets.crawl.rules.policy import decide_response, decide_text
from webmine_assets.institutions import Institution
from webmine_assets.reading.language import Language
from webmine_assets.records import Decision, PageSnapshot

_GONE = frozenset({404, 410})


@dataclass(frozen=True, slots=True)
class Judge:
    """The rules of one institution."""

    institution: Institution

    @property
    def max_fetch_bytes(self) -> int:
        """The larger of both limits: whether a body is a PDF is known when it is there."""
        budgets = self.institution.budgets
        return max(budgets.max_body_bytes, int(budgets.pdf_size_limit_mb * 1_000_000))

    def of_response(self, response: FetchResponse, *, was_known: bool) -> Refusal | None:
        if was_known and response.status in _GONE:
            detail = f"HTTP {response.status}; it was there at the last crawl"
            return Refusal(decision=Decision.HTTP_ERROR, reason="gone", detail=detail)
        return decide_response(
            response.status,
            response.headers.get("content-type"),
            response.body,
            budgets=self.institution.budgets,
        )

    def of_page(self, parsed: ParsedPage) -> Refusal | None:
        return parsed.refusal or self._of_text(parsed.text, parsed.lang, parsed.lang_confidence)

    def of_row(self, row: PageSnapshot) -> Refusal | None:
        """A row of the last partition must pass today's policy."""
        return self._of_text(row.text, row.lang, row.lang_confidence)

    def _of_text(self, text: str, lang: str | None, confidence: float | None) -> Refusal | None:
        language = Language(lang, confidence or 0.0) if lang else None
        return decide_text(text, language, policy=self.institution.policy)
