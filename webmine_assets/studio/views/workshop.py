"""The rule workshop: a page to click in, words to describe, and the effect before it is saved."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from webmine_assets.extract.document import Document
from webmine_assets.institutions import ExtractionRule, Institution
from webmine_assets.studio import parameters
from webmine_assets.studio.enhancement import Enhancer
from webmine_assets.studio.painter import Painter
from webmine_assets.studio.questions import Ask, Row
from webmine_assets.studio.questions.page import ask_title, find_institution
from webmine_assets.studio.questions.rules import ask_richest, ask_rule_uses
from webmine_assets.studio.rules.preview import RulesOf, parse_page
from webmine_assets.studio.rules.sample import Samples
from webmine_assets.studio.rules.selectors import label_of, lasting_classes

_MIN_BLOCK_CHARACTERS = 15
_MAX_BLOCKS = 120
_LANDMARKS = frozenset(
    "aside nav footer header section article main form figure".split()  # noqa: SIM905  # words read better than a column of quotes
)


class WorkshopView:
    """Answers `/rules`."""

    def __init__(
        self,
        *,
        ask: Ask,
        painter: Painter,
        samples: Samples,
        rules_of: RulesOf,
        institutions: Callable[[], dict[str, Institution]],
        enhancer: Enhancer,
        has_model: bool,
    ) -> None:
        self._ask = ask
        self._painter = painter
        self._samples = samples
        self._rules_of = rules_of
        self._institutions_of = institutions
        self._enhancer = enhancer
        self._has_model = has_model

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/rules", self.choose), web.get("/rules/{page_id:[0-9a-f]{16}}", self.show)]

    async def choose(self, request: web.Request) -> web.Response:
        """Institutions with their rules and a few pages to start from."""
        values = await asyncio.to_thread(self._institutions)
        return self._painter.page(
            request, "rules.html", institutions=values, tasks=self._enhancer.tasks()
        )

    def _institutions(self) -> list[dict[str, Any]]:
        uses, pages = ask_rule_uses(self._ask), ask_richest(self._ask)
        return [
            {
                "institution": name,
                "name": institution.display_name,
                "rules": rules_in_use(uses.get(name, {}), self._rules_of(name)),
                "pages": pages.get(name, []),
            }
            for name, institution in self._institutions_of().items()
        ]

    async def show(self, request: web.Request) -> web.Response:
        selector = parameters.text(request, "selector", limit=500) or ""
        kind = parameters.choice(request, "type", ["css_selector", "xpath"]) or "css_selector"
        values = await asyncio.to_thread(self._values, request.match_info["page_id"])
        return self._painter.page(
            request,
            "workshop.html",
            selector=selector,
            kind=kind,
            has_model=self._has_model,
            **values,
        )

    def _values(self, page_id: str) -> dict[str, Any]:
        institution = find_institution(self._ask, page_id)
        stored = self._samples.read_page(institution, page_id) if institution else None
        if institution is None or stored is None:
            raise web.HTTPNotFound(text=f"there is no page {page_id}")
        return {
            "page": stored,
            "title": ask_title(self._ask, institution, page_id) or stored.title,
            "institution": institution,
            "is_html": stored.is_html,
            "blocks": blocks(parse_page(stored)) if stored.is_html else [],
            "rules": rules_in_use(
                ask_rule_uses(self._ask).get(institution, {}), self._rules_of(institution)
            ),
            "tasks": [task for task in self._enhancer.tasks() if task.institution == institution],
        }


def blocks(document: Document) -> list[dict[str, Any]]:
    """The boxes of a page as a list: the way to pick one without a mouse."""
    found: list[dict[str, Any]] = []
    for number, element in enumerate(document.elements):
        if element.tag in ("html", "body", "head") or len(found) >= _MAX_BLOCKS:
            continue
        named = element.tag in ("div", "ul", "ol", "table", "p") and (
            element.get("id") or lasting_classes(element)
        )
        text = document.text_of(element) if named or element.tag in _LANDMARKS else ""
        if len(text) >= _MIN_BLOCK_CHARACTERS:
            found.append({"number": number, "label": label_of(element), "text": text[:70]})
    return found


def rules_in_use(uses: dict[str, int], rules: Sequence[ExtractionRule]) -> list[Row]:
    """The rules of a file with the number of pages on which each removed something."""
    return [{"rule": rule, "pages": uses.get(rule.value, 0)} for rule in rules]
