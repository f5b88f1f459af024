"""Processes beside the main one: an ordered map with a bounded window.

Results come in the order of the input, and at most `window` items are in memory at a time.
"""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

# Starting two workers costs about a second of imports: fewer items than this are done right here.
_WORTH_STARTING = 40


def ordered_map(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    processes: int | None = None,
    window: int = 32,
) -> Iterator[Out]:
    """`map(work, items)` in worker processes; `work` must be importable and must not raise."""
    source = iter(items)
    first = list(islice(source, _WORTH_STARTING))
    count = processes if processes is not None else os.cpu_count() or 1
    if len(first) < _WORTH_STARTING or count < 2:
        yield from map(work, chain(first, source))
        return
    # Never fork a process that runs threads (Dagster, Arrow): a forked lock stays locked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=end_with_parent) as pool:
        waiting: deque[Future[Out]] = deque()
        for item in chain(first, source):
            waiting.append(pool.submit(work, item))
            if len(waiting) >= window:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def end_with_parent() -> None:
    """Watch the parent: workers hold both ends of their queue, so its death would not end them."""
    threading.Thread(target=_exit_after_parent, daemon=True).start()


def _exit_after_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
