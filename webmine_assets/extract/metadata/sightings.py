"""Dates that stand in the page for people: time elements, dated classes, the address, the text."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain, islice

from webmine_assets.extract.marks import Element
from webmine_assets.extract.metadata.cascade import Offer
from webmine_assets.extract.metadata.evidence import Evidence
from webmine_assets.extract.metadata.moment import WrittenDay, find_days, parse_moment
from webmine_assets.extract.metadata.wording import flat_text_of, squeeze, text_of
from webmine_assets.extract.outline import Outline

MAX_TEXT_CHARS = 30_000
MAX_SHOWN, MAX_LOOKED_AT = 12, 40
_NEAR_CHARS, _LABEL_REACH = 600, 40
OUTSIDE = "in a menu, a comment or a side part"
CHANGED = "says when the page was changed"

_CHANGED = re.compile(
    r"updated|modified|aktualisiert|geändert|bearbeitet|mis à jour|modifié|actualizado|aggiornato"
    r"|atualizado|last edit|last change",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"publish|posted|veröffentlicht|erstellt|publi[ée]|pubblicat|datum|date\b|stand\b|geändert"
    r"|bearbeitet|updated|modified|aktualisiert|eingestellt|written|geschrieben|fecha|опубликован",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_URL_DAY = re.compile(r"[/=._-]((?:19|20)\d{2})([/\-_.]?)(\d{2})\2(\d{2})(?![\d])")


def month_first(evidence: Evidence) -> bool:
    """Whether 02/08/2019 is February: English pages, except of countries that put days first."""
    language = (evidence.document.root.get("lang") or "").lower().replace("_", "-")
    if language.startswith("en-"):
        return language.startswith(("en-us", "en-ph"))
    host_ending = evidence.host.rpartition(".")[2]
    return language == "en" and host_ending in ("com", "us", "edu", "gov", "org", "net")


def url_days(evidence: Evidence) -> Iterator[Offer]:
    """Year, month and day in the address; an archive's time stamp in front is not the page's."""
    url = evidence.url[evidence.url.rfind("http", 1) + 1 :]
    for match in _URL_DAY.finditer(url[:2_000]):
        yield Offer(f"{match[1]}-{match[3]}-{match[4]}")


def times(evidence: Evidence, *, pubdate: bool) -> Iterator[Offer]:
    """The time elements, those with or those without the pubdate attribute."""
    for element in evidence.tags("time"):
        if ("pubdate" in element.attrib) == pubdate:
            yield from _seen(element, evidence)


def dated_classes(evidence: Evidence) -> Iterator[Offer]:
    for element in evidence.marks.by_class.get("date", ()):
        if element.tag != "time":
            yield from _seen(element, evidence)


def _seen(element: Element, evidence: Evidence) -> Iterator[Offer]:
    value = element.get("datetime") or element.get("content") or element.get("title") or ""
    if not _DIGIT.search(value):
        value = text_of(element, limit=200)
        if not _DIGIT.search(value):
            return
    if evidence.marks.is_aside(element):
        yield Offer(value, OUTSIDE)
    else:
        yield Offer(value, CHANGED if _says_changed(element) else "")


def _says_changed(element: Element) -> bool:
    named = f"{element.get('class') or ''} {element.get('itemprop') or ''}"
    before = _DIGIT.split(text_of(element, limit=200), maxsplit=1)[0]
    # WordPress writes class="published updated" where there was no change.
    changed = _CHANGED.search(named) and "publish" not in named.lower()
    return bool(changed or _CHANGED.search(before))


def shown_days(evidence: Evidence) -> frozenset[date]:
    """The days that time elements and dated classes name outside menus and comments."""
    first = month_first(evidence)
    seen = chain(
        times(evidence, pubdate=True), times(evidence, pubdate=False), dated_classes(evidence)
    )
    raws = [offer.raw for offer in islice(seen, MAX_LOOKED_AT) if not offer.flaw][:MAX_SHOWN]
    moments = (parse_moment(raw, month_first=first) for raw in raws)
    return frozenset(moment.day for moment in moments if moment)


def written_days(evidence: Evidence) -> frozenset[date]:
    """The days among them that people can read, with their year."""
    first = month_first(evidence)
    elements = chain(evidence.tags("time"), evidence.marks.by_class.get("date", ()))
    found = (e for e in islice(elements, MAX_LOOKED_AT) if not evidence.marks.is_aside(e))
    texts = (text_of(element, limit=60) for element in islice(found, MAX_SHOWN))
    moments = (None if _CHANGED.search(t) else parse_moment(t, month_first=first) for t in texts)
    return frozenset(moment.day for moment in moments if moment)


def visible_days(evidence: Evidence) -> Iterator[Offer]:
    """Dates in the text: the nearest to the heading, then behind a label, then anywhere."""
    heading = evidence.headings.title_element
    text = _page_text(evidence.outline) or _body_text(evidence)
    title = flat_text_of(heading) if heading is not None else ""
    first = month_first(evidence)
    yield from (Offer(near) for near in _near_days(text, title, month_first=first))
    found = list(find_days(text, month_first=first))
    labelled = [w for w in found if _LABEL.search(text, max(w.end - _LABEL_REACH, 0), w.end)]
    firsts = {written.day: written for written in reversed([*labelled, *found])}
    for day in dict.fromkeys(written.day for written in [*labelled, *found]):
        yield Offer(_as_written(firsts[day], text))


def _page_text(outline: Outline) -> str:
    """The page on one line with a space between any two pieces: "14" "Jan" may have none."""
    pieces: list[str] = []
    chars = 0
    for block in outline.blocks:
        pieces += [token for token in block.tokens if isinstance(token, str)]
        chars += block.chars
        if chars > 2 * MAX_TEXT_CHARS:  # What is squeezed out of it is far less than half.
            break
    return squeeze(" ".join(pieces))[:MAX_TEXT_CHARS]


def _body_text(evidence: Evidence) -> str:
    """The same of a page without an outline: a parser may put all of it into a noscript."""
    body = next(iter(evidence.tags("body")), evidence.document.root)
    return flat_text_of(body)[:MAX_TEXT_CHARS]


def _as_written(written: WrittenDay, text: str) -> str:
    return text[written.start : written.end]


def _near_days(text: str, title: str, *, month_first: bool) -> list[str]:
    """The days around the heading, the nearest first; a look at all the text is much dearer."""
    start = max(text.find(title), 0)
    end = start + len(title)
    before = max(start - _NEAR_CHARS // 2, 0)
    window = text[before : end + _NEAR_CHARS]
    found = sorted(
        find_days(window, month_first=month_first),
        key=lambda written: (_distance(before + written.end, start, end), written.day),
    )
    return [_as_written(written, window) for written in found]


def _distance(at: int, start: int, end: int) -> int:
    """Characters from a date to the heading; before it, a page's own calendar may stand."""
    return at - end if at >= end else 2 * (start - at)
