"""The checks there are: on which table each stands, and whether its failure stops what follows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from webmine_assets.institutions import Institution
from webmine_assets.settings import Settings
from webmine_assets.stages.quality.checks import (
    check_archives,
    check_blocking,
    check_dates,
    check_empty_text,
    check_extraction,
    check_freshness,
    check_languages,
    check_ledger,
    check_provenance,
    check_rules,
    check_volume,
)
from webmine_assets.stages.quality.questions import Earlier, Questions, questions_about
from webmine_assets.stages.quality.verdicts import Verdict
from webmine_assets.storage.lake import Lake


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check as it is offered; a severe failure of a blocking one stops what follows."""

    table: str
    name: str
    description: str
    run: Callable[[Questions], Verdict]
    blocking: bool = False


CHECKS = (
    Check(
        table="page_snapshots",
        name="page_volume",
        description="As many pages as in the last ten crawls, by their median and its swings, and "
        "not only such as stay since nothing could be asked for; stops enhancement of a collapsed "
        "crawl.",
        run=check_volume,
        blocking=True,
    ),
    Check(
        table="page_snapshots",
        name="not_blocked",
        description="The site does not refuse us (401, 403, 429, 503, CAPTCHAs) more than it "
        "used to; stops enhancement of refusal pages.",
        run=check_blocking,
        blocking=True,
    ),
    Check(
        table="page_snapshots",
        name="fresh",
        description="No page older than twice its time to live; looked at every hour.",
        run=check_freshness,
    ),
    Check(
        table="page_snapshots",
        name="language_mix",
        description="Languages in the proportions of the last ten crawls.",
        run=check_languages,
    ),
    Check(
        table="url_ledger",
        name="ledger_adds_up",
        description="Exactly one decision for every URL, and a page for every one that was kept; "
        "stops enhancement of a crawl that lost pages.",
        run=check_ledger,
        blocking=True,
    ),
    Check(
        table="page_content",
        name="text_present",
        description="Pages have main text, as many of them as in the last ten enhancements.",
        run=check_empty_text,
    ),
    Check(
        table="page_content",
        name="extraction_rules_valid",
        description="Every extraction rule of the institution file can be read.",
        run=check_rules,
    ),
    Check(
        table="page_content",
        name="pages_extracted",
        description="No page failed in extraction.",
        run=check_extraction,
    ),
    Check(
        table="page_metadata",
        name="dates_possible",
        description="No date in the future or before 1990.",
        run=check_dates,
    ),
    Check(
        table="page_metadata",
        name="provenance_complete",
        description="Every value says where it came from.",
        run=check_provenance,
    ),
    Check(
        table="page_archives",
        name="archives_sound",
        description="Digests, pairs and index of the newest archive file, and of another each day.",
        run=check_archives,
    ),
)


def judge(
    checks: Iterable[Check],
    institution: Institution,
    *,
    lake: Lake,
    settings: Settings,
    earlier: Earlier | None = None,
) -> dict[str, Verdict]:
    """The verdicts of some checks on one institution, over one connection."""
    with questions_about(
        institution, lake=lake, settings=settings, earlier=earlier or {}
    ) as questions:
        return {check.name: check.run(questions) for check in checks}
