"""Processes beside the main one: an ordered map that no single item can stop.

Results come in the order of the input, and at most `window` items are in memory at a time. An item
that hangs, or ends its process, costs that process and its own result.
"""

# Not concurrent.futures: an item that never ends cannot be stopped there, and one that ends its
# process breaks the pool for all. Nor pebble, whose processes share one pipe: two of them killed
# from outside ended the pool in our trial, and a lock held by the dead one would hold up the rest.

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from typing import Generic, Self, TypeVar

from webmine_assets.errors import ServiceError

In = TypeVar("In")
Out = TypeVar("Out")

# Starting two workers costs about a second of imports: fewer items than this are done right here.
_WORTH_STARTING = 40
# Items that a process has beside the one it works on, so that it never waits for this one.
_AHEAD = 2
_START_LIMIT_S = 120.0
# How much longer than an item may take a process lives that nobody is left to end.
_ORPHAN_S = 10.0


def ordered_map(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    give_up: Callable[[In, str], Out],
    limit_s: float = 120.0,
    processes: int | None = None,
    window: int = 32,
) -> Iterator[Out]:
    """`map(work, items)` in worker processes; `work` must be importable and must not raise.

    `give_up(item, reason)` is the result of an item that took longer than `limit_s` or ended its
    process twice. A few items are done in this process, which nothing protects.
    """
    source = iter(items)
    first = list(islice(source, _WORTH_STARTING))
    count = processes if processes is not None else os.cpu_count() or 1
    if len(first) < _WORTH_STARTING or count < 2:
        yield from map(work, chain(first, source))
        return
    with _Crew(work, give_up, size=count, limit_s=limit_s) as crew:
        for item in chain(first, source):
            crew.add(item)
            if crew.waiting >= window:
                yield crew.next_result()
        while crew.waiting:
            yield crew.next_result()


@dataclass(slots=True, eq=False)
class _Task(Generic[In, Out]):
    item: In
    deaths: int = 0
    result: tuple[Out] | None = None


class _Hand(Generic[In, Out]):
    """A process and the tasks it was given; it works on the first of them."""

    def __init__(self, work: Callable[[In], Out], limit_s: float) -> None:
        # Never fork a process that runs threads (Dagster, Arrow): a forked lock stays locked.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work, limit_s), daemon=True)
        self.process.start()
        theirs.close()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        # A process that lets nobody else run, as a regular expression does, does not read either:
        # sending it a large item here would wait for ever.
        self._sender = threading.Thread(
            target=_send_all, args=(self.connection, self._outbox), daemon=True
        )
        self._sender.start()
        self.tasks: deque[_Task[In, Out]] = deque()
        self.is_ready = False
        self.since = time.monotonic()

    @property
    def is_under_way(self) -> bool:
        return bool(self.tasks) or not self.is_ready

    def left_s(self, limit_s: float) -> float:
        """What is left of the time that its first task, or its start, may take."""
        return self.since + (limit_s if self.is_ready else _START_LIMIT_S) - time.monotonic()

    def give(self, task: _Task[In, Out]) -> None:
        if not self.tasks:
            self.since = time.monotonic()
        self.tasks.append(task)
        self._outbox.put(pickle.dumps(task.item, pickle.HIGHEST_PROTOCOL))

    def take(self) -> None:
        """The news that it can begin, or the result of its first task."""
        result: Out = self.connection.recv()
        if self.is_ready:
            self.tasks.popleft().result = (result,)
        self.is_ready = True
        self.since = time.monotonic()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self._outbox.put(None)
        self._sender.join()
        self.connection.close()


class _Crew(Generic[In, Out]):
    """The processes, the tasks in the order of their items, and those that nobody has yet."""

    def __init__(
        self,
        work: Callable[[In], Out],
        give_up: Callable[[In, str], Out],
        *,
        size: int,
        limit_s: float,
    ) -> None:
        self._work = work
        self._give_up = give_up
        self._limit_s = limit_s
        self._tasks: deque[_Task[In, Out]] = deque()
        self._unassigned: deque[_Task[In, Out]] = deque()
        self._hands = [_Hand(work, limit_s) for _ in range(size)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for hand in self._hands:
            hand.end()

    @property
    def waiting(self) -> int:
        return len(self._tasks)

    def add(self, item: In) -> None:
        task: _Task[In, Out] = _Task(item)
        self._tasks.append(task)
        self._unassigned.append(task)
        self._assign()

    def next_result(self) -> Out:
        first = self._tasks[0]
        while first.result is None:
            self._assign()
            self._wait()
        self._tasks.popleft()
        return first.result[0]

    def _assign(self) -> None:
        while self._unassigned:
            idlest = min(self._hands, key=lambda hand: len(hand.tasks))
            if len(idlest.tasks) > _AHEAD:
                return
            idlest.give(self._unassigned.popleft())

    def _wait(self) -> None:
        """For the next result, or the end of a process or of its time."""
        left_s = min(hand.left_s(self._limit_s) for hand in self._hands if hand.is_under_way)
        ready = wait([hand.connection for hand in self._hands], max(left_s, 0.0))
        for hand in list(self._hands):
            if hand.connection in ready:
                self._take(hand)
            elif hand.is_under_way and hand.left_s(self._limit_s) <= 0:
                self._replace(hand, is_late=True)

    def _take(self, hand: _Hand[In, Out]) -> None:
        try:
            hand.take()
        except (EOFError, OSError):
            self._replace(hand)

    def _replace(self, hand: _Hand[In, Out], *, is_late: bool = False) -> None:
        """Its first task is the culprit; those behind it are done by others."""
        hand.end()
        self._hands.remove(hand)
        if not hand.is_ready:
            ended = f"ended before it could begin (code {hand.process.exitcode})"
            reason = f"did not begin within {_START_LIMIT_S:g} s" if is_late else ended
            raise ServiceError(f"a worker process {reason}: is there enough memory?")
        if hand.tasks:
            hand.tasks[0].deaths += 1
        if hand.tasks and (is_late or hand.tasks[0].deaths > 1):
            culprit = hand.tasks.popleft()
            ended = f"ended its process twice (code {hand.process.exitcode})"
            reason = f"took longer than {self._limit_s:g} s" if is_late else ended
            culprit.result = (self._give_up(culprit.item, reason),)
        self._unassigned.extendleft(reversed(hand.tasks))
        self._hands.append(_Hand(self._work, self._limit_s))


def _send_all(connection: Connection, outbox: "queue.SimpleQueue[bytes | None]") -> None:
    """Send what is put there until a None, or until the process has ended, which others notice."""
    with contextlib.suppress(OSError):
        while (item := outbox.get()) is not None:
            connection.send_bytes(item)


def _serve(connection: Connection, work: Callable[[In], Out], limit_s: float) -> None:
    """The life of a worker process."""
    # A Ctrl-C in the terminal is for the main process to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, inbox), daemon=True).start()
    connection.send("ready")
    while True:
        packed = inbox.get()
        # The system ends us then, whatever we do: a regular expression lets no thread of ours
        # notice that the main process is gone.
        signal.setitimer(signal.ITIMER_REAL, limit_s + _ORPHAN_S)
        # Here and not where it is received: one that cannot be read ends the process in its turn.
        result = work(pickle.loads(packed))  # noqa: S301  # from our own main process
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.send(result)


def _receive(connection: Connection, inbox: "queue.SimpleQueue[bytes]") -> None:
    """Read whatever is sent, so that the main process never waits; end when it has ended."""
    try:
        while True:
            inbox.put(connection.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)
