"""Strangers' SQL in processes of its own: whatever a question costs ends with its process.

DuckDB's own limits do not hold within one step of a query: `select range(1000000000)` took 20 GB
and 187 s under a memory limit of 1 GB and an interrupt after 3 s.
"""

import json
import os
import queue
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO, Any

import pyarrow as pa

from webmine_assets.errors import QueryError, QueryMemoryError, StorageError

FRAME = struct.Struct(">cI")
"""A kind and a length: what stands before each message of the two processes."""

READY, REFUSED, EXHAUSTED, WHOLE, CUT = b"r", b"n", b"e", b"w", b"c"

_START_LIMIT_S = 60.0
# The child interrupts a query by itself; one that does not listen is ended this much later.
_GRACE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows of an answer; `is_cut` tells that there were more than asked for."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool
    elapsed_s: float = field(default=0.0, compare=False)


class ConfinedWarehouse:
    """Answers SQL over a lake, in at most `processes` at a time; they start when first needed."""

    def __init__(self, lake: str, *, processes: int = 2) -> None:
        self._seats = [_Seat(lake) for _ in range(processes)]
        # Last in, first out: the seat whose process runs already, so that few are started.
        self._free: queue.LifoQueue[_Seat] = queue.LifoQueue()
        for seat in self._seats:
            self._free.put(seat)

    def ask_freely(self, sql: str, *, timeout_s: float, max_rows: int) -> Answer:
        """The answer to one SELECT, or a QueryError that says what was wrong or too much."""
        with self._seat() as seat:
            return seat.ask(sql, timeout_s=timeout_s, max_rows=max_rows)

    def close(self) -> None:
        """End the processes, also those that are busy."""
        for seat in self._seats:
            seat.end()

    @contextmanager
    def _seat(self) -> Iterator["_Seat"]:
        seat = self._free.get()
        try:
            yield seat
        finally:
            self._free.put(seat)


class _Seat:
    """Holds one process, and another when that one is gone."""

    def __init__(self, lake: str) -> None:
        self._lake = lake
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, sql: str, *, timeout_s: float, max_rows: int) -> Answer:
        process = self._running()
        question = {"sql": sql, "timeout_s": timeout_s, "max_rows": max_rows}
        start = time.monotonic()
        try:
            with _ended_after(process, timeout_s + _GRACE_S):
                send(_pipe(process.stdin), READY, json.dumps(question).encode())
                kind, data = receive(_pipe(process.stdout))
        except (EOFError, OSError):
            self.end()
            raise _cause_of_death(time.monotonic() - start, timeout_s) from None
        if kind == EXHAUSTED:
            self.end()
            raise QueryMemoryError
        if kind == REFUSED:
            raise QueryError(data.decode())
        return _read_answer(data, is_cut=kind == CUT, elapsed_s=time.monotonic() - start)

    def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    _pipe(pipe).close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        process = self._process = _start(self._lake)
        try:
            with _ended_after(process, _START_LIMIT_S):
                kind, data = receive(_pipe(process.stdout))
        except (EOFError, OSError) as problem:
            self.end()
            raise StorageError("the process that answers SQL could not be started") from problem
        if kind == REFUSED:
            self.end()
            raise StorageError(data.decode())
        return process


def _start(lake: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  # our own module, in our own interpreter
        [sys.executable, "-m", "webmine_assets.storage.confined_process", lake],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # The package may be found by a path that only this process has (a checkout, a test).
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        # A Ctrl-C in the terminal is for the studio, which then ends its processes.
        start_new_session=True,
    )


@contextmanager
def _ended_after(process: subprocess.Popen[bytes], limit_s: float) -> Iterator[None]:
    alarm = threading.Timer(limit_s, _end, (process,))
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()
        # A kill that has begun would else meet the next question.
        alarm.join()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _cause_of_death(lived_s: float, timeout_s: float) -> QueryError:
    if lived_s >= timeout_s:
        return QueryError(f"the query took longer than {timeout_s:g} s; ask for less, with where")
    return QueryMemoryError()


def _read_answer(data: bytes, *, is_cut: bool, elapsed_s: float) -> Answer:
    table: pa.Table = pa.ipc.open_stream(data).read_all()
    try:
        rows = tuple(
            zip(*(c.to_pylist(maps_as_pydicts="lossy") for c in table.columns), strict=True)
        )
    except OverflowError:
        # DuckDB's dates reach further than Python's.
        raise QueryError("a date is out of range; cast it to varchar to see it") from None
    columns = tuple(table.schema.names)
    return Answer(columns=columns, rows=rows, is_cut=is_cut, elapsed_s=elapsed_s)


def send(pipe: IO[bytes], kind: bytes, data: bytes = b"") -> None:
    pipe.write(FRAME.pack(kind, len(data)) + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """The next message; EOFError where the other side is gone."""
    kind, length = FRAME.unpack(_exactly(pipe, FRAME.size))
    return kind, _exactly(pipe, length)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 - asked for in _start
    return pipe
