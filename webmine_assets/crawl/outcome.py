"""What came of visiting one URL: made by the visitor, which asks; judged by the commit."""

from dataclasses import dataclass, field
from datetime import datetime

from webmine_assets.crawl.cache import Previous
from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.pages.page import ParsedPage
from webmine_assets.crawl.rendering.render_policy import RenderOutcome
from webmine_assets.records import Decision, PageSnapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a visit took, for the counters and the budgets."""

    requests: int = 0
    wire_bytes: int = 0
    replayed: int = 0
    renders: int = 0
    renders_failed: int = 0
    render_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """No row comes of it; `passed` are the keys on the way, which share the decision.

    `led_to` is the stored page of which the URL was an alias, if what failed may pass: that page is
    to be asked for under its own address.
    """

    refusal: Refusal
    at: datetime | None
    passed: tuple[str, ...] = ()
    parsed: ParsedPage | None = None
    cost: Cost = Cost()
    learned: RenderOutcome | None = None
    led_to: Previous | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Where the bytes of a row are read from when it is published."""

    place: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Visited:
    """A page to store, as a row without its body.

    `row.url` is the best identity; `identities` are those that may replace it, best first; `passed`
    maps each other key on the way to its alias reason, `unasked` those of the last crawl that hold
    unless they are seen to lead elsewhere. `detail` and `at` are those of the decision, if it is
    not about what was received.
    """

    row: PageSnapshot
    body: Body
    decision: Decision
    reason: str
    identities: tuple[str, ...]
    passed: dict[str, str]
    parsed: ParsedPage | None
    unasked: dict[str, str] = field(default_factory=dict)
    detail: str | None = None
    at: datetime | None = None
    cost: Cost = Cost()
    learned: RenderOutcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What robots.txt or a sitemap names: no page itself.

    `pages` maps each URL to the day the sitemap says it last changed, if it does; `problem` says
    why there is not all of it.
    """

    pages: dict[str, str | None] = field(default_factory=dict)
    sitemaps: tuple[str, ...] = ()
    problem: Refusal | None = None
    cost: Cost = Cost()


Outcome = Refused | Visited | Listed
