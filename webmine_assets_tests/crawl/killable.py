"""What `webmine crawl` does, as a process that a test can kill at any moment.

Started from a server that has everything imported, so that dozens of starts cost little.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
from collections.abc import Awaitable
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

from webmine_assets.crawl.miner import WebMiner
from webmine_assets.institutions import Institution
from webmine_assets.progress import SilentProgress
from webmine_assets.reading.language import detect
from webmine_assets.settings import read_settings
from webmine_assets.stages.folder_crawl import crawl_into

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])
# The language model loads at its first use: once in the server, not in every process.
detect("A few words in which a language can be recognised.")
_FILE_EVENTS = frozenset({"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"})


def crawl_folder(config: str, folder: Path, dies_before: int | None = None) -> None:
    """Crawl into `folder`; with `dies_before` die at that file operation in it, not having done it.

    Nothing is cleaned up then, as with `kill -9`.
    """
    if dies_before is not None:
        _die_before(dies_before, str(folder))
    crawl_into(
        folder,
        Institution.model_validate_json(config),
        miner=WebMiner(journals=folder, workers=0),
        settings=read_settings({}),
        progress=SilentProgress(),
    )


def _die_before(number: int, folder: str) -> None:
    left = number

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event in _FILE_EVENTS and str(arguments[0]).startswith(folder):
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def start(config: str, folder: Path, *, dies_before: int | None = None) -> ForkServerProcess:
    folder.mkdir(exist_ok=True)
    process = _CONTEXT.Process(target=crawl_folder, args=(config, folder, dies_before))
    process.start()
    return process


def ended(process: ForkServerProcess) -> Awaitable[int | None]:
    """The exit code, once there is one; negative for a signal."""

    def wait() -> int | None:
        process.join()
        return process.exitcode

    return asyncio.to_thread(wait)
