"""The title cascade: in the seed's order; which heading may be a title is for `headings`."""

import html
import re
from collections.abc import Iterable, Iterator

from webmine_assets.extract.metadata.cascade import (
    Offer,
    Outcome,
    Rejected,
    Source,
    meta,
    offers,
    run,
)
from webmine_assets.extract.metadata.evidence import MAX_CLAIM_CHARS, Evidence
from webmine_assets.extract.metadata.headings import DASH, STRONG_SEPARATOR
from webmine_assets.extract.metadata.wording import fold, squeeze, text_of

MAX_CUTS = 8  # a title of nothing but separators would be cut for ever
MIN_CHARS, MAX_CHARS = 3, 200
MAX_SUFFIX_WORDS = 5
PDF = "pdf:title"
_WRITTEN_WITH = re.compile(r"Microsoft (?:Office )?(?:Word|PowerPoint|Excel|Publisher) - ")
_FILE_NAME = re.compile(
    r"\.(?:docx?|dotx?|pptx?|xlsx?|indd|qxd|tex|dvi|pdf|rtf|odt|odp|ai|pub|eps)$", re.IGNORECASE
)
_PLACEHOLDER = re.compile(
    r"(?:untitled|unbenannt|sans titre|no title|title|slide|folie|document|dokument|presentation"
    r"|präsentation|(?:power ?point|pp)[ -](?:presentation|präsentation))[ -]?\d*",
    re.IGNORECASE,
)


def _headings(tag: str, evidence: Evidence) -> Iterator[Offer]:
    headings = evidence.headings
    for heading in headings.by_tag[tag]:
        yield Offer(headings.title_in(heading), headings.flaw_of(heading))


def _microdata(evidence: Evidence) -> Iterable[Offer]:
    found = [text_of(e) for e in evidence.marks.by_property.get("headline", ())]
    return offers([*found, *evidence.metas.get("headline", ())])


TITLE_SOURCES = (
    Source("h1", lambda evidence: _headings("h1", evidence)),
    meta("og:title"),
    meta("twitter:title"),
    Source("title", lambda evidence: offers([evidence.title_element])),
    Source("h2", lambda evidence: _headings("h2", evidence)),
    Source("itemprop:headline", _microdata),
    Source("json-ld:headline", lambda evidence: offers(evidence.json_ld_texts("headline"))),
    meta("citation_title"),
    meta("dc.title"),
    meta("dcterms.title"),
    Source("feed", lambda evidence: offers([evidence.feed_title or ""])),
    meta(PDF),
)


def extract_title(evidence: Evidence) -> Outcome[str]:
    """The title of the page, 3 to 200 characters without the site's name behind it."""
    return run("title", TITLE_SOURCES, evidence, _check)


def _check(raw: str, source: str, evidence: Evidence) -> str | Rejected:
    title = squeeze(html.unescape(raw[:MAX_CLAIM_CHARS]))
    if source == PDF:
        title = _WRITTEN_WITH.sub("", title)
        if _FILE_NAME.search(title) or _PLACEHOLDER.fullmatch(title):
            return Rejected("the name of a file, or none given")
    elif source not in ("h1", "h2"):
        title = _without_site(title, evidence)
    if len(title) < MIN_CHARS:
        return Rejected(f"shorter than {MIN_CHARS} characters")
    if len(title) > MAX_CHARS:
        return Rejected(f"longer than {MAX_CHARS} characters")
    if not any(character.isalnum() for character in title):
        return Rejected("no words")
    if source in ("og:title", "twitter:title", "title") and _is_site_only(title, source, evidence):
        return Rejected("the site's name")
    return title


def _is_site_only(title: str, source: str, evidence: Evidence) -> bool:
    """A title that only names the site loses where the page has more to say of itself."""
    if evidence.headings.is_home or fold(title) not in evidence.headings.site_names:
        return False
    if source != "title" and fold(evidence.title_element) != fold(title):
        return True
    return any(not evidence.headings.flaw_of(h) for h in evidence.headings.by_tag["h2"])


def _without_site(title: str, evidence: Evidence, cuts: int = MAX_CUTS) -> str:
    """The title without the site's name; a part that is a heading of the page wins."""
    if not cuts:
        return title
    if part := evidence.headings.part_of(title):
        return part
    for pattern in (STRONG_SEPARATOR, DASH):
        breaks = list(pattern.finditer(title))
        if not breaks:
            continue
        strong = pattern is STRONG_SEPARATOR
        if strong and fold(title[: breaks[0].start()]) in evidence.headings.site_names:
            return _without_site(title[breaks[-1].end() :], evidence, cuts - 1)
        if _is_suffix(title, breaks[-1], evidence, strong=strong):
            return _without_site(title[: breaks[-1].start()].rstrip(), evidence, cuts - 1)
    return title


def _is_suffix(title: str, at: re.Match[str], evidence: Evidence, *, strong: bool) -> bool:
    rest, suffix = title[: at.start()].strip(), fold(title[at.end() :])
    if len(rest) < MIN_CHARS:
        return False
    if not suffix or suffix in evidence.headings.site_names:
        return True
    return strong and len(suffix.split()) <= MAX_SUFFIX_WORDS
