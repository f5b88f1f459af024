"""Whether words are the name of a person, of an organisation, or no name at all."""

import re

from webmine_assets.extract.metadata.byline import HAN_NAME, PARTICLES, STOPS, is_capital
from webmine_assets.extract.metadata.months import MONTHS
from webmine_assets.extract.metadata.wording import word_set

MIN_CHARS, MAX_CHARS = 2, 100
MAX_WORDS = 6
_MAIL = re.compile(r"\S@\S")
_ADDRESS = re.compile(r"//|^/|^www\.|\.(?:html?|php)\b", re.IGNORECASE)
_COMPANY = re.compile(r"\b(?:gmbh|ag|inc|ltd|llc|kg)\b", re.IGNORECASE)
_NEVER_FIRST = (STOPS - PARTICLES) | word_set(
    """home menu login print contact kontakt tweet tags tagged schlagwörter schlagworte stichworte
    kategorien kategorie categories category filed abgelegt étiquettes etiquetas categorías"""
)
_ACCOUNTS = word_set(
    """admin administrator root user webmaster unknown anonymous anonym author null none undefined
    guest default wordpress wordpressadmin wpadmin superuser superadmin editor menu home login share
    print website site kontakt contact online name email e-mail false true tweet twitter facebook
    whatsapp pinterest linkedin"""
)
_COMPUTER_OWNERS = word_set(
    """user benutzer utilisateur usuario utente customer owner microsoft windows office acrobat
    adobe latex"""
)


def flaw_of(name: str) -> str:
    """Why this is no name; empty if it may be one."""
    words = name.split()
    if not MIN_CHARS <= len(name) <= MAX_CHARS:
        return f"not {MIN_CHARS} to {MAX_CHARS} characters"
    if _MAIL.search(name):
        return "an e-mail address"
    if _ADDRESS.search(name):
        return "an address"
    if name[0].isdigit() or not any(letter.isalpha() for letter in name) or _is_date(words):
        return "a number or a date"
    if name.lower() in _ACCOUNTS:
        return "an account or a label, not a person"
    if len(words) > MAX_WORDS:
        return f"more than {MAX_WORDS} words"
    if len(words) > 1 and words[0].lower() in _NEVER_FIRST:
        return "a label, not a name"
    return ""


def _is_date(words: list[str]) -> bool:
    months = any(word.lower() in MONTHS for word in words)
    return months and any(word[:1].isdigit() for word in words)


def is_company(name: str) -> bool:
    return _COMPANY.search(name) is not None


def is_account(name: str) -> bool:
    """What an office program writes as the author: a login name, or whoever owns the computer."""
    words = name.lower().replace("-", " ").split()
    return len(words) < 2 or not _COMPUTER_OWNERS.isdisjoint(words)


def is_list(name: str) -> bool:
    """More words than a name has and none that joins them: a menu read on one line."""
    words = name.lower().split()
    return len(words) > 4 and not PARTICLES.intersection(words)


def looks_personal(name: str) -> bool:
    """Two to four words, each with a capital or a particle; or two to four signs of Han."""
    if HAN_NAME.fullmatch(name):
        return True
    words = name.split()
    return 2 <= len(words) <= 4 and all(map(_may_be_name, words)) and is_capital(words[0][0])


def _may_be_name(word: str) -> bool:
    return is_capital(word[0]) or word.lower() in PARTICLES
