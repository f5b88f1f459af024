"""A by-line taken apart: labels, dates and roles are cut away, what is left are names."""

import re

from webmine_assets.extract.metadata.months import MONTHS
from webmine_assets.extract.metadata.wording import squeeze, word_set

MAX_LABEL_WORDS, MAX_KIND_WORDS = 14, 4

BY = word_set("by von par por vom")
HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}")
MARKED_BY = re.compile(
    r"\s*(?:作者|记者|記者|撰文|文|著者|執筆|글|기자|автор|текст|συντάκτης|بقلم|كتب|الكاتب|نویسنده)"
    r"\s*[:：/／|｜=＝]\s*",
    re.IGNORECASE,
)
"""Labels of other scripts: many of these words are followed by no space, all by a sign."""
_BY_IN_LOWER_CASE = word_set("de di od door av af przez")
_LABELS = word_set(
    """written posted published reported edited created story words text article post author
    authors autor autorin autoren auteur autore autora verfasser verfasserin writer reporter name
    entry geschrieben veröffentlicht verfasst erstellt eingestellt eingetragen gepostet publiziert
    publié publie ecrit écrit publicado escrito ein eine beitrag beiträge artikel gastbeitrag alle
    zeige all posts view on am uhr kommentar interview redakteur redakteurin submitted gespräch
    dieser eintrag wurde this was added content contributor guest gastautor message um at stand
    datum date updated aktualisiert autoreninfo pressemitteilung meldung analyse kolumne reportage
    rezension essay"""
)
_CREDITS = word_set(
    """translated übersetzt traduit traducido photo photos foto fotos photography bild bilder image
    images illustration illustrations video grafik powered designed hosted"""
)
STOPS = word_set(
    """am on at le el um uhr published updated veröffentlicht aktualisiert publié posted follow view
    author autor autorin auteur editor redakteur redakteurin reporter staff senior contributor
    correspondent writer journalist chefredakteur chefredakteurin chefredaktion redaktor stand says
    said sagt schrieb schreibt wrote mehr more alle all kontakt contact profil profile bio artikel
    articles posts beiträge is ist share teilen comments kommentare ago vor monday tuesday
    wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag
    sonntag sonnabend executive special digital associate managing chief deputy multimedia
    freelance freier freie director professor ceo founder gründer geschäftsführer volontär
    volontärin crédit credit"""
)
_TIMES = word_set(
    """hace publicado publicada actualizado actualizada pubblicato aggiornato atualizado
    gepubliceerd bijgewerkt publicerad opublikowano"""
)
PARTICLES = word_set(
    """von van de der den del della di da dal dos das du la le el bin ibn al zu zum zur ter ten te
    af av y e und and & v. vom d' st. ben abu auf"""
)
_DEGREES = word_set("jr sr phd ph.d md m.d ma m.a dr ii iii iv esq rn cpa mba msc bsc mph jd")
_SPLIT = re.compile(
    r"\s*[;|•·、，\n]\s*|\s*,\s*|\s+[&+/–—]\s+|\s+-\s+|\s+(?:and|und|et|y|og|och|sowie|with|mit)\s+",
    re.IGNORECASE,
)
_TRIM = " \t,.;:|-–—·•*\"'“”„‚‘’()[]<>@#"


def split_names(raw: str, *, surname_first: bool = False) -> list[str]:
    """The names in a by-line without labels, roles and dates; not yet judged."""
    text = MARKED_BY.sub("", squeeze(raw), count=1)
    if surname_first and text.count(",") == 1:
        family, given = text.split(",")
        return [squeeze(f"{given} {family}")]
    names: list[str] = []
    for part in (p for line in text.split(";") for p in _SPLIT.split(_without_label(line.strip()))):
        if names and part.lower().strip(" .") in _DEGREES:
            names[-1] = f"{names[-1]} {part.strip()}"
        elif (name := _cut(part)) and not (names and (_is_role(part) or _is_remark(name))):
            names.append(name)
    return list(dict.fromkeys(names))


def _without_label(text: str) -> str:
    """The text from the first word that is neither a label, a date nor a "by"."""
    words = text.split(" ")
    bare = [word.strip(_TRIM).lower() for word in words[: MAX_LABEL_WORDS + 1]]
    if len(words) > 1 and words[0].endswith((":", "：")) and bare[0] not in _CREDITS:
        return _without_label(" ".join(words[1:]))
    # "Analysis by Jane Doe": what stands before an English "by" is never the name.
    start = bare.index("by") if "by" in bare[:MAX_KIND_WORDS] else 0
    for number, word in enumerate(bare[start:MAX_LABEL_WORDS], start):
        if word in _CREDITS:
            return ""
        if not (word in BY or word in _LABELS or not word or _is_date_word(bare, number)):
            break
        start = number + 1
    return " ".join(words[start + _is_preposition(words[start:]) :])


def _is_preposition(words: list[str]) -> bool:
    """Whether the first word is a "by" that is also a particle of names ("De La Cruz" is not)."""
    if len(words) < 2 or words[0].lower() not in _BY_IN_LOWER_CASE:
        return False
    return words[0].islower() or (len(words) > 2 and words[1].lower() not in PARTICLES)


def _is_date_word(words: list[str], number: int) -> bool:
    """A number, or a month beside one: "Jan" and "April" alone are first names."""
    if words[number][:1].isdigit():
        return True
    beside = words[max(number - 1, 0) : number + 2]
    return words[number] in MONTHS and any(word[:1].isdigit() for word in beside)


def _cut(part: str) -> str:
    """The words of a name up to the first that cannot belong to one."""
    kept: list[str] = []
    for word in part.split():
        bare = word.strip(_TRIM).lower()
        if not bare or (kept and _ends_name(word, bare)):
            break
        kept.append(word.strip('"“”„*|()[]<>'))
    return _once(" ".join(kept).strip(_TRIM.replace(".", ""))).rstrip(".")


def _ends_name(word: str, bare: str) -> bool:
    """A role, a date or a credit ends a name; "Loïc Le Clerc" goes on, "Loïc le 5 mai" does not."""
    is_particle = bare in PARTICLES and word[0].isupper()
    is_stop = bare in STOPS and not is_particle
    return (
        is_stop
        or bare in _CREDITS
        or bare in _TIMES
        or word.endswith(":")
        or _is_foreign(word, bare)
    )


def _is_foreign(word: str, bare: str) -> bool:
    """A number, a handle or a word in lower case within a name ends it."""
    if any(character.isdigit() for character in word) or word[0] in "@(|[/":
        return True
    return word[0].islower() and bare not in PARTICLES and "." not in word


def _once(name: str) -> str:
    words = name.split()
    half = len(words) // 2
    return " ".join(words[:half]) if half > 1 and words[:half] == words[half:] else name


def _is_remark(name: str) -> bool:
    """After the first name, a lone word or one in lower case is a role or a place."""
    if HAN_NAME.fullmatch(name):
        return False
    words = name.split()
    return len(words) < 2 or not (is_capital(words[-1][0]) and is_capital(words[0][0]))


def is_capital(letter: str) -> bool:
    """Or a letter of a script that has no small ones."""
    return letter.isalpha() and not letter.islower()


def _is_role(part: str) -> bool:
    """ "AP Auto Writer" beside a name says what the person is."""
    words = part.lower().replace("-", " ").split()
    return any(word.strip(_TRIM) in STOPS for word in words)
