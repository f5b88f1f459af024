"""Reading pages beside the event loop: a few child processes fed over pipes, each replaceable.

A page that hangs or kills its process costs that process only, and ends as an unreadable page.
"""

# Not concurrent.futures: a page that never ends cannot be stopped there, one that crashes breaks
# the pool for all, and its queue threads contend with the event loop. Not multiprocessing: it
# imports the caller's __main__ again.

import asyncio
import contextlib
import logging
import os
import pickle
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from webmine_assets.crawl.pages.page import PageInput, ParsedPage, read_page, unreadable

_log = logging.getLogger(__name__)

FRAME = struct.Struct(">I")
READY = b"r"
_START_LIMIT_S = 60.0
_PIPELINE = 3
"""Pages sent ahead to one process, so that it never waits for the event loop."""


LoadPage = Callable[[], PageInput]


class Parser(Protocol):
    async def parse(self, load: LoadPage) -> ParsedPage:
        """Read the page that `load` gives; it is called when there is room for the body."""
        ...


class InlineParser:
    """Reads pages in this process: for tests and tiny crawls."""

    async def parse(self, load: LoadPage) -> ParsedPage:
        return read_page(load())


@dataclass(slots=True)
class _Job:
    page: PageInput
    result: asyncio.Future[ParsedPage]
    attempts: int = 0


@dataclass(slots=True)
class _Worker:
    process: asyncio.subprocess.Process
    jobs: deque[_Job] = field(default_factory=deque)
    reader: asyncio.Task[None] | None = None
    is_ready: bool = False
    head_since: float = 0.0
    timed_out: bool = False
    nonsense: str = ""
    """What was wrong with a result that could not be read."""


class ParserPool:
    """Use as `async with`; `parse` never raises for what a page does.

    One process starts at once, the others when pages queue up: a start takes 0.4 s of CPU, and the
    pages of a small site are read in less.
    """

    def __init__(self, workers: int, *, timeout_s: float = 30.0) -> None:
        self._size = workers
        self._timeout_s = timeout_s
        self._workers: list[_Worker] = []
        self._room = asyncio.Semaphore(workers * _PIPELINE)
        # Held while a process starts in the place of another, so no page goes to one that is gone.
        self._staffing = asyncio.Lock()
        self._why_none = ""
        self._is_closing = False
        self._watchdog: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._workers.append(await self._start())
        self._watchdog = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_closing = True
        await _cancel(self._watchdog)
        # A process that is just being started is stopped with the others.
        async with self._staffing:
            for worker in self._workers:
                await self._stop(worker)

    async def parse(self, load: LoadPage) -> ParsedPage:
        async with self._room:
            async with self._staffing:
                await self._start_another_if_busy()
                job = _Job(load(), asyncio.get_running_loop().create_future())
                self._send(job)
            return await job.result

    async def _start_another_if_busy(self) -> None:
        is_busy = all(len(worker.jobs) >= _PIPELINE for worker in self._workers)
        if is_busy and len(self._workers) < self._size:
            await self._try_to_start()

    async def _try_to_start(self) -> None:
        """One more process, if the machine has one to give: else those there are read on."""
        try:
            self._workers.append(await self._start())
        except OSError as problem:
            self._why_none = f"no process to read it can be started: {problem}"
            _log.warning("a process to read pages cannot be started: %s", problem)

    def _send(self, job: _Job) -> None:
        if not self._workers:
            _finish(job, unreadable("parser_crashed", self._why_none))
            return
        data = pickle.dumps(job.page, protocol=pickle.HIGHEST_PROTOCOL)
        worker = min(self._workers, key=lambda candidate: len(candidate.jobs))
        job.attempts += 1
        if not worker.jobs:
            worker.head_since = time.monotonic()
        worker.jobs.append(job)
        assert worker.process.stdin is not None  # noqa: S101 - asked for in _start
        worker.process.stdin.write(FRAME.pack(len(data)))
        worker.process.stdin.write(data)

    async def _start(self) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "webmine_assets.crawl.pages.parser_process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            # A Ctrl-C in the terminal is for the crawl to handle, not for its readers.
            start_new_session=True,
        )
        worker = _Worker(process)
        worker.reader = asyncio.create_task(self._read_results(worker))
        return worker

    async def _read_results(self, worker: _Worker) -> None:
        try:
            await self._pass_results_on(worker)
        except asyncio.IncompleteReadError:
            pass
        except Exception as problem:  # noqa: BLE001 - its pages would wait for ever
            worker.nonsense = f"the result of reading it cannot be read: {problem!r}"
        if not self._is_closing:
            await self._replace(worker)

    async def _pass_results_on(self, worker: _Worker) -> None:
        """Until the process ends, or writes what is no result."""
        stdout = worker.process.stdout
        assert stdout is not None  # noqa: S101 - asked for in _start
        await stdout.readexactly(len(READY))
        worker.is_ready, worker.head_since = True, time.monotonic()
        while True:
            head = await stdout.readexactly(FRAME.size)
            data = await stdout.readexactly(FRAME.unpack(head)[0])
            result: ParsedPage = pickle.loads(data)  # noqa: S301 - from our own child
            worker.head_since = time.monotonic()
            _finish(worker.jobs.popleft(), result)

    async def _watch(self) -> None:
        """End a process whose page has had its time: the reader then sees the pipe close."""
        while True:
            await asyncio.sleep(min(1.0, self._timeout_s / 4))
            for worker in self._workers:
                limit_s = self._timeout_s if worker.is_ready else _START_LIMIT_S
                if worker.jobs and time.monotonic() - worker.head_since > limit_s:
                    worker.timed_out = True
                    with contextlib.suppress(ProcessLookupError):
                        worker.process.kill()

    async def _replace(self, worker: _Worker) -> None:
        """The page at the head is the culprit; those behind it are read again elsewhere."""
        async with self._staffing:
            await self._kill(worker)
            self._workers.remove(worker)
            jobs = worker.jobs
            if jobs and (worker.timed_out or jobs[0].attempts > 1):
                _finish(jobs.popleft(), self._given_up(worker))
            # Without pages, the next one starts it: a reader that cannot even begin would be
            # started again and again.
            if jobs:
                await self._try_to_start()
            for job in jobs:
                self._send(job)

    def _given_up(self, worker: _Worker) -> ParsedPage:
        if worker.timed_out:
            return unreadable("parser_timeout", f"limit {self._timeout_s:g} s")
        detail = worker.nonsense or "the process that read the page ended twice"
        return unreadable("parser_crashed", detail)

    async def _stop(self, worker: _Worker) -> None:
        await _cancel(worker.reader)
        await self._kill(worker)

    async def _kill(self, worker: _Worker) -> None:
        with contextlib.suppress(ProcessLookupError):
            worker.process.kill()
        await worker.process.wait()
        if worker.process.stdin:
            worker.process.stdin.close()


def _finish(job: _Job, result: ParsedPage) -> None:
    if not job.result.done():
        job.result.set_result(result)


async def _cancel(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
