"""Extraction over again: what changes is shown, and published only when asked for."""

from pathlib import Path

import pytest

from webmine_assets.progress import SilentProgress
from webmine_assets.records import PageContent
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.reextract import find_stored, reextract
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.factories import NOON
from webmine_assets_tests.stages.pages import html, institution, page

ASIDE = "Buy two tickets for the price of one, only today and only in this shop of ours."
RULES = institution(extraction_rules=[{"value": "article p"}])


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    lake = Lake(str(tmp_path))
    rows = [page(f"https://u1.edu/{n}", html(f"boat {n}", aside=ASIDE)) for n in range(3)]
    lake.write("page_snapshots", "u1", rows)
    enhance_pages(institution(), lake=lake, progress=SilentProgress(), now=NOON)
    return lake


def content(lake: Lake) -> list[PageContent]:
    return list(lake.read(PageContent, "page_content", "u1"))


def test_nothing_changes_where_nothing_changed(lake: Lake) -> None:
    outcome = reextract(institution(), lake=lake, progress=SilentProgress(), apply=False)
    assert (outcome.differences.pages, outcome.differences.changed) == (3, [])


def test_a_rule_s_effect_is_shown_and_not_published(lake: Lake) -> None:
    before = content(lake)
    outcome = reextract(RULES, lake=lake, progress=SilentProgress(), apply=False)
    fields = outcome.differences.fields
    assert fields["content.rules_applied"].counts == {"added": 3}
    assert fields["content.full_content"].counts["changed"] == 3
    example = fields["content.rules_applied"].examples[0]
    assert (example.url, example.old, example.new) == ("https://u1.edu/0", "", "article p")
    assert [page.url for page in outcome.differences.changed] == [row.url for row in before]
    assert content(lake) == before
    assert outcome.to_json_dict()["fields"]["content.rules_applied"]["added"] == 3


def test_apply_publishes_and_enhancement_then_has_nothing_to_do(lake: Lake) -> None:
    outcome = reextract(RULES, lake=lake, progress=SilentProgress(), apply=True)
    assert outcome.applied
    assert all(row.rules_applied == ("article p",) for row in content(lake))
    assert enhance_pages(RULES, lake=lake, progress=SilentProgress()).kept == 3
    again = reextract(RULES, lake=lake, progress=SilentProgress(), apply=False)
    assert again.differences.changed == []


def test_rows_of_pages_that_are_stored_no_longer_are_counted(lake: Lake) -> None:
    lake.write("page_snapshots", "u1", [page("https://u1.edu/0", html("boat 0", aside=ASIDE))])
    outcome = reextract(institution(), lake=lake, progress=SilentProgress(), apply=False)
    assert (outcome.differences.pages, outcome.dropped) == (1, 2)


def test_pages_never_enhanced_gain_their_values(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write("page_snapshots", "u1", [page("https://u1.edu/0", html("boat"))])
    outcome = reextract(institution(), lake=lake, progress=SilentProgress(), apply=False)
    assert outcome.differences.fields["content.text"].counts == {"added": 1}


@pytest.mark.parametrize(
    "url", ["https://u1.edu/1", "https://u1.edu/1/?utm_source=x", "https://u1.edu/1?ref=a"]
)
def test_a_stored_page_is_found_by_any_of_its_addresses(lake: Lake, url: str) -> None:
    found = find_stored(lake, url)
    assert found is not None
    assert found.url == "https://u1.edu/1"


def test_a_page_that_is_not_stored_is_not_found(lake: Lake) -> None:
    assert find_stored(lake, "https://u1.edu/none") is None
    assert find_stored(lake, "no URL") is None
