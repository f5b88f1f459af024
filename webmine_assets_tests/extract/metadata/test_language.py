import pytest

from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata import extract_metadata
from webmine_assets.reading.language import Language
from webmine_assets_tests.extract.metadata.pages import (
    TODAY,
    URL,
    PlainContent,
    meta,
    metadata_of,
    page,
    provenance_of,
)

GERMAN = "Der Rat der Stadt hat am Montag beschlossen, eine neue Brücke über den Fluss zu bauen."


def test_the_text_decides_and_the_declaration_stands_beside_it():
    metadata = metadata_of(page("", "<p>x</p>", lang="en-GB"), text=GERMAN)
    assert (metadata.language, metadata.declared_language) == ("de", "en")
    assert 0.5 < metadata.language_confidence <= 1
    assert provenance_of(metadata, "language").lost[0].source == "language:html:lang"


@pytest.mark.parametrize(
    ("head", "lang", "declared"),
    [
        (meta("content-language", "fr", key="http-equiv"), "de-AT", "de"),
        (meta("content-language", "fr-CA, en", key="http-equiv"), "", "fr"),
        (meta("og:locale", "pt_BR", key="property"), "", "pt"),
        (meta("DC.language", "es"), "", "es"),
        ("", "not a language", None),
        ("", "", None),
    ],
)
def test_declarations_are_read_in_order(head, lang, declared):
    assert metadata_of(page(head, lang=lang)).declared_language == declared


def test_too_little_text_has_no_language():
    metadata = metadata_of(page(), text="ok")
    assert (metadata.language, metadata.language_confidence) == (None, None)


def test_a_language_known_from_the_crawl_is_taken_over():
    document = Document.parse(page(), url=URL)
    known = Language("fr", 0.97)
    metadata = extract_metadata(
        document, PlainContent(GERMAN), url=URL, today=TODAY, known_language=known
    )
    assert (metadata.language, metadata.language_confidence) == ("fr", 0.97)
