import pytest

from webmine_assets.crawl.identity import (
    MAX_LASTMODS,
    MAX_VARIANTS,
    MAX_VARIANTS_IN_ALL,
    Identities,
    is_credible_canonical,
)

PAGE = "https://u1.edu/a"


def test_page_is_known_by_its_url_and_by_its_text() -> None:
    identities = Identities()
    assert identities.owner(PAGE, "sha256:1", has_text=True) is None
    identities.store(PAGE, "sha256:1", requested_url=PAGE)
    assert identities.owner(PAGE, "sha256:2", has_text=True) == PAGE
    assert identities.owner("https://u1.edu/b", "sha256:1", has_text=True) == PAGE
    assert identities.owner("https://u1.edu/b", "sha256:1", has_text=False) is None


def test_first_reason_of_an_alias_stays() -> None:
    identities = Identities()
    identities.store(PAGE, "sha256:1", requested_url=PAGE)
    identities.add_alias(PAGE, f"{PAGE}?x", "redirect")
    identities.add_alias(PAGE, f"{PAGE}?x", "checksum")
    assert identities.aliases(PAGE) == {f"{PAGE}?x": "redirect"}


def test_sitemap_date_is_found_under_the_url_of_a_page_or_its_alias() -> None:
    identities = Identities()
    identities.note_lastmod(f"{PAGE}?x", "2026-01-02")
    identities.note_lastmod(f"{PAGE}?x", "1999-01-01")
    identities.store(PAGE, "sha256:1", requested_url=PAGE)
    assert identities.lastmod(PAGE) is None
    identities.add_alias(PAGE, f"{PAGE}?x", "redirect")
    assert identities.lastmod(PAGE) == "2026-01-02"


def test_sitemap_dates_are_bounded() -> None:
    identities = Identities()
    urls = [f"https://u1.edu/{number}" for number in range(MAX_LASTMODS + 1)]
    for url in urls:
        identities.note_lastmod(url, "2026-01-02")
    for url in urls[-2:]:
        identities.store(url, f"sha256:{url}", requested_url=url)
    assert [identities.lastmod(url) for url in urls[-2:]] == ["2026-01-02", None]


def test_spellings_are_bounded_and_only_those_of_stored_pages_are_told() -> None:
    identities = Identities()
    for number in range(MAX_VARIANTS + 5):
        identities.note_variant(PAGE, f"{PAGE}?sid={number}", (1, None))
        identities.note_variant("https://u1.edu/refused", f"{PAGE}?r={number}", (1, None))
    identities.store(PAGE, "sha256:1", requested_url=f"{PAGE}?sid=0")
    told = list(identities.variants())
    assert len(told) == MAX_VARIANTS - 1
    assert all(key == PAGE and spelling != f"{PAGE}?sid=0" for key, spelling, _ in told)


def test_spellings_of_all_urls_together_are_bounded() -> None:
    identities = Identities()
    for number in range(MAX_VARIANTS_IN_ALL + 5):
        identities.note_variant(f"{PAGE}/{number}", f"{PAGE}/{number}/", (1, None))
    for number in range(MAX_VARIANTS_IN_ALL - 5, MAX_VARIANTS_IN_ALL + 5):
        url = f"{PAGE}/{number}"
        identities.store(url, f"sha256:{number}", requested_url=url)
    assert len(list(identities.variants())) == 5


@pytest.mark.parametrize(
    ("canonical", "final", "expected"),
    [
        ("https://u1.edu/b", PAGE, True),
        ("https://u1.edu/", PAGE, False),
        ("https://u1.edu", PAGE, False),
        ("https://u1.edu/", "https://u1.edu/", True),
        ("https://u1.edu/", "https://u1.edu/?lang=en", True),
        ("https://cs.u1.edu/", PAGE, False),
    ],
)
def test_home_page_as_canonical_of_every_page_is_not_believed(
    canonical: str, final: str, expected: bool
) -> None:
    assert is_credible_canonical(canonical, final) is expected
