"""Which failures may have passed by the next crawl: they take no stored page away.

A page that says that it is gone, or whom it is for, has answered; one that could not be asked for,
or not be shown, has not.
"""

import re

from webmine_assets.crawl.exchange import FetchReason, Refusal
from webmine_assets.records import Decision

# Not here: what our own rules keep out (a blocked address, a redirect that was refused).
_OUTAGES = frozenset(
    {
        FetchReason.TIMEOUT,
        FetchReason.DNS,
        FetchReason.CONNECT,
        FetchReason.TLS,
        FetchReason.PROTOCOL,
        FetchReason.RESET,
        FetchReason.TRUNCATED,
        FetchReason.BAD_REDIRECT,
        FetchReason.UNSUPPORTED_CODING,
        "internal",
    }
)
# 403 is what walls against crawlers say, often for an hour; 401 and 451 are said of the page.
_BUSY_STATUSES = frozenset({403, 408, 425, 429})
# The process that reads pages failed, which says nothing about the page of the last crawl.
_UNREAD = frozenset(
    {"parser_timeout", "parser_crashed", "pdf_timeout", "pdf_crashed", "unreadable"}
)
_STATUS = re.compile(r"http_(\d+)")


def is_passing(refusal: Refusal, *, was_rendered: bool) -> bool:
    """Whether a page of the last crawl outlives this; `was_rendered` if a browser showed it."""
    match refusal.decision:
        case Decision.FETCH_ERROR:
            return refusal.reason in _OUTAGES
        case Decision.HTTP_ERROR:
            return _is_passing_status(refusal.reason)
        case Decision.ROBOTS_BLOCKED:
            return refusal.reason == "robots_unreachable"
        case Decision.RENDER_ERROR:
            return was_rendered
        case Decision.CONTENT_POLICY:
            return refusal.reason in _UNREAD
        case _:
            return False


def _is_passing_status(reason: str) -> bool:
    status = _STATUS.fullmatch(reason)
    return status is not None and (int(status[1]) in _BUSY_STATUSES or int(status[1]) >= 500)
