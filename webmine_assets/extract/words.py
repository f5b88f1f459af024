"""How many words a text has, also where words are not set apart by spaces."""

import re

# Kana and Han: Korean puts spaces between words.
_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def count_words(text: str) -> int:
    """Runs between spaces; each sign of Chinese and Japanese is one, as in word processors."""
    if text.isascii():
        return len(text.split())
    rest, signs = _WITHOUT_SPACES.subn(" ", text)
    return signs + len(rest.split())
