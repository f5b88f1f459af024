"""A second crawl: fresh pages, confirmed pages, pages that changed or went away."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from webmine_assets.crawl.cache import InMemoryPrevious
from webmine_assets.crawl.exchange import (
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    Crawled,
    check_sums,
    crawl_site,
    html,
    institution,
    prose,
    response,
)


async def _first_and_second(
    tmp_path: Path, second: dict[str, Any], *, days: float, **config: Any
) -> tuple[Crawled, Crawled]:
    first_site = {
        "/": response(f"{ORIGIN}/", html("home", links=["/a", "/b", "/copy"]), etag='"h"'),
        "/a": response(f"{ORIGIN}/a", html("a", links=["/c"]), etag='"a"'),
        "/b": html("b"),
        "/c": html("c"),
        "/copy": html("a"),
    }
    first = await crawl_site(first_site, tmp_path, config=institution(**config))
    clock = FakeClock(start=FakeClock().utcnow() + timedelta(days=days))
    again = await crawl_site(
        first_site | second,
        tmp_path,
        config=institution(**config),
        previous=InMemoryPrevious(first.rows),
        clock=clock,
    )
    check_sums(again)
    return first, again


async def test_within_its_time_nothing_is_asked_for(tmp_path: Path) -> None:
    first, again = await _first_and_second(tmp_path, {}, days=1)
    assert again.asked_pages() == []
    assert [replace(r, meta=replace(r.meta, from_cache=False)) for r in again.rows] == first.rows
    assert all(row.meta.from_cache for row in again.rows)
    assert again.decision("/a") == "fresh:ttl"
    assert again.decision("/copy") == "alias:checksum"
    assert again.report.counters.cache_hits == 4


async def test_after_its_time_a_page_is_confirmed_changed_or_gone(tmp_path: Path) -> None:
    later = FakeClock().utcnow() + timedelta(days=30)

    def confirm(request: FetchRequest) -> FetchResponse:
        assert request.etag in ('"h"', '"a"')
        return replace(response(request.url, b"", status=304), fetched_at=later)

    changed = replace(response(f"{ORIGIN}/b", html("b, changed")), fetched_at=later)
    same = replace(response(f"{ORIGIN}/a", html("a", links=["/c"])), fetched_at=later)
    missing = replace(response(f"{ORIGIN}/c", b"", status=404), fetched_at=later)
    first, again = await _first_and_second(
        tmp_path, {"/": confirm, "/a": confirm, "/b": changed, "/c": missing}, days=30
    )
    assert [again.decision(path) for path in ("/", "/a", "/b", "/c")] == [
        "not_modified:304",
        "not_modified:304",
        "stored:changed",
        "http_error:gone",
    ]
    _, refetched = await _first_and_second(tmp_path, {"/a": same}, days=30)
    assert refetched.decision("/a") == "stored:unchanged"
    kept, new = again.page("/a"), again.page("/b")
    assert kept.body == first.page("/a").body
    assert kept.meta.from_cache
    assert (kept.fetched_at, kept.changed_at) == (later, first.page("/a").changed_at)
    assert (new.first_seen_at, new.changed_at) == (first.page("/b").first_seen_at, later)
    assert again.report.counters.pages_gone == 1


async def test_a_confirmed_page_does_not_speak_for_its_copies(tmp_path: Path) -> None:
    def confirmed(request: FetchRequest) -> FetchResponse:
        if request.etag:
            return response(request.url, b"", status=304)
        return response(request.url, html("a"), etag='"a"')

    pages = {
        "/": html("home", links=["/a", "/copy", "/says-a"]),
        "/a": confirmed,
        "/copy": html("a"),
        "/says-a": html("almost a", head='<link rel="canonical" href="/a">'),
    }
    config = institution(ttl_days=1)
    first = await crawl_site(pages, tmp_path / "first", config=config)
    assert first.decision("/copy") == "alias:checksum"
    assert first.decision("/says-a") == "alias:canonical"
    changed = {"/copy": html("news"), "/says-a": html("other news")}
    again = await crawl_site(
        pages | changed,
        tmp_path / "again",
        config=config,
        previous=InMemoryPrevious(first.rows),
        clock=FakeClock(FakeClock().utcnow() + timedelta(days=30)),
    )
    assert again.decision("/a") == "not_modified:304"
    assert [again.decision(path) for path in ("/copy", "/says-a")] == ["stored:changed"] * 2
    assert again.page("/copy").text == prose("news")


async def test_page_that_nothing_links_any_more_is_looked_up(tmp_path: Path) -> None:
    home = response(f"{ORIGIN}/", html("home without links"))
    missing = response(f"{ORIGIN}/b", b"", status=410)
    _, again = await _first_and_second(tmp_path, {"/": home, "/b": missing}, days=30)
    assert again.decision("/b") == "http_error:gone"
    assert "/a" in again.paths


async def test_last_partition_must_pass_todays_rules(tmp_path: Path) -> None:
    first = await crawl_site({"/": html("home", links=["/a"]), "/a": html("a")}, tmp_path)
    config = institution(disallowed_paths=["/a"], policy={"min_text_length": 10_000})
    again = await crawl_site({}, tmp_path, config=config, previous=InMemoryPrevious(first.rows))
    assert again.decision("/a") == "disallowed_path:path"
    assert again.decision("/") == "content_policy:min_text"
