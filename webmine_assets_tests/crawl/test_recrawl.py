"""A second crawl: fresh pages, confirmed pages, pages that changed or went away."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.crawl.cache import InMemoryPrevious
from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchRequest,
    FetchResponse,
)
from webmine_assets.crawl.network.clock import FakeClock
from webmine_assets.records import PageSnapshot
from webmine_assets_tests.crawl.site import (
    ORIGIN,
    Crawled,
    check_sums,
    crawl_site,
    failure,
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


_DOWN = FakeClock().utcnow() + timedelta(days=30)
_BACK = FakeClock().utcnow() + timedelta(days=31)

Pages = dict[str, Any]


async def _again(
    pages: Pages, folder: Path, last: Crawled, *, at: datetime = _DOWN, **options: Any
) -> Crawled:
    again = await crawl_site(
        pages, folder, previous=InMemoryPrevious(last.rows), clock=FakeClock(at), **options
    )
    check_sums(again)
    return again


def _failing(path: str, reason: FetchReason | int) -> FetchResponse | FetchFailure:
    url = ORIGIN + path
    if isinstance(reason, FetchReason):
        return failure(url, reason)
    return response(url, html(f"error {reason}"), status=reason)


def _as_it_was(rows: list[PageSnapshot]) -> list[PageSnapshot]:
    return [replace(row, meta=replace(row.meta, from_cache=False)) for row in rows]


OUTAGE = {
    "/": html("home", links=["/a", "/b", "/old", "/copy", "/named"]),
    "/a": response(f"{ORIGIN}/a", html("a", links=["/c"]), etag='"a"'),
    "/b": html("b"),
    "/c": html("c"),
    "/old": response(f"{ORIGIN}/b", html("b"), redirects=(f"{ORIGIN}/old",)),
    "/copy": html("a"),
    "/named": html("named", head='<link rel="canonical" href="/b">'),
}
_ALIASES = ["/old", "/copy", "/named"]


@pytest.mark.parametrize("reason", [FetchReason.CONNECT, 503])
async def test_an_outage_takes_nothing_away(tmp_path: Path, reason: FetchReason | int) -> None:
    config = institution(ttl_days=1)
    first = await crawl_site(OUTAGE, tmp_path, config=config)
    down: Pages = {"/robots.txt": _failing("/robots.txt", reason)}
    outage = await _again(down, tmp_path, first, config=config)
    assert _as_it_was(outage.rows) == first.rows
    assert all(row.meta.from_cache for row in outage.rows)
    assert {outage.decision(path) for path in first.paths} == {"kept:robots_unreachable"}
    assert [outage.decision(path) for path in _ALIASES] == [
        first.decision(path) for path in _ALIASES
    ]
    found = [{(r.url, r.depth, r.discovered_from) for r in c.ledger} for c in (first, outage)]
    assert found[0] == found[1]
    assert outage.asked == [f"{ORIGIN}/robots.txt"]
    assert outage.report.stopped_by == "finished"
    assert outage.report.counters.pages_kept == outage.report.counters.pages_used == 4
    kept = next(row for row in outage.ledger if row.url == f"{ORIGIN}/a")
    assert kept.detail.startswith(f"{ORIGIN}/robots.txt: ")
    assert kept.detail.endswith(f"; as of {FakeClock().utcnow():%Y-%m-%d}")
    assert kept.decided_at == _DOWN

    back = await _again(OUTAGE, tmp_path, outage, at=_BACK, config=config)
    assert {back.decision(path) for path in first.paths} == {"stored:unchanged"}
    assert [row.first_seen_at for row in back.rows] == [row.first_seen_at for row in first.rows]


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        (503, "kept:http_503"),
        (403, "kept:http_403"),
        (FetchReason.TIMEOUT, "kept:timeout"),
        (FetchReason.TLS, "kept:tls"),
        (404, "http_error:gone"),
        (401, "http_error:http_401"),
        (FetchReason.BLOCKED_ADDRESS, "fetch_error:blocked_address"),
    ],
)
async def test_a_page_that_cannot_be_asked_for_stays_and_leads_on(
    tmp_path: Path, answer: FetchReason | int, decision: str
) -> None:
    config = institution(ttl_days=1)
    first = await crawl_site(OUTAGE, tmp_path, config=config)
    changed = {"/a": _failing("/a", answer), "/c": html("c, changed")}
    again = await _again(OUTAGE | changed, tmp_path, first, config=config)
    assert again.decision("/a") == decision
    assert again.decision("/c") == "stored:changed"
    if decision.startswith("kept"):
        assert _as_it_was([again.page("/a")]) == [first.page("/a")]
        assert again.decision("/copy") == "alias:checksum"
        assert again.report.counters.errors == 0
        (row,) = (row for row in again.ledger if row.url == f"{ORIGIN}/c")
        assert row.discovered_from == f"{ORIGIN}/a"
    else:
        assert "/a" not in again.paths
        assert again.decision("/copy") == "stored:unchanged"


async def test_a_fault_of_ours_takes_nothing_away(tmp_path: Path) -> None:
    def breaks(request: FetchRequest) -> FetchResponse:
        raise ZeroDivisionError

    config = institution(ttl_days=1)
    first = await crawl_site(OUTAGE, tmp_path, config=config)
    again = await _again(OUTAGE | {"/b": breaks}, tmp_path, first, config=config)
    assert again.decision("/b") == "kept:internal"


async def test_an_alias_that_fails_does_not_speak_for_its_page(tmp_path: Path) -> None:
    """Else a page would never be renewed while an old address of it is down for good."""
    config = institution(ttl_days=1)
    # Asked for first, so that nothing is known yet of the page that it led to.
    pages = OUTAGE | {"/": html("home", links=["/old"])}
    first = await crawl_site(pages, tmp_path, config=config)
    assert first.page("/b").requested_url == f"{ORIGIN}/old"
    dead = pages | {"/old": _failing("/old", FetchReason.DNS)}
    again = await _again(dead | {"/b": html("b, changed")}, tmp_path, first, config=config)
    assert again.decision("/b") == "stored:changed"
    assert again.decision("/old") == "fetch_error:dns"
    both = await _again(dead | {"/b": _failing("/b", 500)}, tmp_path, first, config=config)
    assert both.decision("/b") == "kept:http_500"
    assert both.decision("/old") == "alias:redirect"


async def test_a_new_address_that_fails_does_not_speak_for_the_page_it_leads_to(
    tmp_path: Path,
) -> None:
    config = institution(ttl_days=1)
    first = await crawl_site(OUTAGE, tmp_path, config=config)
    failed = response(f"{ORIGIN}/b", b"", status=503, redirects=(f"{ORIGIN}/new",))
    changed = {"/": html("home", links=["/new"]), "/new": failed, "/b": html("b, changed")}
    again = await _again(OUTAGE | changed, tmp_path, first, config=config)
    assert again.decision("/new") == "http_error:http_503"
    assert again.decision("/b") == "stored:changed"


async def test_a_canonical_address_that_nobody_was_at_is_not_asked_for(tmp_path: Path) -> None:
    named = html("page", head='<link rel="canonical" href="/p">')
    pages: Pages = {"/": html("home", links=["/p?id=1"]), "/p?id=1": named}
    config = institution(ttl_days=1)
    first = await crawl_site(pages, tmp_path, config=config)
    assert first.decision("/p?id=1") == "alias:canonical"
    down = pages | {"/p?id=1": _failing("/p?id=1", 502)}
    again = await _again(down, tmp_path, first, config=config)
    assert again.decision("/p") == "kept:http_502"
    assert again.decision("/p?id=1") == "alias:canonical"
    assert again.asked_pages() == ["/", "/p?id=1"]


async def test_a_kept_page_must_pass_todays_rules(tmp_path: Path) -> None:
    first = await crawl_site(OUTAGE, tmp_path)
    config = institution(ttl_days=1, disallowed_paths=["/b"], policy={"min_text_length": 10_000})
    down: Pages = {"/robots.txt": _failing("/robots.txt", FetchReason.TIMEOUT)}
    again = await _again(down, tmp_path, first, config=config)
    assert again.decision("/b") == "disallowed_path:path"
    assert again.decision("/a") == "content_policy:min_text"
    allowed = institution(ttl_days=1)
    robots = response(f"{ORIGIN}/robots.txt", b"User-agent: *\nDisallow: /b")
    refused = await _again(OUTAGE | {"/robots.txt": robots}, tmp_path, first, config=allowed)
    assert refused.decision("/b") == "robots_blocked:robots_rule"


async def test_kept_pages_count_as_pages(tmp_path: Path) -> None:
    first = await crawl_site(OUTAGE, tmp_path)
    down: Pages = {"/robots.txt": _failing("/robots.txt", FetchReason.TIMEOUT)}
    config = institution(ttl_days=1, max_pages=2)
    again = await _again(down, tmp_path, first, config=config)
    assert again.paths == first.paths[:2]
    assert again.report.stopped_by == "max_pages"
    assert again.decision("/c") == "over_pages:max_pages"


def _wide(topic: str = "page") -> Pages:
    """A home page and thirty more, which only it links to; the last one twice."""
    names = [f"/p{number}" for number in range(30)]
    pages = {name: html(f"{topic} {name}") for name in names}
    return pages | {"/": html("home", links=[*names, "/copy"]), "/copy": html(f"{topic} /p29")}


async def test_pages_that_time_left_unasked_stay_and_a_replay_keeps_the_same(
    tmp_path: Path,
) -> None:
    first = await crawl_site(_wide(), tmp_path)
    config = institution(ttl_days=1, budgets={"max_seconds": 10})
    short, replayed = [
        await _again(
            _wide("new") | {"/p3": _failing("/p3", 503), "/p30": html("p30")},
            tmp_path,
            first,
            config=config,
            connections=1,
            latency_s=lambda _, wait_s=wait_s: wait_s,
            publish=False,
        )
        for wait_s in (1.0, 0.001)
    ]
    assert short.report.stopped_by == "max_seconds"
    assert sorted(short.paths) == sorted(first.paths)
    assert short.decision("/p2") == "stored:changed"
    assert short.decision("/p3") == "kept:http_503"
    assert short.decision("/p20") == "kept:max_seconds"
    assert short.decision("/copy") == "alias:checksum"
    assert _as_it_was([short.page("/p20")]) == [first.page("/p20")]
    assert short.report.decisions["stored"] + short.report.decisions["kept"] == 31
    assert replayed.asked == []
    assert (replayed.rows, replayed.ledger) == (short.rows, short.ledger)


@pytest.mark.parametrize("budget", [{"max_bytes": 2_000}, {"max_bytes": 1}])
async def test_pages_that_bytes_left_unasked_stay_though_nothing_led_to_them(
    tmp_path: Path, budget: dict[str, int]
) -> None:
    first = await crawl_site(_wide(), tmp_path)
    config = institution(ttl_days=1, budgets=budget)
    unlinked = _wide() | {"/": html("home", links=["/other"]), "/other": html("other")}
    again = await _again(unlinked, tmp_path, first, config=config)
    assert again.report.stopped_by == "max_bytes"
    assert set(again.paths) >= set(first.paths)
    assert again.decision("/p20") == "kept:max_bytes"


async def test_fewer_pages_for_one_run_leave_the_others_as_they_were(tmp_path: Path) -> None:
    first = await crawl_site(_wide(), tmp_path)
    config = institution(ttl_days=1, max_pages=3)
    some = await _again(_wide("new"), tmp_path, first, config=config, max_kept=500)
    assert some.report.stopped_by == "max_pages"
    assert sorted(some.paths) == sorted(first.paths)
    assert [some.decision(path) for path in ("/p0", "/p1", "/p2")] == [
        "stored:changed",
        "stored:changed",
        "kept:max_pages",
    ]
    fewer = await _again(_wide("new"), tmp_path, first, config=config, max_kept=20)
    assert len(fewer.rows) == 20
    by_choice = await _again(_wide("new"), tmp_path, first, config=config)
    assert len(by_choice.rows) == 3
    assert by_choice.decision("/p20") == "over_pages:max_pages"
