import asyncio
import os
import signal
import sys
from functools import partial
from pathlib import Path

import pytest

from webmine_assets.crawl.pages.page import PageInput, unreadable
from webmine_assets.crawl.pages.parsers import InlineParser, ParserPool
from webmine_assets_tests.crawl.site import html

# Each test starts reading processes.
pytestmark = pytest.mark.slow


def _page(topic: str, size: int = 0) -> PageInput:
    body = html(topic, links=[f"/{n}" for n in range(size)])
    return PageInput(url="https://u1.edu/", body=body, headers={"content-type": "text/html"})


def _children() -> list[int]:
    text = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    return [int(pid) for pid in text.split()]


async def test_pool_reads_pages_as_the_reader_in_this_process_does() -> None:
    pages = [_page(f"page {n}", size=n * 50) for n in range(40)]
    async with ParserPool(2) as pool:
        read = await asyncio.gather(*(pool.parse(lambda page=page: page) for page in pages))
    assert read == [await InlineParser().parse(lambda page=page: page) for page in pages]
    assert {page.title for page in read} == {f"page {n}" for n in range(40)}


async def test_killed_process_is_replaced_and_no_page_is_lost() -> None:
    before = set(_children())
    async with ParserPool(1) as pool:
        await pool.parse(partial(_page, "first"))
        (worker,) = set(_children()) - before
        reading = [
            asyncio.create_task(pool.parse(partial(_page, f"page {n}", 3000))) for n in range(6)
        ]
        await asyncio.sleep(0)
        os.kill(worker, signal.SIGKILL)
        read = await asyncio.gather(*reading)
        assert [page.title for page in read] == [f"page {n}" for n in range(6)]
    assert set(_children()) == before


async def test_pages_that_come_while_a_process_is_replaced_are_read() -> None:
    before = set(_children())
    async with ParserPool(2) as pool:
        reading = []
        for number in range(24):
            reading.append(asyncio.create_task(pool.parse(partial(_page, f"page {number}", 500))))
            if number % 8 == 7:
                await reading[number - 7]
                os.kill((set(_children()) - before).pop(), signal.SIGKILL)
        read = await asyncio.gather(*reading)
    # Killed twice at the head of its process, a page counts as the culprit.
    culprit = unreadable("parser_crashed", "the process that read the page ended twice")
    titles = {page.title for page in read if page != culprit}
    assert titles <= {f"page {number}" for number in range(24)}
    assert len(titles) > 20


async def test_a_second_process_starts_only_when_pages_queue_up() -> None:
    before = set(_children())
    async with ParserPool(2) as pool:
        await pool.parse(partial(_page, "first"))
        assert len(set(_children()) - before) == 1
        await asyncio.gather(*(pool.parse(partial(_page, f"page {n}")) for n in range(6)))
        assert len(set(_children()) - before) == 2


async def test_page_that_never_ends_is_given_up_and_those_behind_it_are_read() -> None:
    before = set(_children())
    async with ParserPool(1, timeout_s=2.0) as pool:
        await pool.parse(partial(_page, "first"))
        (worker,) = set(_children()) - before
        # A stopped process looks just like one in an endless loop.
        os.kill(worker, signal.SIGSTOP)
        stuck, behind = await asyncio.gather(
            pool.parse(partial(_page, "stuck")), pool.parse(partial(_page, "next"))
        )
    assert stuck == unreadable("parser_timeout", "limit 2 s")
    assert behind.title == "next"


async def test_given_up_page_does_not_disturb_the_others() -> None:
    async with ParserPool(1) as pool:
        task = asyncio.create_task(pool.parse(partial(_page, "cancelled")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await pool.parse(partial(_page, "next"))).title == "next"


async def test_pages_end_as_unreadable_when_no_process_can_take_the_place_of_one_that_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = set(_children())
    async with ParserPool(1) as pool:
        await pool.parse(partial(_page, "first"))
        (worker,) = set(_children()) - before
        with monkeypatch.context() as system:
            system.setattr(sys, "executable", "/nowhere/python")
            reading = [
                asyncio.create_task(pool.parse(partial(_page, f"page {n}", 3000))) for n in range(6)
            ]
            await asyncio.sleep(0)
            os.kill(worker, signal.SIGKILL)
            read = await asyncio.wait_for(asyncio.gather(*reading), timeout=10)
            refusals = [page.refusal for page in read if page.refusal]
            assert {refusal.reason for refusal in refusals} == {"parser_crashed"}
            assert all("/nowhere/python" in refusal.detail for refusal in refusals)
        assert (await pool.parse(partial(_page, "next"))).title == "next"
    assert set(_children()) == before


async def test_pages_are_read_by_the_processes_there_are_when_no_other_can_be_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with ParserPool(2) as pool:
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
        read = await asyncio.gather(*(pool.parse(partial(_page, f"page {n}")) for n in range(6)))
    assert [page.title for page in read] == [f"page {n}" for n in range(6)]


_ODD_READER = """#!{python}
import struct, sys
sys.stdout.buffer.write(b"r")
sys.stdout.buffer.flush()
while head := sys.stdin.buffer.read(4):
    sys.stdin.buffer.read(struct.unpack(">I", head)[0])
    sys.stdout.buffer.write(struct.pack(">I", 4) + b"junk")
    sys.stdout.buffer.flush()
"""


async def test_page_whose_result_cannot_be_read_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / "python"
    odd.write_text(_ODD_READER.format(python=sys.executable))
    odd.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(odd))
    async with ParserPool(1) as pool:
        reading = asyncio.gather(*(pool.parse(partial(_page, f"page {n}")) for n in range(2)))
        read = await asyncio.wait_for(reading, timeout=10)
    assert [page.refusal and page.refusal.reason for page in read] == ["parser_crashed"] * 2


async def test_reader_that_cannot_begin_is_not_started_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = tmp_path / "starts"
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\necho >> {starts}\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    async with ParserPool(1) as pool:
        page = await asyncio.wait_for(pool.parse(partial(_page, "first")), timeout=10)
    assert page == unreadable("parser_crashed", "the process that read the page ended twice")
    # The pool's own, which may end before the page comes, and the page's two attempts.
    assert len(starts.read_text().splitlines()) <= 3
