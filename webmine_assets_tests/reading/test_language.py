import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.reading.language import Language, detect

SENTENCES = {
    "en": "The university opens a new research centre for sustainable building this spring.",
    "de": "Die Universität eröffnet im Frühjahr ein neues Zentrum für nachhaltiges Bauen.",
    "fr": "L'université ouvre au printemps un nouveau centre de recherche sur la construction.",
    "es": "La universidad abre en primavera un nuevo centro de investigación sobre construcción.",
    "it": "L'università apre in primavera un nuovo centro di ricerca sull'edilizia sostenibile.",
    "pl": "Uniwersytet otwiera wiosną nowe centrum badań nad zrównoważonym budownictwem.",
    "ru": "Весной университет открывает новый исследовательский центр экологичного строительства.",
    "ja": "大学は春に持続可能な建築のための新しい研究センターを開設します。",
    "zh": "大学将于春季开设一个新的可持续建筑研究中心，欢迎各位参加。",
    "el": "Το πανεπιστήμιο ανοίγει την άνοιξη ένα νέο κέντρο έρευνας για βιώσιμες κατασκευές.",
    "ar": "تفتتح الجامعة في الربيع مركزًا جديدًا لأبحاث البناء المستدام في المدينة.",
}


@pytest.mark.parametrize(("code", "sentence"), SENTENCES.items())
def test_languages_are_told_apart(code: str, sentence: str) -> None:
    language = detect(sentence * 3)
    assert language is not None
    assert language.code == code
    assert language.confidence > 0.6


@pytest.mark.parametrize(
    "text", ["", "Hi", "12345 67890 12345 67890 !!!", "https://u1.edu/a/long/path/in"]
)
def test_too_little_text_has_no_language(text: str) -> None:
    assert detect(text) is None


def test_a_notice_in_another_language_does_not_decide() -> None:
    found = detect(SENTENCES["en"] * 2 + SENTENCES["de"] * 40)
    assert found is not None
    assert found.code == "de"


def test_the_same_text_gives_the_same_answer() -> None:
    text = SENTENCES["it"] + SENTENCES["es"]
    assert {detect(text) for _ in range(5)} == {detect(text)}


@given(text=st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    found = detect(text)
    assert found is None or (isinstance(found, Language) and 0 <= found.confidence <= 1)
