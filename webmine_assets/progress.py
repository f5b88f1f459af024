"""How long work tells where it is: one small seam, shown as bars, plain lines or log lines."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Task(Protocol):
    """One piece of work under way."""

    def update(self, done: int, total: int | None = None, note: str = "") -> None: ...


class Progress(Protocol):
    """Where work is shown. `task` opens one piece of it; `say` is for a line of its own."""

    def task(self, label: str, total: int | None = None) -> AbstractContextManager[Task]: ...

    def say(self, message: str) -> None: ...


class _SilentTask:
    def update(self, done: int, total: int | None = None, note: str = "") -> None:
        return


class SilentProgress:
    """Shows nothing."""

    @contextmanager
    def task(self, label: str, total: int | None = None) -> Iterator[Task]:
        yield _SilentTask()

    def say(self, message: str) -> None:
        return


class _LineTask:
    def __init__(self, label: str, total: int | None, progress: "LineProgress") -> None:
        self._label, self._total, self._progress = label, total, progress
        self._last_s = progress.now()
        self._shown = ""
        self._latest = ""

    def update(self, done: int, total: int | None = None, note: str = "") -> None:
        whole = total if total is not None else self._total
        of = f" of {whole}" if whole is not None else ""
        self._latest = f"{self._label}: {done}{of}{'  ' + note if note else ''}"
        if self._progress.now() - self._last_s >= self._progress.every_s:
            self.show()

    def show(self) -> None:
        if self._latest != self._shown:
            self._progress.say(self._latest)
            self._shown = self._latest
        self._last_s = self._progress.now()


class LineProgress:
    """Plain lines into a log or a pipe: one every few seconds, and the last."""

    def __init__(
        self,
        write: Callable[[str], None],
        *,
        every_s: float = 5.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self.every_s = every_s
        self.now = now

    @contextmanager
    def task(self, label: str, total: int | None = None) -> Iterator[Task]:
        task = _LineTask(label, total, self)
        try:
            yield task
        finally:
            task.show()

    def say(self, message: str) -> None:
        self._write(message)
