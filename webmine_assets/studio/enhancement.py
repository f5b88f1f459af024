"""Re-enhancement in the background: one at a time, with a state that a page can show."""

import itertools
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

from webmine_assets.progress import Progress, Task

Enhance = Callable[[str, Progress], str | None]
"""Enhances the stored pages of an institution; what went wrong, or None."""

_KEPT_TASKS = 50
"""Tasks that ended; those that wait or run are all kept."""


class TaskState(StrEnum):
    """Where a task is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnhanceTask:
    """One re-enhancement of one institution."""

    number: int
    institution: str
    state: TaskState
    queued_at: datetime
    note: str = ""
    finished_at: datetime | None = None


class Enhancer:
    """Runs enhancements one after another in a thread of its own."""

    def __init__(
        self, enhance: Enhance, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._enhance = enhance
        self._now = now
        self._tasks: dict[int, EnhanceTask] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="enhance")

    def start(self, institution: str) -> EnhanceTask:
        """Queue an enhancement; one that waits already will see what is new and is enough."""
        with self._lock:
            for task in self._tasks.values():
                if task.institution == institution and task.state is TaskState.QUEUED:
                    return task
            task = EnhanceTask(
                number=next(self._numbers),
                institution=institution,
                state=TaskState.QUEUED,
                queued_at=self._now(),
            )
            self._tasks[task.number] = task
            self._forget()
        self._thread.submit(self._run, task.number)
        return task

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While no enhancement runs: two that rewrite one partition would lose rows."""
        with self._turn:
            yield

    def tasks(self) -> list[EnhanceTask]:
        """The last tasks, newest first."""
        with self._lock:
            return sorted(self._tasks.values(), key=lambda task: -task.number)

    def close(self) -> None:
        """Drop what waits, and let what runs finish: half an enhancement is published by nobody."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _run(self, number: int) -> None:
        self._change(number, state=TaskState.RUNNING)
        try:
            with self._turn:
                problem = self._enhance(self._tasks[number].institution, _Notes(self, number))
        except Exception:  # noqa: BLE001  # whatever happened, the page must show that it failed
            problem = traceback.format_exc(limit=4)
        self._change(
            number,
            state=TaskState.FAILED if problem else TaskState.DONE,
            note=problem or "",
            finished_at=self._now(),
        )

    def note(self, number: int, note: str) -> None:
        self._change(number, note=note)

    def _change(self, number: int, **changes: object) -> None:
        with self._lock:
            if number in self._tasks:
                self._tasks[number] = replace(self._tasks[number], **changes)  # type: ignore[arg-type]  # fields are named by the callers above

    def _forget(self) -> None:
        # Only what ended: a task that waits has to be found when its turn comes.
        ended = sorted(number for number, task in self._tasks.items() if task.finished_at)
        for number in ended[:-_KEPT_TASKS]:
            del self._tasks[number]


class _Notes:
    """Progress as the note of a task."""

    def __init__(self, enhancer: Enhancer, number: int) -> None:
        self._enhancer = enhancer
        self._number = number

    @contextmanager
    def task(self, label: str, total: int | None = None) -> Iterator[Task]:
        yield _Note(self, label)

    def say(self, message: str) -> None:
        self._enhancer.note(self._number, message[:300])


class _Note:
    def __init__(self, notes: _Notes, label: str) -> None:
        self._notes = notes
        self._label = label

    def update(self, done: int, total: int | None = None, note: str = "") -> None:
        of = f" of {total}" if total else ""
        self._notes.say(f"{self._label}: {done}{of}")
