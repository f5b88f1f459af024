"""The child process of `confined`: questions in on stdin, answers out on stdout, until it ends."""

import contextlib
import json
import os
import sys
from pathlib import Path

import pyarrow as pa

from webmine_assets.errors import QueryMemoryError, StorageError
from webmine_assets.storage.confined import (
    CUT,
    EXHAUSTED,
    READY,
    REFUSED,
    WHOLE,
    receive,
    send,
)
from webmine_assets.storage.guarded import Excerpt, GuardedWarehouse, open_guarded
from webmine_assets.storage.lake import Lake

# DuckDB keeps 1 GB for itself (`open_guarded`); the rest is for what it allocates outside of that
# and for the answer. What is already mapped (libraries, stacks of threads) differs by machine.
_ROOM_BYTES = 2_000_000_000


def main() -> None:
    inbox = sys.stdin.buffer
    # Only answers may reach the pipe: what a library prints goes to stderr.
    outbox = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.ExitStack() as stack:
        try:
            warehouse = stack.enter_context(open_guarded(Lake(sys.argv[1])))
        except StorageError as problem:
            send(outbox, REFUSED, str(problem).encode())
            return
        # Threads and arenas are mapped by the first question, and are no question's fault.
        with contextlib.suppress(StorageError):
            warehouse.ask_freely("select count(*) from url_ledger", timeout_s=30, max_rows=1)
        limit_memory(_ROOM_BYTES)
        send(outbox, READY)
        kind = READY
        with contextlib.suppress(EOFError):
            # After memory ran out what is left of it is in pieces: the next question gets a new
            # process.
            while kind != EXHAUSTED:
                kind, data = answer(warehouse, receive(inbox)[1])
                send(outbox, kind, data)


def answer(warehouse: GuardedWarehouse, question: bytes) -> tuple[bytes, bytes]:
    try:
        excerpt = warehouse.ask_freely(**json.loads(question))
        return (CUT if excerpt.is_cut else WHOLE), _packed(excerpt)
    except (QueryMemoryError, MemoryError):
        return EXHAUSTED, b""
    except StorageError as problem:
        return REFUSED, str(problem).encode()


def _packed(excerpt: Excerpt) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, excerpt.table.schema) as stream:
        stream.write_table(excerpt.table)
    return bytes(sink.getvalue())


def limit_memory(room_bytes: int) -> None:
    """Let the address space grow by no more than this; where the system cannot, time must do."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * os.sysconf("SC_PAGESIZE") + room_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
