"""What the words of a block say about it: furniture of pages in the languages most seen.

All patterns are for lower-cased text: that is half the time of ignoring case.
"""

import re

READ_MORE = re.compile(
    r"\W{0,3}(?:read (?:more|also|next|on|the full)|see (?:also|more)|more (?:on|from|about|"
    r"stories|news)\b|also (?:read|see|on)\b|related|recommended|you (?:may|"
    r"might) (?:also )?(?:like|be)|(?:up )?next:|don.t miss|watch:|lesen sie|lies (?:auch|"
    r"mehr)|auch interessant|mehr (?:zum|zu|lesen|aus|von)\b|mehr:|weiterlesen|"
    r"weitere (?:artikel|themen|infos|beitr|informationen|meldungen|nachrichten)|das könnte|"
    r"(?:das thema )?könnte (?:dich|sie|euch)|zum thema|siehe auch|ähnliche|passend (?:dazu|"
    r"zum)|(?:à )?lire (?:aussi|la suite|plus|également)|voir aussi|sur le même|"
    r"articles? (?:similaires|liés)|leggi (?:anche|tutto)|potrebbe|articoli correlati|"
    r"te puede|también te|lee también|lea también|ver más|le[ei]r más|leia (?:mais|também)|"
    r"veja (?:mais|também)|você pode|lees (?:ook|meer|verder)|czytaj|zobacz|przeczytaj|"
    r"vorheriger|nächster|previous (?:post|article)|next (?:post|article)|subscribe|popular|"
    r"trending|latest|most read|meistgelesen|neueste|beliebt)"
)  # fmt: skip
APPEAL = re.compile(
    r"\b(?:newsletter|subscri|sign up|signup|abonn|follow (?:us|me|@|on)|"
    r"folge[nt]? (?:sie )?(?:uns|mir)|facebook|twitter|instagram|whatsapp|telegram|pinterest|"
    r"click here|klick(?:en sie)? hier|donate|donation|spende|support (?:us|our)|unterstütz|"
    r"log ?in\b|anmeld|registrier|app store|google play|patreon|paypal|suscr[ií]b|síguenos|"
    r"inscreva|assine|iscriviti|seguici|suivez|share (?:this|on|via)|teilen|e-?mail|"
    r"contact us|kontakt|rss|podcast)"
)  # fmt: skip
LEGAL = re.compile(
    r"\b(?:cookie|javascript|datenschutz|privacy|terms (?:of|and|&)|affiliate|disclaimer|"
    r"advertis|anzeige\b|werbung|commission|provision|sponsor|copyright|all rights|"
    r"alle rechte|tous droits|reserved|licen[cs]e|imprint|impressum|haftung|ohne gewähr|"
    r"publicidad|pubblicit|publicité)|©|\(c\) ?\d{4}"
)  # fmt: skip
CREDIT = re.compile(
    r"\b(?:(?:photo|image|foto|fotos|bild|bilder|picture|credit|quelle|source|crédit|imagen|"
    r"illustration|screenshot|symbolbild|archivbild|abb(?:ildung|\.)|fig(?:ure|\.)|grafik|"
    r"video)s?\b ?\w{0,3}[:/©(]|getty|reuters|shutterstock|istock|unsplash|pixabay|wikimedia|"
    r"flickr|afp\b|dpa\b|picture alliance|file photo|ap photo|photograph(?:er|:| by)|courtesy)"
)  # fmt: skip
DATE = re.compile(
    r"(?:\w+,? ){0,3}(?:published|updated|posted|last (?:updated|modified)|veröffentlicht|"
    r"aktualisiert|stand:|erstellt|publié|mis à jour|publicado|actualizado|pubblicato|"
    r"opublikowano|geplaatst)|(?:\w{2,10},? ){0,2}(?:\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|"
    r"\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}\.? \w{3,10},? \d{4}|\w{3,10} \d{1,2},? \d{4})"
)  # fmt: skip
BYLINE = re.compile(
    r"\W{0,3}(?:by|von|par|por|di|de|autor(?:in)?|author|text|written by|geschrieben von|"
    r"redaktion|posted by|veröffentlicht von|reporting by|editing by|words|über den autor|"
    r"about the author|zur person|kategorien?|categor(?:y|ies)|tags?|schlagw\w+|filed under|"
    r"posted in|topics?|themen?)\b"
)  # fmt: skip
COMMENTS = re.compile(
    r"\W{0,3}(?:\d+ )?(?:comments?|kommentare?|commentaires?|comentarios?|commenti|reacties|"
    r"responses?|replies|antworten|thoughts on|leave a|schreibe einen|kommentar|laisser un|"
    r"deja un|reply|join the|diskutieren|discussion|add comment|post a comment|"
    r"what do you think|tell us)\b"
)  # fmt: skip
COOKIES = re.compile(
    r"\b(?:uses?|use of|verwende[nt]|nutz(?:t|en)|utilis\w+|utiliza\w*|usa|stored?|accept\w*|"
    r"setzt|einsatz von)(?: \w+){0,3} cookies|cookies? (?:policy|settings|einstellungen|"
    r"richtlinie)"
)  # fmt: skip

FURNITURE = (
    ("read_more", READ_MORE.match), ("appeal", APPEAL.search), ("legal", LEGAL.search),
    ("credit", CREDIT.search), ("dated", DATE.match), ("byline", BYLINE.match),
    ("comments", COMMENTS.match),
)  # fmt: skip


def is_end_mark(text: str) -> bool:
    """Whether a short block announces what comes after an article: more stories, or comments."""
    return READ_MORE.match(text) is not None or COMMENTS.match(text) is not None


def is_cookie_notice(text: str) -> bool:
    """Whether a block is the notice that a site uses cookies."""
    return "ookie" in text and COOKIES.search(text.lower()) is not None
