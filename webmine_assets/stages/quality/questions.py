"""The numbers that checks need, asked of the lake about one institution."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webmine_assets.institutions import Institution
from webmine_assets.settings import Settings
from webmine_assets.storage import warehouse
from webmine_assets.storage.lake import Lake

Earlier = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Answers SQL about one institution, whose id is the only parameter.

    `earlier` holds values of earlier runs, newest first, that the lake does not keep.
    """

    ask: warehouse.Ask
    institution: Institution
    archives: Path
    earlier: Earlier = field(default_factory=dict)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.ask(sql, [self.institution.institution_id])

    def one(self, sql: str) -> dict[str, Any]:
        return self.rows(sql)[0]


@contextmanager
def questions_about(
    institution: Institution, *, lake: Lake, settings: Settings, earlier: Earlier
) -> Iterator[Questions]:
    """Several questions over one connection."""
    with warehouse.asking_about(lake, institution.institution_id) as ask:
        yield Questions(
            ask=ask, institution=institution, archives=settings.archives, earlier=earlier
        )
