"""The text of a PDF, read in a worker process that is killed when it takes too long or dies.

A file that is encrypted, broken, too slow or too heavy gives a refusal with its reason.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import IO, Literal

_SNIFFED_BYTES = 1024

RefusalReason = Literal["encrypted", "broken", "timeout", "crashed"]


def is_pdf(body: bytes) -> bool:
    """Told from the first bytes: servers give PDFs any type."""
    return body[:_SNIFFED_BYTES].lstrip().startswith(b"%PDF-")


@dataclass(frozen=True, slots=True)
class PdfText:
    """What a PDF says: its pages' text, and its properties (Title, Author, CreationDate …)."""

    text: str
    page_count: int
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str | None:
        return self.properties.get("Title")


@dataclass(frozen=True, slots=True)
class PdfRefusal:
    """Why a PDF gave no text."""

    reason: RefusalReason
    detail: str = ""


class PdfReader:
    """One worker process, started at the first file and again after it had to be killed.

    Safe to share between threads; files are read one at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def read(self, body: bytes, *, timeout_s: float) -> PdfText | PdfRefusal:
        """The text of one file, or why there is none, at the latest soon after `timeout_s`."""
        with self._lock:
            process = self._running()
            expired = threading.Event()
            alarm = threading.Timer(timeout_s, _kill, (process, expired))
            alarm.start()
            try:
                answer = _ask(process, body)
            finally:
                alarm.cancel()
                # A kill that has begun would else meet the next file.
                alarm.join()
            if answer is None or expired.is_set():
                self._stop()
            if answer is not None:
                return answer
            if expired.is_set():
                return PdfRefusal("timeout", f"more than {timeout_s:g} s")
            return PdfRefusal("crashed", f"the reading process ended with {process.returncode}")

    def close(self) -> None:
        """End the worker process."""
        with self._lock:
            self._stop()

    def __enter__(self) -> "PdfReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> subprocess.Popen[bytes]:
        # After a fork the process belongs to the parent; two askers on one pipe would mix answers.
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            self._stop()
            self._process = _start()
            self._owner = os.getpid()
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                _close(stream)


_shared = PdfReader()
atexit.register(_shared.close)


def read_pdf(body: bytes, *, timeout_s: float) -> PdfText | PdfRefusal:
    """The text of a PDF, read by the one worker that this process keeps."""
    return _shared.read(body, timeout_s=timeout_s)


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "webmine_assets.reading.pdf_worker"]
    process = subprocess.Popen(  # noqa: S603  # our own module, by our own interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    # The worker says when it is ready, so that its start is not part of a file's time.
    assert process.stdout is not None  # noqa: S101  # PIPE was asked for
    process.stdout.readline()
    return process


def _ask(process: subprocess.Popen[bytes], body: bytes) -> PdfText | PdfRefusal | None:
    """The worker's answer; None if it ended before it gave one."""
    assert process.stdin is not None  # noqa: S101  # PIPE was asked for
    assert process.stdout is not None  # noqa: S101  # PIPE was asked for
    try:
        process.stdin.write(len(body).to_bytes(8, "big") + body)
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or "null")
    except (OSError, ValueError):
        return None
    if answer is None:
        return None
    if "reason" in answer:
        return PdfRefusal(answer["reason"], answer["detail"])
    return PdfText(answer["text"], answer["page_count"], answer["properties"])


def _kill(process: subprocess.Popen[bytes], expired: threading.Event) -> None:
    expired.set()
    process.kill()


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:
        # Bytes that a killed worker never took cannot be flushed, and need not be.
        return
