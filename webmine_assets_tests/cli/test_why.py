"""`webmine why`: the decision, the way there, and what is like it."""

import json
from datetime import UTC, datetime

from webmine_assets.records import (
    Decision,
    RssEntry,
    Seed,
    SeedSource,
    SnapshotMeta,
)
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.cli.webmine import (
    Webmine,
    assert_clear,
)
from webmine_assets_tests.factories import NOON, ledger_row, snapshot


def test_why_tells_the_decision_and_a_near_miss(webmine: Webmine) -> None:
    rows = [
        ledger_row("https://u1.edu/a", reason="new", detail="because"),
        ledger_row("https://u1.edu/#/view", reason="new", detail="a route"),
    ]
    Lake(str(webmine.data / "lake")).write("url_ledger", "u1", rows)
    result = webmine("why", "https://u1.edu/a/?utm_source=x")
    assert result.returncode == 0
    assert "because" in result.stdout
    assert "because" in webmine("why", "https://u1.edu/a/#section").stdout
    unknown = webmine("why", "https://u1.edu/b")
    assert unknown.returncode == 1
    assert "never discovered" in unknown.stdout
    assert "https://u1.edu/a" in unknown.stdout
    assert "a route" in webmine("why", "u1.edu#/view").stdout
    assert_clear(webmine("why", "mailto:a@b.c"), 2, "not an http")


def test_why_tells_what_a_browser_had_to_do_with_a_page(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    lake.write("url_ledger", "u1", [ledger_row("https://u1.edu/a", reason="new")])
    meta = SnapshotMeta(rendered=True, render_reason="empty_root", render_ms=228)
    lake.write("page_snapshots", "u1", [snapshot("https://u1.edu/a", meta=meta)])
    account = "rendered in a browser: empty_root, 228 ms"
    assert f"\n  {account}\n" in webmine("why", "https://u1.edu/a").stdout
    (row,) = json.loads(webmine("why", "https://u1.edu/a", "--json").stdout)
    assert row["rendering"] == account


def test_why_says_how_a_url_was_found_and_where_it_leads(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    failed = {"decision": Decision.HTTP_ERROR, "reason": "http_404", "depth": 0}
    rows = [
        ledger_row("https://u1.edu/", reason="new", detail="sha256:00"),
        ledger_row("https://u1.edu/fed", reason="new"),
        ledger_row("https://u1.edu/listed", reason="new"),
        ledger_row("https://u1.edu/kept", reason="new"),
        ledger_row("https://u1.edu/imported", reason="imported"),
        ledger_row("https://u1.edu/old", **failed),
        ledger_row("https://u1.edu/new", discovered_from="https://u1.edu/old", **failed),
        ledger_row("https://u1.edu/b", Decision.ALIAS, reason="checksum", detail="https://u1.edu/"),
    ]
    lake.write("url_ledger", "u1", rows)
    lake.write(
        "seeds",
        "u1",
        [
            Seed(institution="u1", url=url, source=source, via=via, added_at=NOON)
            for url, source, via in (
                ("https://u1.edu/", SeedSource.CONFIG, "u1.yaml"),
                ("https://u1.edu/fed/?utm_source=x", SeedSource.FEED, "https://u1.edu/rss"),
                ("https://u1.edu/listed", SeedSource.CSV, "list.csv:2"),
            )
        ],
    )
    page = snapshot(
        "https://u1.edu/imported",
        meta=SnapshotMeta(source="warc"),
        rss_entry=RssEntry(via="old.warc.gz"),
    )
    lake.write("page_snapshots", "u1", [page])
    for url, words in {
        "https://u1.edu/": "a starting point, in u1.yaml",
        "u1.edu": "checksum of its text: sha256:00",
        "https://u1.edu/fed": "announced by the feed https://u1.edu/rss",
        "https://u1.edu/listed": "listed in list.csv:2",
        "https://u1.edu/kept": "known from an earlier crawl",
        "https://u1.edu/imported": "imported from old.warc.gz",
        "https://u1.edu/old": "it leads to: https://u1.edu/new",
        "https://u1.edu/b": "the page is stored as: https://u1.edu/",
    }.items():
        assert words in webmine("why", url).stdout
    assert "starting point" not in webmine("why", "https://u1.edu/kept").stdout


def test_why_names_only_what_is_like_it(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    urls = ["https://u1.edu/news/1", "https://u1.edu/people/staff", "https://u2.edu/news/2"]
    lake.write("url_ledger", "u1", [ledger_row(url) for url in urls])
    shown = webmine("why", "https://u1.edu/news/2").stdout
    assert "u1 " in shown
    assert [url in shown for url in urls] == [True, False, False]
    relative = webmine("why", "news/1")
    assert relative.returncode == 1
    assert "news/1 is no full address; read as https://news/1" in relative.stdout
    assert_clear(webmine("why", "/news/1"), 2, "not an http or https URL")
    assert_clear(webmine("why", "u1.edu:99999/x"), 2, "the port 99999 is none")


def test_why_knows_a_url_that_waits_for_the_next_crawl(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    seed = Seed(
        institution="u1",
        url="https://u1.edu/new",
        source=SeedSource.CSV,
        via="list.csv:2",
        added_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    lake.write("seeds", "u1", [seed])
    answer = webmine("why", "https://u1.edu/new")
    assert answer.returncode == 1
    assert "waits for the next crawl" in answer.stdout
    assert "webmine run u1" in answer.stdout
