"""What a new extraction changes, field by field. Pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from webmine_assets.stages.page_rows import EnhancedPage

Kind = Literal["added", "removed", "changed"]

_CONTENT = (
    "title",
    "text",
    "full_content",
    "selected",
    "text_source",
    "rules_applied",
    "rules_invalid",
    "error",
)
_METADATA = (
    "title",
    "description",
    "image_url",
    "authors",
    "published_at",
    "modified_at",
    "content_text",
    "language",
    "error",
)
_EXAMPLES = 3
_EXCERPT_CHARS = 100
_BEFORE_CHARS = 30


@dataclass(frozen=True, slots=True)
class Example:
    """One page where a field changed; long values are cut to where they differ."""

    url: str
    old: str
    new: str


@dataclass(slots=True)
class FieldDifference:
    """How often a field got a value, lost it or changed it."""

    counts: Counter[Kind] = field(default_factory=Counter)
    examples: list[Example] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A page whose rows are not as they were, and the fields that are not."""

    url: str
    fields: tuple[str, ...]


@dataclass(slots=True)
class Differences:
    """The differences of all pages compared so far."""

    pages: int = 0
    fields: dict[str, FieldDifference] = field(default_factory=dict)
    changed: list[ChangedPage] = field(default_factory=list)

    def compare(self, old: EnhancedPage | None, new: EnhancedPage) -> None:
        """Count what one page's new rows change; a page without old rows gains all its values."""
        self.pages += 1
        before = dict(_values(old)) if old else {}
        names = []
        for name, value in _values(new):
            kind = _kind(before.get(name), value)
            if kind:
                names.append(name)
                self._note(name, kind, new.content.url, before.get(name), value)
        if names:
            self.changed.append(ChangedPage(new.content.url, tuple(names)))

    def _note(self, name: str, kind: Kind, url: str, old: object, new: object) -> None:
        difference = self.fields.setdefault(name, FieldDifference())
        difference.counts[kind] += 1
        if len(difference.examples) < _EXAMPLES:
            difference.examples.append(Example(url, *_excerpts(_shown(old), _shown(new))))


def _values(page: EnhancedPage) -> Iterator[tuple[str, Any]]:
    for name in _CONTENT:
        yield f"content.{name}", getattr(page.content, name)
    for name in _METADATA:
        yield f"metadata.{name}", getattr(page.metadata, name)
    yield "topics", tuple(sorted(topic.topic for topic in page.topics))


def _kind(old: object, new: object) -> Kind | None:
    if (old or None) == (new or None):
        return None
    if not old:
        return "added"
    return "changed" if new else "removed"


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)


def _excerpts(old: str, new: str) -> tuple[str, str]:
    """Both values from shortly before their first difference."""
    pairs = enumerate(zip(old, new, strict=False))
    shared = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(shared - _BEFORE_CHARS, 0)
    return _excerpt(old, start), _excerpt(new, start)


def _excerpt(text: str, start: int) -> str:
    cut = " ".join(text[start : start + _EXCERPT_CHARS].split())
    return f"{'…' if start else ''}{cut}{'…' if len(text) > start + _EXCERPT_CHARS else ''}"
