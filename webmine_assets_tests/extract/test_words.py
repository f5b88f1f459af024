import pytest

from webmine_assets.extract.words import count_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("three more words", 3),
        ("drei schöne Wörter\n", 3),
        ("新校区 2024", 4),
        ("東京大学のnewキャンパス", 11),
        ("새로운 캠퍼스", 2),
        ("الحرم الجامعي الجديد", 3),
    ],
)
def test_words_are_counted_as_the_script_writes_them(text: str, words: int) -> None:
    assert count_words(text) == words
