import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmine_assets.crawl.exchange import (
    FetchFailure,
    FetchReason,
    FetchResponse,
    Refusal,
    RenderedPage,
    RenderFailure,
)
from webmine_assets.crawl.recovery.entry import Entry, pack, unpack
from webmine_assets.crawl.recovery.journal import (
    STALE_AFTER,
    CrawlHeader,
    Journal,
    Stop,
    left_header,
    open_journal,
)
from webmine_assets.crawl.recovery.spool import Spool
from webmine_assets.errors import JournalError

NOW = datetime.now(UTC)


def _header(digest: str = "d1", started_at: datetime = NOW) -> CrawlHeader:
    return CrawlHeader(
        institution="u1",
        config_digest=digest,
        started_at=started_at,
        seeds=(("https://u1.edu/news", "feed"),),
    )


def _response(number: int, body: bytes = b"<p>body</p>") -> FetchResponse:
    url = f"https://u1.edu/{number}"
    return FetchResponse(
        requested_url=url,
        url=url,
        status=200,
        headers={"content-type": "text/html", "x": "ä\n"},
        body=body,
        fetched_at=NOW,
        redirects=("https://u1.edu/old",),
        elapsed_s=0.25,
        wire_bytes=len(body),
    )


def _fill(path: Path, count: int) -> int:
    with open_journal(path, _header()) as journal:
        for number in range(count):
            journal.append("page", f"https://u1.edu/{number}", _response(number))
    return path.stat().st_size


def _numbers(journal: Journal, count: int) -> list[int]:
    return [n for n in range(count) if journal.find("page", f"https://u1.edu/{n}")]


@pytest.mark.parametrize(
    "entry",
    [
        _response(1, b"\x00\xff\n\n" * 50),
        FetchFailure(
            requested_url="https://u1.edu/",
            reason=FetchReason.REDIRECT_REFUSED,
            detail="x",
            fetched_at=NOW,
            redirects=("https://u1.edu/",),
            refusal=Refusal(decision="out_of_scope", reason="host", detail="other"),
        ),
        FetchFailure(
            requested_url="https://u1.edu/", reason=FetchReason.DNS, detail="", fetched_at=NOW
        ),
        RenderedPage(
            url="https://u1.edu/",
            html="<p>ä\ud800",
            title="t",
            elapsed_ms=3,
            blocked=("a b",),
            screenshot_png=b"\x89PNG",
            moved_to="https://u1.edu/1",
            document=_response(1, b""),
            links_to=("https://u1.edu/doc.pdf",),
        ),
        RenderFailure(url="https://u1.edu/", reason="timeout", detail="15 s", elapsed_ms=15000),
    ],
)
def test_entry_reads_back_as_it_was_written(entry: Entry) -> None:
    assert unpack(pack(entry)) == entry


def test_rendering_of_an_earlier_version_reads_back() -> None:
    page = RenderedPage(url="https://u1.edu/", html="<p>", title="t", elapsed_ms=3)
    line, _, body = pack(page).partition(b"\n")
    fields = json.loads(line)
    del fields["document"], fields["links_to"]
    assert unpack(json.dumps(fields).encode() + b"\n" + body) == page


@given(st.binary(max_size=2000), st.dictionaries(st.text(), st.text()))
def test_any_response_survives(body: bytes, headers: dict[str, str]) -> None:
    response = FetchResponse(
        requested_url="u", url="u", status=1, headers=headers, body=body, fetched_at=NOW
    )
    assert unpack(pack(response)) == response


def test_reopened_journal_has_everything_and_the_first_start(tmp_path: Path) -> None:
    path = tmp_path / "j"
    _fill(path, 20)
    with open_journal(path, _header(started_at=NOW + timedelta(minutes=5))) as journal:
        assert journal.resumed
        assert journal.header == _header()
        assert _numbers(journal, 25) == list(range(20))
        assert journal.find("robots", "https://u1.edu/1") is None
        assert journal.find("page", "https://u1.edu/3") == _response(3)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_cut_at_any_byte_the_whole_frames_before_it_survive(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("cut") / "j"
    size = _fill(path, 8)
    cut = data.draw(st.integers(0, size))
    os.truncate(path, cut)
    with open_journal(path, _header()) as journal:
        found = _numbers(journal, 8)
        assert found == list(range(len(found)))
        assert cut < size or len(found) == 8
        journal.append("page", "https://u1.edu/7", _response(7))
    with open_journal(path, _header()) as journal:
        assert _numbers(journal, 8) == sorted({*found, 7})


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_damaged_byte_never_gives_a_wrong_entry(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("damage") / "j"
    size = _fill(path, 5)
    place = data.draw(st.integers(0, size - 1))
    content = bytearray(path.read_bytes())
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    with open_journal(path, _header()) as journal:
        for number in _numbers(journal, 5):
            assert journal.find("page", f"https://u1.edu/{number}") == _response(number)


@pytest.mark.parametrize(
    ("header", "age"),
    [(_header("d2"), timedelta()), (_header(started_at=NOW + STALE_AFTER * 2), timedelta())],
)
def test_other_configuration_or_old_journal_starts_anew(
    tmp_path: Path, header: CrawlHeader, age: timedelta
) -> None:
    path = tmp_path / "j"
    _fill(path, 3)
    with open_journal(path, header) as journal:
        assert not journal.resumed
        assert journal.header == header
        assert len(journal) == 0


def test_time_spent_and_a_stop_are_remembered(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with open_journal(path, _header()) as journal:
        journal.append_spent(12.5)
        journal.append_stop(Stop(7, frozenset({"page a"})))
    with open_journal(path, _header()) as journal:
        assert (journal.spent_s, journal.stop) == (12.5, Stop(7, frozenset({"page a"})))
        journal.remove()
    assert not path.exists()


def test_unusable_place_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="file"):
        open_journal(tmp_path / "file" / "j", _header())
    (tmp_path / "folder").mkdir()
    with pytest.raises(JournalError, match="folder"):
        open_journal(tmp_path / "folder", _header())


def test_second_crawl_at_the_same_time_is_refused(tmp_path: Path) -> None:
    with (
        open_journal(tmp_path / "j", _header()),
        pytest.raises(JournalError, match="another crawl"),
    ):
        open_journal(tmp_path / "j", _header())
    open_journal(tmp_path / "j", _header()).close()


def test_a_journal_that_is_thrown_away_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "j"
    _fill(path, 3)
    assert caplog.messages == []
    open_journal(path, _header("d2")).close()
    open_journal(path, _header("d2", started_at=NOW + STALE_AFTER * 2)).close()
    path.write_bytes(b"something else")
    open_journal(path, _header()).close()
    assert [message.removeprefix(f"{path}: ") for message in caplog.messages] == [
        "the institution's settings changed since its crawl was interrupted; the crawl starts anew",
        "its crawl was interrupted more than a day ago; the crawl starts anew",
        "the journal of an interrupted crawl is damaged; the crawl starts anew",
    ]


def test_a_header_is_read_without_changing_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "j"
    assert left_header(path) is None
    _fill(path, 3)
    before = path.read_bytes()
    assert left_header(path) == _header()
    assert path.read_bytes() == before


def test_a_body_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with open_journal(tmp_path / "j", _header()) as journal:
        journal.append("page", "https://u1.edu/1", _response(1, b""))
        assert journal.read_body("page", "https://u1.edu/1") == b""
        with pytest.raises(JournalError, match=r"no page of https://u1\.edu/2"):
            journal.read_body("page", "https://u1.edu/2")


def test_a_removed_journal_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "j"
    first = open_journal(path, _header())
    path.unlink()
    with open_journal(path, _header()) as second:
        second.append("page", "https://u1.edu/1", _response(1))
        # Closing the first must not free what the second holds.
        first.close()
        with pytest.raises(JournalError, match="another crawl"):
            open_journal(path, _header())
    with open_journal(path, _header()) as again:
        assert len(again) == 1


def test_a_full_disk_is_told_once_and_cleaning_up_adds_nothing() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    spool: Spool[str] = _FullSpool(full)
    with pytest.raises(JournalError, match="cannot write: No space left"):
        _write_and_clean_up(spool)


class _FullSpool(Spool[str]):
    """A spool on a device that is always full; the device itself stays."""

    def remove(self) -> None:
        self._path = Path("/dev/full/nothing")
        super().remove()


def _write_and_clean_up(spool: Spool[str]) -> None:
    try:
        spool.append("a row")
        list(spool)
    finally:
        spool.remove()
