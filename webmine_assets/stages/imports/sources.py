"""The inputs of an import: each spec by itself, so that one that is missing stops no other."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from webmine_assets.errors import ImportSourceError
from webmine_assets.ingest.inputs import Fetch, Input, expand_inputs
from webmine_assets.institutions import Institution
from webmine_assets.settings import Settings
from webmine_assets.stages.fetching import guarded_fetch


@contextmanager
def fetch_for(
    specs: Sequence[str], institution: Institution, settings: Settings
) -> Iterator[Fetch | None]:
    """The guarded door to the network if a spec needs it; files are read without one."""
    if not any(spec.startswith(("http://", "https://")) for spec in specs):
        yield None
        return
    with guarded_fetch(institution, settings) as fetch:
        yield fetch


def found_inputs(
    specs: Iterable[str],
    fetch: Fetch | None,
    failed: list[tuple[str, str]],
    *,
    endings: tuple[str, ...] = (),
) -> Iterator[Input]:
    """The inputs that specs stand for; a spec that stands for none is added to `failed`."""
    for spec in specs:
        try:
            yield from expand_inputs([spec], fetch=fetch, endings=endings)
        except ImportSourceError as problem:
            failed.append((spec, str(problem)))
