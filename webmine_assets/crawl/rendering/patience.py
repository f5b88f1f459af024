"""How long a page that has become still is waited for all the same."""

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypedDict

from webmine_assets.crawl.pages.page_signals import MIN_TEXT_CHARS

# A page that is still nearly empty, or says it is loading, may be waiting for a timer of its own.
_TIMER_S = 4.0
_MIN_SHOWN_CHARS = 40
# A request that never ends (long polling) does not keep a page that has long been still.
_REQUEST_S = 3.0
_DECORATION = re.compile(r" type_(image|font|media|texttrack|manifest|ping)$")


class Look(TypedDict):
    """What a page says of itself: `in_page/settle.js`."""

    quiet: bool
    text: int
    busy: bool
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The page's requests: under way, those of them for a new address, and the refused ones."""

    is_any_under_way: bool
    is_news_under_way: bool
    refused: Collection[str]


def patience_s(look: Look, asked: Asked) -> float:
    """How long the page must have been still to be done; infinite if its time limit decides."""
    is_asking = asked.is_any_under_way or look["pending"] > 0
    if look["text"] >= MIN_TEXT_CHARS:
        return _REQUEST_S if is_asking else 0.0
    if asked.is_news_under_way or look["pending"] > 0:
        return math.inf
    if look["busy"] and not _waits_in_vain(asked.refused):
        return math.inf
    if look["busy"] or look["text"] < _MIN_SHOWN_CHARS:
        return _TIMER_S
    return _REQUEST_S if is_asking else 0.0


def _waits_in_vain(refused: Collection[str]) -> bool:
    """Whether it was refused what its text may come from, a WebSocket or data."""
    return any(not _DECORATION.search(each) for each in refused)
