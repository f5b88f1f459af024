"""The enhancement operation: which pages it takes, and what it tells."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from webmine_assets.institutions import ExtractionRule, Institution
from webmine_assets.records import PageContent, PageMetadata, PageTopic, page_id
from webmine_assets.stages.operation import (
    EnhanceAnswer,
    EnhanceRequest,
    EnhanceStatus,
    enhance_batch,
)
from webmine_assets.stages.selection import enhance_some
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import NOON, snapshot

LATER = NOON + timedelta(hours=1)
BODY = """<html lang=en><head><title>Page {n} of the institution</title>
<meta name=author content="Ada Example"><meta name=keywords content="harbours, ferries">
<meta property="article:published_time" content="2026-01-0{n}T10:00:00Z"></head><body><article>
<h1>Page {n} of the institution</h1><p class=teaser>Read more here.</p>
<p>{text}</p></article></body></html>"""
TEXT = "The harbour of the town is open to every ship that comes in the night. " * 12


def url(number: int) -> str:
    return f"https://u1.edu/{number}"


def ident(number: int, institution: str = "u1") -> str:
    return page_id(institution, url(number))


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path / "lake"))
    store(lake, "u1")
    return lake


def store(lake: Lake, institution: str) -> None:
    pages = [
        snapshot(
            url(number),
            institution=institution,
            body=BODY.format(n=number, text=TEXT).encode(),
            checksum=f"sha256:{number}",
        )
        for number in range(1, 6)
    ]
    lake.write("page_snapshots", institution, pages)


def run(lake: Lake, *ids: str, size: int = 10, force: bool = False) -> EnhanceAnswer:
    request = EnhanceRequest(content_ids=ids or None, batch_size=size, force=force)
    return enhance_batch(request, lake=lake, institutions={}, now=LATER)


def rows(lake: Lake, table: str, record: type) -> list[str]:
    return [row.page_id for row in lake.read(record, table, "u1")]


def test_pages_without_metadata_are_enhanced_in_batches(lake: Lake) -> None:
    first = run(lake, size=3)
    assert (first.processed, first.enhanced) == (3, 3)
    assert first.message == "Metadata enhancement completed"
    second = run(lake, size=3)
    assert second.processed == 2
    third = run(lake)
    assert (third.processed, third.results) == (0, ())
    assert third.message == "No page needs enhancement"
    everyone = sorted(ident(number) for number in range(1, 6))
    assert sorted(rows(lake, "page_metadata", PageMetadata)) == everyone
    assert sorted(rows(lake, "page_content", PageContent)) == everyone
    assert set(rows(lake, "page_topics", PageTopic)) == set(everyone)


def test_the_answer_names_the_fields_that_were_added(lake: Lake) -> None:
    (result,) = run(lake, ident(2)).results
    assert (result.id, result.url, result.status) == (ident(2), url(2), EnhanceStatus.ENHANCED)
    assert {"title", "author", "published_at"} <= set(result.fields_added)
    assert "image_url" not in result.fields_added


def test_named_pages_that_need_nothing_are_left_alone(lake: Lake) -> None:
    run(lake, ident(1))
    answer = run(lake, ident(1), "unknown")
    assert [result.status for result in answer.results] == [
        EnhanceStatus.UP_TO_DATE,
        EnhanceStatus.NOT_FOUND,
    ]
    assert answer.processed == 0


def test_force_takes_pages_that_need_nothing(lake: Lake) -> None:
    run(lake, ident(1))
    answer = run(lake, ident(1), force=True)
    assert answer.processed == 1
    assert answer.results[0].status is EnhanceStatus.UNCHANGED
    assert len(rows(lake, "page_metadata", PageMetadata)) == 1


def test_what_does_not_fit_into_the_batch_is_deferred(lake: Lake) -> None:
    answer = run(lake, ident(3), ident(1), ident(2), size=1)
    assert [(r.id, r.status.value) for r in answer.results] == [
        (ident(3), "enhanced"),
        (ident(1), "deferred"),
        (ident(2), "deferred"),
    ]


def test_a_newer_snapshot_needs_enhancement_again(lake: Lake) -> None:
    run(lake)
    newer = snapshot(
        url(1), body=BODY.format(n=1, text=TEXT).encode(), fetched_at=LATER + timedelta(days=1)
    )
    lake.write("page_snapshots", "u1", [newer])
    answer = run(lake)
    assert [result.id for result in answer.results] == [ident(1)]


def test_other_rows_stay_as_they_are(lake: Lake) -> None:
    run(lake)
    before = {r.page_id: r for r in lake.read(PageContent, "page_content", "u1")}
    order = rows(lake, "page_content", PageContent)
    rule = ExtractionRule(value=".teaser")
    institution = Institution(
        institution_id="u1",
        seed_urls=("https://u1.edu/",),
        allowed_domains=("u1.edu",),
        extraction_rules=(rule,),
        topics=("given",),
    )
    request = EnhanceRequest(content_ids=(ident(3),), force=True)
    enhance_batch(
        request, lake=lake, institutions={"u1": institution}, now=LATER + timedelta(hours=1)
    )
    after = {r.page_id: r for r in lake.read(PageContent, "page_content", "u1")}
    assert rows(lake, "page_content", PageContent) == order
    assert [i for i in after if after[i] != before[i]] == [ident(3)]
    assert after[ident(3)].rules_applied == (".teaser",)
    topics = [t.topic for t in lake.read(PageTopic, "page_topics", "u1") if t.page_id == ident(3)]
    assert topics[0] == "given"
    assert len(topics) == len(set(topics))


def test_several_institutions_are_published_each(lake: Lake) -> None:
    store(lake, "u2")
    answer = run(lake, ident(1), ident(1, "u2"))
    assert answer.enhanced == 2
    assert lake.count("page_metadata", "u2") == 1


def test_pages_that_failed_do_not_keep_those_of_their_institution_waiting(lake: Lake) -> None:
    store(lake, "u0")
    run(lake)
    known = list(lake.read(PageMetadata, "page_metadata", "u1"))
    failing = [replace(row, error="broken") for row in known[:3]]
    outdated = [replace(row, extractor_version="0") for row in known[3:]]
    lake.write("page_metadata", "u1", [*failing, *outdated])
    institution = Institution.model_validate(
        {"institution_id": "u1", "seed_urls": ["https://u1.edu/"], "allowed_domains": ["u1.edu"]}
    )
    answer = enhance_some(institution, lake=lake, batch_size=2)
    assert [result.id for result in answer.results] == [ident(4), ident(5)]
    named = enhance_some(institution, lake=lake, content_ids={ident(1), ident(1, "u0")}, force=True)
    assert [result.id for result in named.results] == [ident(1)]


def test_an_empty_lake_needs_nothing(tmp_path: Path) -> None:
    assert run(Lake(str(tmp_path / "empty"))).processed == 0


def test_the_json_form_has_the_names_of_the_interface(lake: Lake) -> None:
    answer = run(lake, ident(1)).to_json_dict()
    assert list(answer) == ["message", "processed", "enhanced", "results"]
    assert list(answer["results"][0]) == ["id", "url", "status", "fieldsAdded"]
