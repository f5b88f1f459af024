"""Which journal belongs to a crawl, and when two crawls are the same."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from webmine_assets.crawl.network.clock import Clock
from webmine_assets.crawl.recovery.journal import STALE_AFTER, CrawlHeader, Journal, open_journal
from webmine_assets.institutions import Institution

_NO_ROWS = {"name", "politeness", "topics", "extraction_rules"}


def config_digest(institution: Institution) -> str:
    """What makes two crawls the same crawl: every setting that can change its rows.

    Name, politeness, topics and extraction rules are left out: they change the pace of a crawl or
    what later stages make of it, so an interrupted one goes on with new ones.
    """
    return hashlib.sha256(institution.model_dump_json(exclude=_NO_ROWS).encode()).hexdigest()


def journal_path(folder: Path, institution: str) -> Path:
    return folder / f"{institution}.journal"


def is_same_crawl(left: CrawlHeader, wanted: Institution, *, now: datetime) -> bool:
    """Whether the crawl that was cut off is the one asked for: same settings, and not long ago."""
    return now - left.started_at < STALE_AFTER and left.config_digest == config_digest(wanted)


def remove_left(journal: Path) -> None:
    """Take away what a crawl left that had nothing more to do: its journal and its spools."""
    for suffix in (".journal", ".pages", ".ledger"):
        journal.with_suffix(suffix).unlink(missing_ok=True)


def open_crawl_journal(
    folder: Path,
    institution: Institution,
    *,
    clock: Clock,
    seeds: Sequence[tuple[str, str]] = (),
) -> Journal:
    """The journal of an institution: the interrupted crawl's if it can go on, else a new one.

    `seeds` are extra (url, source) pairs, such as a feed's; a resumed crawl keeps its own.
    """
    header = CrawlHeader(
        institution=institution.institution_id,
        config_digest=config_digest(institution),
        started_at=clock.utcnow(),
        seeds=tuple(seeds),
    )
    return open_journal(journal_path(folder, institution.institution_id), header)
