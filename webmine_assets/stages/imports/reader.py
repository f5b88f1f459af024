"""Reading stored pages in processes beside this one: a page that hangs or crashes costs itself."""

import asyncio
import os
from types import TracebackType
from typing import Self

from webmine_assets.crawl.pages.page import PageInput, ParsedPage
from webmine_assets.crawl.pages.parsers import ParserPool

_MOST_PROCESSES = 4


class PageReader:
    """The crawler's readers for callers without an event loop; started when first needed."""

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or min(os.cpu_count() or 1, _MOST_PROCESSES)
        self._pool: ParserPool | None = None

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._pool is not None:
                self._runner.run(self._pool.__aexit__(kind, error, trace))
        finally:
            self._runner.close()

    def read(self, pages: list[PageInput]) -> list[ParsedPage]:
        """What each page says, in order."""
        return self._runner.run(self._read(pages)) if pages else []

    async def _read(self, pages: list[PageInput]) -> list[ParsedPage]:
        if self._pool is None:
            self._pool = await ParserPool(self._processes).__aenter__()
        parse = self._pool.parse
        return await asyncio.gather(*(parse(lambda page=page: page) for page in pages))  # type: ignore[misc]  # the default binds the loop's page
