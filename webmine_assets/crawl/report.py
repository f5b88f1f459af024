"""What a crawl counts, its live progress, and the report that is kept of it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from webmine_assets import __version__
from webmine_assets.crawl.outcome import Cost
from webmine_assets.crawl.pages.page import PDF_TYPE
from webmine_assets.institutions import Institution
from webmine_assets.records import (
    PAGE_DECISIONS,
    CrawlCounters,
    CrawlReport,
    Decision,
    PageSnapshot,
)

SAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlProgress:
    """Where a crawl stands; `eta_s` is None while there is nothing to tell it from."""

    pages: int
    queued: int
    fetched: int
    elapsed_s: float
    pages_per_s: float
    eta_s: float | None
    current_url: str


@dataclass(slots=True)
class Tally:
    """The counts that grow with every commit."""

    requests: int = 0
    replayed: int = 0
    wire_bytes: int = 0
    renders: int = 0
    renders_failed: int = 0
    render_ms: int = 0
    rendered_rows: int = 0
    light_rows: int = 0
    deduped: int = 0
    repeated: int = 0
    links_left_off: int = 0
    pdf_extracted: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)

    def add_cost(self, cost: Cost) -> None:
        self.requests += cost.requests
        self.replayed += cost.replayed
        self.wire_bytes += cost.wire_bytes
        self.renders += cost.renders
        self.renders_failed += cost.renders_failed
        self.render_ms += cost.render_ms

    def add_page(self, row: PageSnapshot) -> None:
        self.languages[row.lang or "unknown"] += 1
        self.pdf_extracted += row.content_type == PDF_TYPE
        self.rendered_rows += row.meta.rendered
        self.light_rows += not row.meta.rendered
        if len(self.samples) < SAMPLES:
            self.samples.append(row.url)


def progress(
    *, pages: int, max_pages: int, queued: int, fetched: int, elapsed_s: float, current_url: str
) -> CrawlProgress:
    """The estimate takes the page budget or what is queued, whichever is nearer."""
    rate = pages / elapsed_s if elapsed_s > 0 else 0.0
    left = min(max_pages - pages, queued)
    return CrawlProgress(
        pages=pages,
        queued=queued,
        fetched=fetched,
        elapsed_s=elapsed_s,
        pages_per_s=rate,
        eta_s=left / rate if rate else None,
        current_url=current_url,
    )


def count(
    tally: Tally,
    decisions: Mapping[str, int],
    reasons: Mapping[str, int],
    *,
    queued: int,
    depth_max_seen: int,
    spent_s: float,
) -> CrawlCounters:
    """The counters of the report, from what was tallied and decided."""
    errors = (Decision.HTTP_ERROR, Decision.FETCH_ERROR, Decision.RENDER_ERROR)
    return CrawlCounters(
        urls_queued=queued,
        urls_fetched=tally.requests,
        cache_hits=decisions.get(Decision.FRESH, 0),
        not_modified=decisions.get(Decision.NOT_MODIFIED, 0),
        pages_kept=decisions.get(Decision.KEPT, 0),
        robots_blocked=decisions.get(Decision.ROBOTS_BLOCKED, 0),
        errors=sum(decisions.get(decision, 0) for decision in errors),
        content_policy=decisions.get(Decision.CONTENT_POLICY, 0),
        rendered=tally.rendered_rows,
        lightweight=tally.light_rows,
        heavyweight=tally.renders,
        render_failed=tally.renders_failed,
        render_ms=tally.render_ms,
        deduped=tally.deduped,
        pdf_extracted=tally.pdf_extracted,
        pages_used=sum(decisions.get(decision, 0) for decision in PAGE_DECISIONS),
        pages_gone=reasons.get("http_error:gone", 0),
        depth_max_seen=depth_max_seen,
        links_left_off=tally.links_left_off,
        bytes_fetched=tally.wire_bytes,
        replayed=tally.replayed,
        time_spent_s=round(spent_s, 3),
    )


def build_report(
    institution: Institution,
    counters: CrawlCounters,
    tally: Tally,
    *,
    decisions: Mapping[str, int],
    reasons: Mapping[str, int],
    started_at: datetime,
    finished_at: datetime,
    stopped_by: str,
    rendering: str,
) -> CrawlReport:
    return CrawlReport(
        institution=institution.institution_id,
        started_at=started_at,
        finished_at=finished_at,
        stopped_by=stopped_by,
        counters=counters,
        decisions={str(name): number for name, number in sorted(decisions.items())},
        reasons=dict(sorted(reasons.items())),
        languages=dict(sorted(tally.languages.items())),
        sample_urls=tuple(tally.samples),
        rendering=rendering,
        config_json=institution.model_dump_json(),
        code_version=__version__,
    )
