from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata.cascade import Offer, Rejected, Source, run
from webmine_assets.extract.metadata.evidence import gather
from webmine_assets_tests.extract.metadata.pages import TODAY, URL, page


def _evidence():
    document = Document.parse(page(), url=URL)
    return gather(document, url=URL, today=TODAY, main=None)


def _source(name, *raws, last_resort=False):
    return Source(name, lambda evidence: [Offer(raw) for raw in raws], last_resort)


def _short(raw, source, evidence):
    return raw if len(raw) < 5 else Rejected("too long")


def test_the_first_valid_offer_wins_and_the_others_lose_with_a_reason():
    sources = [_source("a", "far too long"), _source("b", "good", "next"), _source("c", "late")]
    outcome = run("field", sources, _evidence(), _short)
    assert outcome.value == "good"
    assert outcome.provenance.source == "field:b"
    assert [(lost.source, lost.reason) for lost in outcome.provenance.lost] == [
        ("field:a", "too long"),
        ("field:b", "field:b came first"),
        ("field:c", "field:b came first"),
    ]


def test_all_valid_offers_of_a_gathered_source_are_kept():
    sources = [_source("a", "one", "far too long", "two"), _source("b", "late")]
    outcome = run("field", sources, _evidence(), _short, gather=frozenset({"a"}))
    assert outcome.values == ("one", "two")


def test_a_last_resort_is_not_read_after_a_win():
    def fail(evidence):
        raise AssertionError

    outcome = run("field", [_source("a", "good"), Source("b", fail, True)], _evidence(), _short)
    assert outcome.value == "good"


def test_a_flaw_of_the_place_rejects_before_the_check():
    sources = [Source("a", lambda evidence: [Offer("good", "in a menu")])]
    outcome = run("field", sources, _evidence(), _short)
    assert (outcome.value, outcome.provenance.source) == (None, "")
    assert outcome.provenance.lost[0].reason == "in a menu"


def test_raw_values_and_losers_are_bounded():
    sources = [_source("a", *["x" * 10_000] * 200)]
    lost = run("field", sources, _evidence(), _short).provenance.lost
    assert len(lost) == 24
    assert len(lost[0].raw) == 500
