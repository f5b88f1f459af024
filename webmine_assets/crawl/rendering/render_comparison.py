"""Did rendering a page add anything to what the light fetch gave? Pure."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

# A sentence of words must be new, and a quarter of the page: widgets (share buttons, opening hours,
# "related") are about that size on pages that are complete without scripts.
MIN_NEW_WORDS = 10
MIN_NEW_SHARE = 0.25
# Menus built by script bring many links at once; one or two are a login or a language switch.
MIN_NEW_LINKS = 5
MIN_NEW_LINKS_SHARE = 0.5

_WORD = re.compile(r"\w+")
# Consent banners are put into complete pages by script and are no content of theirs.
_CONSENT = re.compile(r"\b(cookies?|consent|gdpr|dsgvo|einwilligung|rgpd)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RenderGain:
    """What the render brought; `added` is the verdict the host policy learns from."""

    added: bool
    new_words: int
    new_links: int


def compare(
    *,
    light_text: str,
    rendered_text: str,
    light_links: Collection[str] = (),
    rendered_links: Collection[str] = (),
) -> RenderGain:
    """Compare the plain texts and the links of a page before and after its scripts ran."""
    light, rendered = _words(light_text), _words(rendered_text)
    new_words = (rendered - light).total()
    new_links = len(set(rendered_links) - set(light_links))
    added = _is_gain(new_words, light.total(), MIN_NEW_WORDS, MIN_NEW_SHARE) or _is_gain(
        new_links, len(set(light_links)), MIN_NEW_LINKS, MIN_NEW_LINKS_SHARE
    )
    return RenderGain(added, new_words, new_links)


def _is_gain(new: int, before: int, least: int, share: float) -> bool:
    # A page that had nothing gains by anything: a client-rendered notice may have four words.
    return new >= max(least, share * before) if before else new > 0


def _words(text: str) -> Counter[str]:
    kept = (line for line in text.splitlines() if not _CONSENT.search(line))
    return Counter(word for line in kept for word in _WORD.findall(line.casefold()))
