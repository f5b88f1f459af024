"""What assets are given: the corpus (settings, lake, institution files) and a display."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dagster import (
    AssetExecutionContext,
    ConfigurableResource,
    InitResourceContext,
    OpExecutionContext,
)

from webmine_assets.defs.instance.liveness import living
from webmine_assets.institutions import Institution, find_institution, load_institution
from webmine_assets.progress import LineProgress, Progress
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake


class Corpus(ConfigurableResource):  # type: ignore[type-arg]  # generic only for Dagster's own use
    """The settings of this process, the lake and the institution files."""

    @contextmanager
    def yield_for_execution(self, context: InitResourceContext) -> Iterator["Corpus"]:
        """Every step takes the corpus, so a run has it from its first step to its last."""
        if context.run is None:
            yield self
        else:
            with living(self.settings.living_runs, context.run.run_id):
                yield self

    @property
    def settings(self) -> Settings:
        return read_settings()

    @property
    def lake(self) -> Lake:
        return Lake(self.settings.lake)

    def institution(self, key: str) -> Institution:
        """The institution of a partition key; an edited file counts at once."""
        path = find_institution(self.settings.institutions, key)
        return _load(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _load(path: Path, changed_ns: int) -> Institution:
    """Every step of a run asks for the institution, and YAML that keeps comments takes 5 ms."""
    return load_institution(path)


@dataclass(frozen=True, slots=True)
class Display:
    """Where a run shows how far it is: a terminal's progress bars, or else the run's own log."""

    progress: Progress | None = None

    def of(self, context: AssetExecutionContext | OpExecutionContext) -> Progress:
        return self.progress or LineProgress(context.log.info)
