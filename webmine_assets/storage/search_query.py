"""The fields of the search index, how their words are analysed, and how a query is read.

Each language has fields of its own, so that its words are stemmed by its own rules; a query is put
to the fields of the languages that are there.
"""

import re
from datetime import UTC, date, datetime, time

import tantivy

_STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
_SAME_STEMMER = {"nb": "no", "nn": "no"}
_OTHER = "xx"
# Scripts written without spaces: a character is a word, and words of several are phrases.
_DENSE = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_OTHER_WORDS = rf"[{_DENSE}]|[[\p{{L}}\p{{M}}\p{{N}}]--[{_DENSE}]]+"
_MAX_WORD_BYTES = 80
_MAX_GROUPS = 20
_TITLE_BOOST = 3.0
_TOPIC_BOOST = 2.0


def build_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in ("page_id", "institution", "url", "analysis", "language", "topic"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("topics", stored=True, tokenizer_name=_OTHER)
    builder.add_date_field("date", stored=True, indexed=True, fast=True)
    for language in (*_STEMMERS, _OTHER):
        builder.add_text_field(f"title_{language}", stored=True, tokenizer_name=language)
        builder.add_text_field(f"text_{language}", stored=True, tokenizer_name=language)
    return builder.build()


def register_analyzers(index: tantivy.Index) -> None:
    """Teach an index the analyzers of its fields: they are not kept in its files."""
    for language, stemmer in _STEMMERS.items():
        words = _builder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.stemmer(stemmer))
        index.register_tokenizer(language, words.build())
    other = _builder(tantivy.Tokenizer.regex(_OTHER_WORDS)).filter(tantivy.Filter.ascii_fold())
    index.register_tokenizer(_OTHER, other.build())


def _builder(tokenizer: tantivy.Tokenizer) -> tantivy.TextAnalyzerBuilder:
    builder = tantivy.TextAnalyzerBuilder(tokenizer)
    long_words = tantivy.Filter.remove_long(_MAX_WORD_BYTES)
    return builder.filter(long_words).filter(tantivy.Filter.lowercase())


def analysis_of(language: str | None) -> str:
    """The name of the analysis for a language; one for all that have no stemmer."""
    code = (language or "").lower()[:2]
    code = _SAME_STEMMER.get(code, code)
    return code if code in _STEMMERS else _OTHER


def parse_words(
    index: tantivy.Index, words: str, *, languages: list[str], all_words: bool
) -> tantivy.Query:
    """A query for what a person typed; what is not valid as a query is taken word by word."""
    boosts = {f"title_{language}": _TITLE_BOOST for language in languages}
    boosts |= {f"text_{language}": 1.0 for language in languages}
    boosts["topics"] = _TOPIC_BOOST
    only_unwanted = _UNWANTED.search(words) and not _WANTED.search(words)
    asked = f"* {words}" if only_unwanted else words
    for text in (asked, _plain(words)):
        if text.count("(") > _MAX_GROUPS:
            continue  # the parser recurses; nobody types this
        try:
            return index.parse_query(
                text, list(boosts), field_boosts=boosts, conjunction_by_default=all_words
            )
        except ValueError:
            continue
    return tantivy.Query.empty_query()


# A word that no minus stands before; without any, all pages but those are meant.
_WANTED = re.compile(r"(?:^|\s)[^\s-]")
_UNWANTED = re.compile(r"(?:^|(?<=\s))-\S*\w\S*")


def _plain(words: str) -> str:
    words = _UNWANTED.sub("", words)
    return " ".join(f'"{word}"' for word in re.findall(r"\w+", words))


_LAST_DAY = date(2262, 4, 10)


def build_filters(
    schema: tantivy.Schema, *, institution: str | None, since: date | None, topic: str | None
) -> list[tantivy.Query]:
    """What a page must be besides matching the words; none of it changes the score."""
    filters = []
    if institution is not None:
        filters.append(tantivy.Query.term_query(schema, "institution", institution, "basic"))
    if topic is not None:
        filters.append(tantivy.Query.term_query(schema, "topic", topic.casefold(), "basic"))
    if since is not None:
        kind = tantivy.FieldType.Date
        # The index counts nanoseconds in 64 bits: it knows no day after 2262.
        day = midnight(min(since, _LAST_DAY))
        filters.append(tantivy.Query.range_query(schema, "date", kind, day))
    return [tantivy.Query.const_score_query(query, 0.0) for query in filters]


def midnight(day: date) -> datetime:
    """The start of a day in UTC; a moment stays what it is."""
    if isinstance(day, datetime):
        return day if day.tzinfo else day.replace(tzinfo=UTC)
    return datetime.combine(day, time(), UTC)
