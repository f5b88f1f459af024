"""The content of one page: main text, raw and fit Markdown, and which of the two was selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lxml.html import HtmlElement

from webmine_assets.extract.agreement import Choice, choose
from webmine_assets.extract.candidates import Measured, measure
from webmine_assets.extract.cleaning import is_clean
from webmine_assets.extract.document import MAX_ELEMENTS, Document
from webmine_assets.extract.hints import Hint
from webmine_assets.extract.inline import InlineWriter
from webmine_assets.extract.markdown import MarkdownWriter
from webmine_assets.extract.outline import SKIPPED, Block, Outline, build_outline
from webmine_assets.extract.prune import pruned, survives
from webmine_assets.extract.rules import Removal, apply_rules
from webmine_assets.extract.stated import stated_blocks
from webmine_assets.extract.words import count_words
from webmine_assets.institutions import ExtractionRule

MIN_CONTENT_CHARS = 500
MIN_CONTENT_SHARE = 0.1
_STRUCTURE = int(Hint.FIGURE | Hint.CODE | Hint.TABLE | Hint.LIST | Hint.QUOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a reader came for.

    `full_content` is the selected Markdown; `text_source` names the candidate nearest to `text`;
    `outline` is the page as read without what rules removed, for whoever reads it next.
    """

    text: str
    raw_markdown: str
    fit_markdown: str
    full_content: str
    selected: Literal["fit", "raw"]
    selection_reason: str
    text_source: str
    word_count: int
    rules_applied: tuple[str, ...] = ()
    rules_invalid: tuple[str, ...] = ()
    main_elements: tuple[HtmlElement, ...] = ()
    outline: Outline | None = None

    @property
    def main(self) -> HtmlElement | None:
        """The first element chosen as main content."""
        return self.main_elements[0] if self.main_elements else None


def extract_content(document: Document, *, rules: Sequence[ExtractionRule] = ()) -> Content:
    """Choose the main text and write the Markdown of a page."""
    removal = apply_rules(document.root, rules) if rules else Removal()
    page = measure(outline_of(document, removal))
    choice = choose(page, page_titles(document))
    if not removal.applied:
        # A rule is about the tree: it must not be undone by text from elsewhere.
        choice = _or_stated(document, choice)
    writer = MarkdownWriter(InlineWriter(document))
    raw_blocks, fit_blocks = _raw_blocks(page, choice), _fit_blocks(page, choice)
    raw = writer.write(raw_blocks)
    fit = raw if fit_blocks == raw_blocks else writer.write(fit_blocks)
    selected, reason = select(raw, fit)
    if len(document.elements) >= MAX_ELEMENTS:
        reason += f"; only the first {MAX_ELEMENTS} elements were read"
    text = writer.write_text(choice.blocks)
    return Content(
        text=text,
        raw_markdown=raw,
        fit_markdown=fit,
        full_content=fit if selected == "fit" else raw,
        selected=selected,
        selection_reason=reason,
        text_source=choice.source,
        word_count=count_words(text),
        rules_applied=removal.applied,
        rules_invalid=removal.invalid,
        main_elements=(choice.node.element,) if choice.node else (),
        outline=page.outline,
    )


def outline_of(document: Document, removal: Removal) -> Outline:
    """The blocks of a page; if there are none to speak of, those in a noscript too.

    An unclosed noscript swallows the page in libxml2, and pages for scripts keep their text in one.
    """
    outline = build_outline(document, removal.elements)
    if "noscript" in document.by_tag and _chars(outline) < MIN_CONTENT_CHARS:
        opened = build_outline(document, removal.elements, SKIPPED - {"noscript"})
        # Less is the notice that scripts are needed.
        if _chars(opened) > _chars(outline) + MIN_CONTENT_CHARS:
            return opened
    return outline


def _chars(outline: Outline) -> int:
    return sum(block.chars for block in outline.blocks)


def _or_stated(document: Document, choice: Choice) -> Choice:
    stated = stated_blocks(document, sum(block.chars for block in choice.blocks))
    return Choice(stated, "json-ld:articleBody", None, choice.headline) if stated else choice


def select(raw: str, fit: str) -> tuple[Literal["fit", "raw"], str]:
    """Which Markdown is the content: the pruned one unless pruning took too much."""
    if len(fit) < MIN_CONTENT_CHARS:
        return "raw", f"fit has {len(fit)} characters, fewer than {MIN_CONTENT_CHARS}"
    if len(fit) < MIN_CONTENT_SHARE * len(raw):
        return "raw", f"fit has {len(fit)} of {len(raw)} characters, less than a tenth"
    return "fit", f"fit has {len(fit)} of {len(raw)} characters"


def _raw_blocks(page: Measured, choice: Choice) -> list[Block]:
    """The cleaned page, and whatever else the choice of main text has."""
    chosen = set(choice.blocks)
    kept = [b for b in page.outline.blocks if is_clean(b) or b in chosen or b is choice.headline]
    return kept + _elsewhere(page, choice)


def _fit_blocks(page: Measured, choice: Choice) -> list[Block]:
    """The headline, the main text, and what survives pruning between its first and last block."""
    removed = pruned(page)
    chosen = set(choice.blocks)
    places = [i for i, block in enumerate(page.outline.blocks) if block in chosen]
    first, last = (places[0], places[-1]) if places else (0, -1)
    kept = [
        block
        for index, block in enumerate(page.outline.blocks)
        if block in chosen
        or block is choice.headline
        or (first <= index <= last and _stays(block) and survives(block, removed))
    ]
    return kept + _elsewhere(page, choice)


def _elsewhere(page: Measured, choice: Choice) -> list[Block]:
    """The main text if it is not of the tree."""
    return [] if choice.blocks and choice.blocks[0] in page.outline.blocks else choice.blocks


def _stays(block: Block) -> bool:
    """Whether a block that is not main text may stand between blocks that are: it is no teaser."""
    return is_clean(block) and (bool(block.images) or bool(block.node.hints & _STRUCTURE))


def page_titles(document: Document) -> list[str]:
    """What the page calls itself in its head."""
    titles = [document.text_of(t) for t in document.by_tag.get("title", ())[:1]]
    for key in ("og:title", "twitter:title", "dc.title", "headline"):
        titles += document.metas.get(key, ())[:1]
    return titles
