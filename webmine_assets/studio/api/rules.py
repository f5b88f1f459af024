"""The rule workshop over HTTP: pick, propose, preview, save."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aiohttp import web

from webmine_assets.extract.document import Document
from webmine_assets.extract.rules import apply_rules, rule_problem
from webmine_assets.institutions import (
    ExtractionRule,
    find_institution,
    load_institution,
    remove_rule,
    save_rule,
)
from webmine_assets.settings import Settings
from webmine_assets.studio import parameters
from webmine_assets.studio.api import json_answer
from webmine_assets.studio.enhancement import Enhancer
from webmine_assets.studio.questions import Ask
from webmine_assets.studio.questions.page import find_institution as institution_of
from webmine_assets.studio.rules.language_model import LanguageModel
from webmine_assets.studio.rules.preview import Preview, Previewer, parse_page
from webmine_assets.studio.rules.proposals import Proposal, describe, propose
from webmine_assets.studio.rules.sample import SampledPage, Samples
from webmine_assets.studio.rules.selectors import ancestry, choose

_MAX_SELECTOR = 500
_MAX_MARKED = 500

Change = Callable[[Path, ExtractionRule], None]
"""Changes the rules of an institution file, or says with an HTTP error why it cannot."""


class RulesApi:
    """Answers `/api/rules` and what lies below it."""

    def __init__(
        self,
        *,
        ask: Ask,
        samples: Samples,
        previewer: Previewer,
        settings: Settings,
        enhancer: Enhancer,
        model: LanguageModel | None,
        now: Callable[[], Any],
    ) -> None:
        self._ask = ask
        self._samples = samples
        self._previewer = previewer
        self._settings = settings
        self._enhancer = enhancer
        self._model = model
        self._now = now
        # Extraction keeps a core busy: previews of impatient fingers wait for each other.
        self._turn = asyncio.Semaphore(1)
        # Two changes of one file at a time would lose one of them.
        self._file = asyncio.Lock()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/rules/pick", self.pick),
            web.get("/api/rules/propose", self.propose),
            web.get("/api/rules/preview", self.preview),
            web.post("/api/rules", self.save),
            web.delete("/api/rules", self.remove),
        ]

    async def pick(self, request: web.Request) -> web.Response:
        """Selectors for the element that was clicked, and for what it lies in."""
        _, page = await self._page(request)
        number = parameters.integer(request, "element", default=-1, low=0, high=10_000_000)
        return json_answer(await asyncio.to_thread(_pick, page, number))

    async def propose(self, request: web.Request) -> web.Response:
        """Selectors for what is described in words."""
        words = parameters.text(request, "words", limit=300)
        if words is None:
            raise parameters.bad_request("words: expected what to remove, in words")
        _, page = await self._page(request)
        document = await asyncio.to_thread(parse_page, page)
        proposals = await asyncio.to_thread(propose, document, words)
        note = ""
        if self._model:
            selectors, note = await self._model.propose(document, words)
            known = {proposal.selector for proposal in proposals}
            new = [selector for selector in selectors if selector not in known]
            # In a thread as above: one selector may take a second on a large page.
            proposals += await asyncio.to_thread(_described, document, new)
        return json_answer({"proposals": [asdict(p) for p in proposals], "note": note})

    async def preview(self, request: web.Request) -> web.Response:
        """What a rule would remove here and on sampled pages."""
        rule = _usable(_read_rule(request))
        institution, page = await self._page(request)
        async with self._turn:
            preview = await asyncio.to_thread(self._previewer.preview, institution, page, rule)
            marked = await asyncio.to_thread(_marked, page, rule)
        return json_answer({**preview_json(preview), "marked": marked})

    async def save(self, request: web.Request) -> web.Response:
        """Write a rule into the institution's file and start its re-enhancement."""
        body = await parameters.json_object(request)
        parameters.refuse_unknown(body, {"institution", "type", "value", "description"})
        institution = parameters.field(body, "institution", limit=63)
        rule = _rule(
            kind=parameters.field(body, "type", limit=20, required=False) or "css_selector",
            value=parameters.field(body, "value", limit=_MAX_SELECTOR),
            description=parameters.field(body, "description", limit=300, required=False),
            created_at=self._now(),
        )
        _usable(rule)
        return await self._changed(institution, rule, self._save, status=201)

    async def remove(self, request: web.Request) -> web.Response:
        """Take a rule out of the institution's file and start its re-enhancement."""
        institution = parameters.text(request, "institution", limit=63) or ""
        rule = _read_rule(request)
        return await self._changed(institution, rule, self._remove, status=200)

    async def _changed(
        self, institution: str, rule: ExtractionRule, change: Change, *, status: int
    ) -> web.Response:
        async with self._file:
            path = find_institution(self._settings.institutions, institution)
            await asyncio.to_thread(change, path, rule)
        task = self._enhancer.start(institution)
        answer = {"institution": institution, "rule": rule.model_dump(), "task": asdict(task)}
        return json_answer(answer, status=status)

    def _save(self, path: Path, rule: ExtractionRule) -> None:
        known = load_institution(path).extraction_rules
        if any((rule.type, rule.value) == (one.type, one.value) for one in known):
            raise web.HTTPConflict(text=f"{path.name} has a rule {rule.value!r} already")
        save_rule(path, rule)

    def _remove(self, path: Path, rule: ExtractionRule) -> None:
        if not remove_rule(path, rule):
            raise web.HTTPNotFound(text=f"{path.name} has no rule {rule.value!r}")

    async def _page(self, request: web.Request) -> tuple[str, SampledPage]:
        page_id = parameters.text(request, "page", limit=100) or ""
        found = await asyncio.to_thread(self._find, page_id)
        if found is None:
            raise web.HTTPNotFound(text=f"there is no page {page_id[:40]!r}")
        if not found[1].is_html:
            raise parameters.bad_request("page: expected an HTML page; others have no elements")
        return found

    def _find(self, page_id: str) -> tuple[str, SampledPage] | None:
        institution = institution_of(self._ask, page_id)
        page = self._samples.read_page(institution, page_id) if institution else None
        return (institution, page) if institution and page else None


def _rule(*, kind: str, value: str, **fields: Any) -> ExtractionRule:
    if kind not in {"css_selector", "xpath"}:
        raise parameters.bad_request(f"type: expected css_selector or xpath, found {kind!r}")
    if not value:
        raise parameters.bad_request("value: expected a selector")
    return ExtractionRule.model_validate({"type": kind, "value": value, **fields})


def _read_rule(request: web.Request) -> ExtractionRule:
    return _rule(
        kind=parameters.text(request, "type", limit=20) or "css_selector",
        value=parameters.text(request, "value", limit=_MAX_SELECTOR) or "",
    )


def _usable(rule: ExtractionRule) -> ExtractionRule:
    """The rule, unless it cannot be read or cannot find elements on any page."""
    if problem := rule_problem(rule):
        raise parameters.bad_request(f"value: found {rule.value!r}; {problem}")
    return rule


def _pick(page: SampledPage, number: int) -> dict[str, Any]:
    document = parse_page(page)
    if not 0 <= number < len(document.elements):
        raise parameters.bad_request(f"element: the page has {len(document.elements)} elements")
    chain = ancestry(document, number)
    chosen = choose(chain, document)
    return {
        "chosen": asdict(chosen) if chosen else None,
        "ancestors": [asdict(ancestor) for ancestor in chain],
    }


def _described(document: Document, selectors: list[str]) -> list[Proposal]:
    found = (describe(document, selector, "proposed by the model") for selector in selectors)
    return [proposal for proposal in found if proposal]


def _marked(page: SampledPage, rule: ExtractionRule) -> list[int]:
    document = parse_page(page)
    matched = apply_rules(document.root, [rule]).elements
    numbers = [n for n, element in enumerate(document.elements) if element in matched]
    return numbers[:_MAX_MARKED]


def preview_json(preview: Preview) -> dict[str, Any]:
    """A preview as the API gives it: shares from 0 to 1."""
    here = preview.page.effect
    return {
        "elements": here.elements,
        "textShare": round(here.text_share, 4),
        "contentShare": round(here.content_share, 4),
        "warning": here.is_harsh,
        "before": here.before,
        "after": here.after,
        "diff": [asdict(line) for line in preview.diff],
        "sampled": len(preview.sample),
        "touched": preview.touched,
        "harsh": preview.harsh,
        "meanTextShare": round(preview.mean_text_share, 4),
        "pages": [
            {
                "id": page.page_id,
                "url": page.url,
                "title": page.title,
                "elements": page.effect.elements,
                "textShare": round(page.effect.text_share, 4),
                "contentShare": round(page.effect.content_share, 4),
                "warning": page.effect.is_harsh,
            }
            for page in preview.sample
        ],
    }
