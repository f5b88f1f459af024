"""One Chromium process tree: started, lent to pages, replaced by age, and never left behind."""

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from webmine_assets.crawl.rendering.browser_folder import open_folder, remove_left_folders
from webmine_assets.crawl.rendering.chromium import (
    launch_environment,
    launch_switches,
    needs_no_sandbox,
)
from webmine_assets.crawl.rendering.idle_seats import IdleSeats
from webmine_assets.crawl.rendering.seat import Seat, SeatOptions, open_seat
from webmine_assets.errors import RendererUnavailableError

_LAUNCH_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 5.0
# Pages shown one after another in a seat before it is closed: what they leak goes with it.
_MAX_VISITS = 25


class BrowserProcess:
    """A running browser with its driver; `is_gone` once it crashed or was killed."""

    def __init__(
        self,
        driver: Playwright,
        browser: Browser,
        folder: "tempfile.TemporaryDirectory[str]",
        *,
        pid: int | None,
    ) -> None:
        self._driver = driver
        self._folder = folder
        self.browser = browser
        self.pid = pid
        self.pages_lent = 0
        self.pages_out = 0
        self.is_sick = False
        self._idle = IdleSeats(self._close_seat)

    @property
    def is_gone(self) -> bool:
        return not self.browser.is_connected()

    async def take_seat(self, origin: str, options: SeatOptions, *, max_idle: int) -> Seat:
        """A seat for this origin: one it used before, or a new one in place of the oldest idle."""
        if seat := await self._idle.take(origin):
            return seat
        if len(self._idle) >= max_idle and (oldest := self._idle.take_oldest()):
            await self._close_seat(oldest)
        return await open_seat(self.browser, options)

    async def return_seat(self, origin: str, seat: Seat, *, is_clean: bool) -> None:
        seat.end()
        if is_clean and seat.visits < _MAX_VISITS and not seat.died.done():
            self._idle.put(origin, seat)
        else:
            await self._close_seat(seat)

    async def _close_seat(self, seat: Seat) -> None:
        if not await seat.close():
            self.is_sick = True

    async def close(self) -> None:
        """End the browser, politely first; returns when its processes are told to go."""
        await self._idle.close()
        for step in (self.browser.close(), self._driver.stop()):
            with contextlib.suppress(PlaywrightError, TimeoutError, OSError):
                await asyncio.wait_for(step, _CLOSE_TIMEOUT_S)
        self._kill()
        await asyncio.to_thread(self._folder.cleanup)

    def _kill(self) -> None:
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)


async def start_browser(executable: str) -> BrowserProcess:
    """Start a headless browser that has no network of its own."""
    await asyncio.to_thread(remove_left_folders)
    driver = await async_playwright().start()
    folder = open_folder()
    try:
        browser = await driver.chromium.launch(
            executable_path=executable,
            args=launch_switches(),
            env=launch_environment(folder.name),
            chromium_sandbox=not needs_no_sandbox(),
            timeout=_LAUNCH_TIMEOUT_S * 1000,
        )
    except PlaywrightError as problem:
        await driver.stop()
        folder.cleanup()
        raise RendererUnavailableError(_first_line(problem, executable)) from problem
    return BrowserProcess(driver, browser, folder, pid=await _pid(browser))


def _first_line(problem: PlaywrightError, executable: str) -> str:
    return f"{executable} does not start: {str(problem).strip().splitlines()[0]}"


async def _pid(browser: Browser) -> int | None:
    """The browser's process id, which Playwright does not tell and the protocol does."""
    try:
        session = await browser.new_browser_cdp_session()
        answer = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
    except PlaywrightError:
        return None
    ids = [int(p["id"]) for p in answer["processInfo"] if p["type"] == "browser"]
    return ids[0] if ids else None


class BrowserSupply:
    """Lends the current browser to pages; a new one follows after `recycle_after` pages.

    An old browser is closed when its last page is back.
    """

    def __init__(self, executable: str, *, recycle_after: int) -> None:
        self._executable = executable
        self._recycle_after = recycle_after
        self._current: BrowserProcess | None = None
        self._starting = asyncio.Lock()
        self._all: set[BrowserProcess] = set()
        self._has_started = False
        self._never_started: RendererUnavailableError | None = None

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._all if process.pid is not None]

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[BrowserProcess]:
        """A browser shared with other pages."""
        process = await self._usable()
        process.pages_lent += 1
        process.pages_out += 1
        try:
            yield process
        finally:
            process.pages_out -= 1
            if process is not self._current or not self._is_usable(process):
                await self._close_if_idle(process)

    @asynccontextmanager
    async def lend_alone(self) -> AsyncIterator[BrowserProcess]:
        """A browser for one page that may have ended the last one."""
        process = await self._start()
        try:
            yield process
        finally:
            await self._close(process)

    async def close(self) -> None:
        self._current = None
        await asyncio.gather(*(self._close(process) for process in list(self._all)))

    def _is_usable(self, process: BrowserProcess) -> bool:
        is_fresh = process.pages_lent < self._recycle_after
        return is_fresh and not process.is_gone and not process.is_sick

    async def _usable(self) -> BrowserProcess:
        async with self._starting:
            old = self._current
            if old is None or not self._is_usable(old):
                self._current = await self._start()
                if old is not None:
                    await self._close_if_idle(old)
            assert self._current is not None  # noqa: S101  # just set; mypy cannot see it
            return self._current

    async def _start(self) -> BrowserProcess:
        if self._never_started is not None:
            raise self._never_started
        try:
            process = await start_browser(self._executable)
        except RendererUnavailableError as problem:
            # A browser that never ran will not run for the next page, and may take half a minute to
            # fail; one that did run may only lack memory now.
            self._never_started = None if self._has_started else problem
            raise
        self._has_started = True
        self._all.add(process)
        return process

    async def _close_if_idle(self, process: BrowserProcess) -> None:
        if process.pages_out == 0:
            await self._close(process)

    async def _close(self, process: BrowserProcess) -> None:
        if process in self._all:
            self._all.discard(process)
            await process.close()
