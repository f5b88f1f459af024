"""What assets are given: the corpus (settings, lake, institution files) and a display."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dagster import (
    AssetExecutionContext,
    ConfigurableResource,
    InitResourceContext,
    OpExecutionContext,
    ResourceDefinition,
    resource,
)

from webmine_assets.defs.instance.liveness import living
from webmine_assets.institutions import Institution, find_institution, load_institution
from webmine_assets.progress import LineProgress, Progress
from webmine_assets.settings import Settings, read_settings
from webmine_assets.storage.lake import Lake


class Corpus(ConfigurableResource):  # type: ignore[type-arg]  # generic only for Dagster's own use
    """The settings of this process, the lake and the institution files."""

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


def living_display(display: Display) -> ResourceDefinition:
    """The display as a run takes it: from its first step to its last, so the run lives with it."""

    @resource(description="Where a run shows how far it is, and that it lives.")
    def of_run(context: InitResourceContext) -> Iterator[Display]:
        if context.run is None:
            yield display
        else:
            with living(read_settings().living_runs, context.run.run_id):
                yield display

    return of_run
