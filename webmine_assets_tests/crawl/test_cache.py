from datetime import timedelta

import pytest

from webmine_assets.crawl.cache import (
    InMemoryPrevious,
    NoPrevious,
    Previous,
    Request,
    choose_request,
    light,
)
from webmine_assets.records import SnapshotMeta
from webmine_assets_tests.factories import NOON, snapshot

URL, OLD = "https://u1.edu/a", "https://u1.edu/old"


def _previous(**fields: object) -> Previous:
    row = snapshot(URL, etag='"e"', meta=SnapshotMeta())
    values = {name: getattr(light(row), name) for name in Previous.__slots__} | fields
    return Previous(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "previous", "age_days", "expected"),
    [
        (URL, None, 0, Request.PLAIN),
        (URL, _previous(), 6.9, Request.NOTHING),
        (URL, _previous(), 0, Request.NOTHING),
        (URL, _previous(), -0.01, Request.CONDITIONAL),
        (URL, _previous(), 7, Request.CONDITIONAL),
        (URL, _previous(etag=None), 7, Request.PLAIN),
        (URL, _previous(etag=None, last_modified="Mon"), 7, Request.CONDITIONAL),
        (OLD, _previous(requested_url=OLD, aliases={OLD: "redirect"}), 8, Request.CONDITIONAL),
        (URL, _previous(requested_url=OLD, aliases={OLD: "redirect"}), 8, Request.CONDITIONAL),
        (URL, _previous(requested_url=OLD, aliases={OLD: "canonical"}), 8, Request.PLAIN),
        (OLD, _previous(requested_url=OLD, aliases={OLD: "canonical"}), 8, Request.CONDITIONAL),
        (OLD, _previous(aliases={OLD: "checksum"}), 8, Request.PLAIN),
        (URL, _previous(rendered=True), 8, Request.PLAIN),
        (URL, _previous(rendered=True), 1, Request.NOTHING),
        (OLD, _previous(aliases={OLD: "checksum"}), 1, Request.NOTHING),
    ],
)
def test_request_follows_age_and_validators(
    url: str, previous: Previous | None, age_days: float, expected: Request
) -> None:
    started_at = NOON + timedelta(days=age_days)
    assert choose_request(url, previous, started_at=started_at, ttl_days=7) is expected


def test_rows_are_found_by_every_name() -> None:
    meta = SnapshotMeta(alias_urls=(OLD,), alias_reasons=("redirect",))
    row = snapshot(URL, requested_url="https://u1.edu/a/", meta=meta)
    previous = InMemoryPrevious([row])
    for url in (URL, OLD, "https://u1.edu/a/"):
        assert previous.find(url) == light(row)
    assert previous.find("https://u1.edu/b") is None
    assert previous.read(URL) is row
    assert list(previous.urls()) == [URL]


def test_first_crawl_knows_nothing() -> None:
    assert NoPrevious().find(URL) is None
    assert list(NoPrevious().urls()) == []
    with pytest.raises(KeyError):
        NoPrevious().read(URL)
