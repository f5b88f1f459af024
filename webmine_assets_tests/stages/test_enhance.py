"""Enhancement: rows are made once, and again when what they are made from changes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from webmine_assets.institutions import Institution
from webmine_assets.progress import SilentProgress
from webmine_assets.records import PageContent, PageMetadata, PageTopic, Seed, SeedSource
from webmine_assets.stages.enhance import Enhancement, enhance_pages
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import NOON
from webmine_assets_tests.stages.pages import html, institution, page

LATER = NOON + timedelta(hours=1)


def lake_with(folder: Path, count: int = 3) -> Lake:
    lake = Lake(str(folder))
    rows = [page(f"https://u1.edu/{n}", html(f"boat {n}", aside="Buy now!")) for n in range(count)]
    lake.write("page_snapshots", "u1", rows)
    return lake


def enhance(lake: Lake, rules: Institution | None = None, *, force: bool = False) -> Enhancement:
    known = rules or institution()
    return enhance_pages(known, lake=lake, progress=SilentProgress(), now=LATER, force=force)


def test_unchanged_pages_keep_their_rows(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    first = enhance_pages(institution(), lake=lake, progress=SilentProgress(), now=NOON)
    tables = {
        "page_content": PageContent, "page_metadata": PageMetadata, "page_topics": PageTopic
    }  # fmt: skip
    before = {name: list(lake.read(record, name, "u1")) for name, record in tables.items()}
    second = enhance(lake)
    assert (first.kept, second.kept) == (0, 3)
    assert {name: list(lake.read(record, name, "u1")) for name, record in tables.items()} == before


def test_a_sitemap_s_date_is_evidence_and_a_new_one_makes_the_row_anew(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    plain = page("https://u1.edu/1", html("boat 1"))
    lake.write("page_snapshots", "u1", [plain])
    enhance(lake)
    [row] = lake.read(PageMetadata, "page_metadata", "u1")
    assert row.modified_at is None
    listed = replace(plain, meta=replace(plain.meta, sitemap_lastmod="2025-11-05"))
    lake.write("page_snapshots", "u1", [listed])
    assert enhance(lake).kept == 0
    [row] = lake.read(PageMetadata, "page_metadata", "u1")
    assert row.modified_at == "2025-11-05"
    assert [p.source for p in row.provenance if p.field == "modified"] == ["modified:sitemap"]


def test_what_a_pdf_says_of_itself_is_evidence(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    properties = {
        "Title": "Report 2024",
        "Author": "Doe, Jane",
        "Subject": "What the department of boats did in a year.",
        "Keywords": "harbour; sailing",
        "CreationDate": "D:20250301090000+01'00'",
        "ModDate": "D:20250302",
    }
    pdf = replace(
        page("https://u1.edu/report.pdf", html("boat 1")),
        content_type="application/pdf",
        title="Report 2024",
        body=b"%PDF-1.7",
    )
    told = replace(pdf, meta=replace(pdf.meta, pdf_properties=properties))
    lake.write("page_snapshots", "u1", [told])
    enhance(lake)
    [row] = lake.read(PageMetadata, "page_metadata", "u1")
    assert (row.title, row.authors) == ("Report 2024", ("Jane Doe",))
    assert row.description == properties["Subject"]
    assert (row.published_at, row.modified_at) == ("2025-03-01T09:00:00+01:00", "2025-03-02")
    found = {p.field: (p.source, p.raw) for p in row.provenance if ":pdf:" in p.source}
    assert found == {
        "title": ("title:pdf:title", "Report 2024"),
        "description": ("description:pdf:subject", properties["Subject"]),
        "author": ("author:pdf:author", "Doe, Jane"),
        "date": ("date:pdf:creationdate", properties["CreationDate"]),
        "modified": ("modified:pdf:moddate", "D:20250302"),
        "topics": ("topics:pdf:keywords+url:path", "harbour, sailing, report"),
    }
    topics = {t.topic: t.sources for t in lake.read(PageTopic, "page_topics", "u1")}
    assert topics["sailing"] == ("pdf:keywords",)
    # A snapshot of an earlier version knows of the properties the title only.
    lake.write("page_snapshots", "u1", [pdf])
    assert enhance(lake).kept == 0
    [row] = lake.read(PageMetadata, "page_metadata", "u1")
    assert (row.title, row.authors, row.published_at) == ("Report 2024", (), None)


def test_force_makes_every_row_anew(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    enhance_pages(institution(), lake=lake, progress=SilentProgress(), now=NOON)
    assert enhance(lake, force=True).kept == 0
    assert {row.extracted_at for row in lake.read(PageContent, "page_content", "u1")} == {LATER}


def test_a_changed_page_is_extracted_in_its_place(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    enhance_pages(institution(), lake=lake, progress=SilentProgress(), now=NOON)
    # The text is the same: only what the head says of the page has changed.
    head = '<meta name="description" content="Everything worth knowing about boat number one.">'
    rows = [page(f"https://u1.edu/{n}", html(f"boat {n}", aside="Buy now!")) for n in range(3)]
    rows[1] = page("https://u1.edu/1", html("boat 1", aside="Buy now!", head=head))
    lake.write("page_snapshots", "u1", rows)
    assert enhance(lake).kept == 2
    found = list(lake.read(PageMetadata, "page_metadata", "u1"))
    assert [row.url for row in found] == [row.url for row in rows]
    assert found[1].description == "Everything worth knowing about boat number one."


def test_a_changed_rule_or_topic_is_noticed(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    enhance(lake)
    rule = institution(extraction_rules=[{"value": ".promo"}])
    assert enhance(lake, rule).kept == 0
    assert enhance(lake, rule).kept == 3
    renamed = institution(extraction_rules=[{"value": ".promo", "description": "adverts"}])
    assert enhance(lake, renamed).kept == 3
    assert enhance(lake, institution(topics=["boats"])).kept == 0


def test_a_page_that_went_away_takes_its_rows_along(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    enhance(lake)
    lake.write("page_snapshots", "u1", [page("https://u1.edu/2", html("boat 2", aside="Buy now!"))])
    outcome = enhance(lake)
    assert (outcome.kept, outcome.content.rows, outcome.metadata.rows) == (1, 1, 1)


def test_rows_that_a_crash_left_half_renewed_are_made_anew(tmp_path: Path) -> None:
    lake = lake_with(tmp_path)
    enhance_pages(institution(), lake=lake, progress=SilentProgress(), now=NOON)
    stale = list(lake.read(PageMetadata, "page_metadata", "u1"))
    enhance(lake, force=True)
    lake.write("page_metadata", "u1", stale)
    assert enhance(lake).kept == 0


def test_what_a_feed_said_is_evidence(tmp_path: Path) -> None:
    lake = lake_with(tmp_path, 1)
    enhance(lake)
    seed = Seed(
        institution="u1",
        url="https://u1.edu/0",
        source=SeedSource.FEED,
        via="https://u1.edu/feed",
        title="About the boat 0",
        published_at="2026-02-03T04:05:06+00:00",
        added_at=NOON,
    )
    lake.write("seeds", "u1", [seed])
    assert enhance(lake).kept == 0
    row = next(iter(lake.read(PageMetadata, "page_metadata", "u1")))
    assert row.published_at == "2026-02-03T04:05:06+00:00"
    assert next(p.source for p in row.provenance if p.field == "date") == "date:feed"


@pytest.mark.slow
def test_many_pages_of_which_a_few_changed_stay_in_order(tmp_path: Path) -> None:
    lake = lake_with(tmp_path, 90)
    enhance(lake)
    rows = [
        page(
            f"https://u1.edu/{n}",
            html(f"boat {n}", aside="Sold out." if n % 30 == 7 else "Buy now!"),
        )
        for n in range(90)
    ]
    lake.write("page_snapshots", "u1", rows)
    assert enhance(lake).kept == 87
    urls = [row.url for row in lake.read(PageContent, "page_content", "u1")]
    assert urls == [row.url for row in rows]
