"""What the words of a class or id say about a container: kinds of boilerplate, or content."""

import re
from enum import IntFlag
from functools import lru_cache
from itertools import pairwise


class Hint(IntFlag):
    """What a container is; a block has the hints of all containers around it."""

    COMMENT = 1
    SHARE = 2
    RELATED = 4
    PROMO = 8
    NAVIGATION = 16
    FOOTER = 32
    SIDEBAR = 64
    TAGS = 128
    BYLINE = 256
    BIO = 512
    CAPTION = 1024
    TITLE = 2048
    LEAD = 4096
    CONTENT = 8192
    ARTICLE = 16384
    MAIN = 32768
    LIST = 65536
    TABLE = 131072
    FIGURE = 262144
    QUOTE = 524288
    CODE = 1048576
    HIDDEN = 2097152
    BOX = 4194304
    CARD = 8388608
    MEDIA = 16777216
    NESTED = 33554432


# A word that ends in * also starts longer words; all start at a word boundary or a capital.
_WORDS = {
    Hint.COMMENT: "comment* disqus* respond reply replies discussion* kommentar* commentaire* "
    "comentario* commenti reacties leserbrief* talkback* trackback* pingback* feedback",
    Hint.SHARE: "share* sharing* social* addthis* addtoany* shariff* follow* likes like-button "
    "bookmark* teilen partage* compartir* condividi* whatsapp print printfriendly rating* "
    "vote* reactions emoji",
    Hint.RELATED: "related* recommend* read-more readmore* more mehr weiterlesen* "
    "trending* popular* most-read* mostread* similar* further* up-next read-next next previous "
    "prev teaser* latest* recent* archive* also verwandt* empfehl* aehnlich* suggested* "
    "suggestion* you-may* outbrain* taboola* yarpp* jp-related* ticker* newsticker* morestories* "
    "carousel* promoted* relacionad* correlat* liste-articles",
    Hint.PROMO: "newsletter* subscri* signup* sign-up* promo* sponsor* advert* ad ads adbox* "
    "adslot* "
    "banner* cookie* consent* gdpr* popup* pop-up modal* overlay* paywall* donat* affiliate* "
    "shop* offer* cta* call-to-action download* notice* alert* werbung* anzeige* publicidad* "
    "pub abo* marketing* campaign* lightbox* tooltip*",
    Hint.NAVIGATION: "nav navi* navbar* menu* submenu* mainnav* subnav* topnav* breadcrumb* "
    "crumb* pagination* pager* paging* pagenavi* skip* toolbar* tool-bar tools tab tabs "
    "dropdown* search* "
    "login* toc table-of-contents sitemap* jump* language* topbar* masthead* site-header* "
    "page-header* global-header* flyout* offcanvas*",
    Hint.FOOTER: "footer* foot copyright* bottom* imprint* impressum* legal* disclaimer* "
    "site-info* colophon*",
    Hint.SIDEBAR: "sidebar* side-bar* side aside* rail widget* right-col* rightcol* left-col* "
    "leftcol* "
    "secondary* complementary marginal* seitenleiste*",
    Hint.TAGS: "tags tagged tagcloud* tag-cloud* taglist* tag-list* tag-links* categories "
    "cat-links* topics "
    "keywords labels schlagworte schlagwoerter etiquetas filed-under posted-in",
    Hint.BYLINE: "byline* author authors date* time timestamp* publish* posted* post-date* "
    "entry-meta* post-meta* postmeta* meta dateline* updated* autor* auteur* datum* credit* "
    "source sources info infos details post-info* article-info* kicker* reading-time*",
    Hint.BIO: "author-box* authorbox* author-bio* bio biography* about-author* about-the-author* "
    "author-info* author-desc* profile* vcard autoreninfo* autorenbox*",
    Hint.CAPTION: "caption* credit* bildunterschrift* legende* wp-caption* img-desc* image-desc* "
    "photo-desc* copyright* bildtext* bildnachweis* quelle*",
    Hint.MEDIA: "gallery* galler* slide slides slider* slideshow* photo* image* img picture* "
    "media* "
    "thumb* lightbox* figure* video* player* embed* infographic* bild*",
    Hint.TITLE: "title* headline* heading* header* subtitle* sub-title* subhead* titel* titre* "
    "titulo*",
    Hint.LEAD: "lead lede* intro* summary* excerpt* abstract* dek deck standfirst* description* "
    "vorspann* chapo* entradilla* sapo synopsis* perex* anrisstext",
    Hint.CONTENT: "articlebody* article-body* article_body* articlecontent* article-content* "
    "article-text* articletext* article__body* article__content* post-content* postcontent* "
    "post-body* postbody* post-text* post-entry entry-content* entrycontent* entry-body* "
    "story-body* "
    "storybody* story-content* story-text* content-body* contentbody* main-content* maincontent* "
    "page-content* pagecontent* field-name-body* body-text* bodytext* body-copy* bodycopy* "
    "text-content* richtext* rich-text* blog-content* news-content* content__body* content-main*",
}  # fmt: skip

EXCLUDED = (
    Hint.COMMENT | Hint.SHARE | Hint.RELATED | Hint.PROMO | Hint.NAVIGATION | Hint.FOOTER
    | Hint.SIDEBAR | Hint.TAGS | Hint.BIO
)  # fmt: skip


def selectors(hints: Hint) -> tuple[str, ...]:
    """The names of hints as CSS selectors."""
    words = [word for hint in hints for word in _WORDS.get(hint, "").split()]
    return tuple(
        f'[class*="{word.rstrip("*")}"]' if word.endswith("*") else f".{word}" for word in words
    )


def _read_words() -> tuple[dict[str, int], dict[str, int], dict[tuple[str, str], int]]:
    """The words as tables: whole words, beginnings of words, and pairs of words."""
    whole: dict[str, int] = {}
    beginnings: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for hint, words in _WORDS.items():
        for word in words.split():
            parts = re.split(r"[-_]+", word)
            if len(parts) == 2 and parts[1] != "*":
                pair = (parts[0], parts[1])
                pairs[pair] = pairs.get(pair, 0) | hint.value
            elif word.endswith("*") and len(parts) == 1:
                stem = word.rstrip("*")
                beginnings[stem] = beginnings.get(stem, 0) | hint.value
            else:
                whole[parts[0]] = whole.get(parts[0], 0) | hint.value
    return whole, beginnings, pairs


_WHOLE, _BEGINNINGS, _PAIRS = _read_words()
_PAIR_FIRSTS = frozenset(first for first, _ in _PAIRS)
_LONGEST = max(map(len, _BEGINNINGS))
_PARTS = re.compile("[a-z]+")
_CONCEALED = re.compile(
    r"(?<![a-z])(?:rollover|tooltip|popover|hovercard|popup|sr-only|visually-?hidden|screen-?reader"
    r"|element-invisible|d-none|hide|hidden|print-only|printonly)(?![a-z])"
)
# What WordPress adds to a post about its subject: category-promo says nothing about the box.
_SUBJECTS = re.compile(
    r"(?<!\S)(?:(?:category|tag)-(?!list|cloud|links)|(?:format|status|type)-)[\w-]*"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_HINT_CHARS = 400


@lru_cache(maxsize=20_000)
def read_hint(names: str) -> int:
    """The hints that the class and id of a container give."""
    names = _CAMEL.sub("-", names[:_MAX_HINT_CHARS]).lower().replace("_", "-")
    words = _PARTS.findall(_SUBJECTS.sub(" ", names))
    found = 0
    for word in words:
        found |= _word_hint(word)
    if not _PAIR_FIRSTS.isdisjoint(words):
        for first, second in pairwise(words):
            if first in _PAIR_FIRSTS:
                found |= _pair_hint(first, second)
    return found


@lru_cache(maxsize=20_000)
def _word_hint(word: str) -> int:
    found = _WHOLE.get(word, 0)
    for end in range(3, min(len(word), _LONGEST) + 1):
        found |= _BEGINNINGS.get(word[:end], 0)
    return found


@lru_cache(maxsize=20_000)
def _pair_hint(first: str, second: str) -> int:
    found = _PAIRS.get((first, second), 0)
    for end in range(2, len(second) + 1):
        found |= _PAIRS.get((first, second[:end] + "*"), 0)
    return found


@lru_cache(maxsize=20_000)
def is_concealed(names: str) -> bool:
    """Whether a class says that a piece of a line is not seen with it."""
    return _CONCEALED.search(names[:_MAX_HINT_CHARS].lower()) is not None
