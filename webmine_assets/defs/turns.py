"""Taking turns: what a run does while another process writes the same institution's pages."""

from collections.abc import Iterator
from contextlib import contextmanager

from dagster import RetryRequested

from webmine_assets.errors import InstitutionBusyError

_WAIT_S = 20
_TRIES = 180
"""An hour of waiting: longer crawls have a time budget, and a person may start the run again."""


@contextmanager
def waiting_for_others(*, has_watcher: bool) -> Iterator[None]:
    """Try the step again later if the institution is busy; a person at a terminal is told at once.

    The queue keeps two crawls of one institution apart, but does not see a `webmine run`.
    """
    try:
        yield
    except InstitutionBusyError as problem:
        if has_watcher:
            raise
        raise RetryRequested(max_retries=_TRIES, seconds_to_wait=_WAIT_S) from problem
