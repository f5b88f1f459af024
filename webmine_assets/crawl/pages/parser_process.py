"""The child process of `parsers`: pages in on stdin, results out on stdout, until stdin ends."""

import contextlib
import ctypes
import os
import pickle
import signal
import sys

from webmine_assets.crawl.pages.page import PageInput, read_page
from webmine_assets.crawl.pages.parsers import FRAME, READY

_FIRST_PAGE = b"<p>These are a few words in which a language can be recognised.</p>"

_LARGE_BYTES = 500_000
# Above the time that a crawl gives a page: one that was killed cannot end this process, and what
# hangs here lets no other code of it run.
_LIMIT_S = 120


def main() -> None:
    inbox = sys.stdin.buffer
    # Only results may reach the pipe: what a library prints goes to stderr.
    outbox = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # The language model loads at its first use: that is no page's time.
    read_page(PageInput(url="https://example.org/", body=_FIRST_PAGE, headers={}))
    outbox.write(READY)
    outbox.flush()
    while len(head := inbox.read(FRAME.size)) == FRAME.size:
        page = pickle.loads(inbox.read(FRAME.unpack(head)[0]))  # noqa: S301 - from our own parent
        signal.alarm(_LIMIT_S)
        result = read_page(page)
        signal.alarm(0)
        data = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
        outbox.write(FRAME.pack(len(data)) + data)
        outbox.flush()
        if len(page.body) > _LARGE_BYTES:
            del page, result, data
            _return_memory()


def _return_memory() -> None:
    """Give the pages of a large tree back: glibc keeps them, and the next one adds to them."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    main()
