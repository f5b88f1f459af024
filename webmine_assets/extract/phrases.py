"""What the words of a block say about it: furniture of pages in the languages most seen.

All patterns are for lower-cased text: that is half the time of ignoring case.
"""

import re

READ_MORE = re.compile(
    r"\W{0,3}(?:read (?:more|also|next|on|the full)|see (?:also|more)|more (?:on|from|about|"
    r"stories|news)\b|also (?:read|see|on)\b|related|recommended|you (?:may|"
    r"might) (?:also )?(?:like|be)|(?:up )?next:|don.t miss|watch:|keep reading|continue reading|"
    r"learn more|find out more|(?:view|show|load) (?:all|more)|in case you missed|"
    r"editor.?s.? (?:pick|choice)|top stories|subscribe|popular|trending|latest|most read|"
    r"(?:previous|next) (?:post|article)|"
    # German
    r"lesen sie|lies (?:auch|mehr)|auch (?:interessant|auf)\b|mehr (?:zum|zu|lesen|aus|von|dazu|"
    r"infos?|informationen|artikel)\b|mehr:|noch mehr|weiterlesen|schon gelesen|interessant:|"
    r"weitere (?:artikel|themen|infos|beitr|informationen|meldungen|nachrichten)|das könnte|"
    r"(?:das thema )?könnte (?:dich|sie|euch)|zum thema|siehe auch|ähnliche|passend (?:dazu|"
    r"zum)|empfehlung|vorheriger|nächster|meistgelesen|neueste|beliebt|hier geht|"
    r"jetzt (?:lesen|ansehen)|"
    # French, Italian
    r"(?:à )?lire (?:aussi|la suite|plus|également)|(?:à )?voir (?:aussi|également)|"
    r"en savoir plus|sur le même|pour aller plus loin|à (?:découvrir|ne pas manquer)|"
    r"articles? (?:similaires|liés|suivant|précédent)|leggi (?:anche|tutto|di più)|potrebbe|"
    r"articoli correlati|per saperne|scopri di più|guarda anche|altri articoli|notizie correlate|"
    # Spanish, Portuguese
    r"te (?:puede|recomendamos)|le puede|pued[ea]s? (?:ver|leer|interesar)|también (?:te|puede|lea|"
    r"lee|en)\b|le[ae] (?:también|más|además)|le[ae]:|ve[ar] (?:más|también)|mira también|"
    r"le[ei]r más|más (?:información|noticias|sobre|leíd)|notas? relacionad|leia (?:mais|também)|"
    r"veja (?:mais|também)|saiba mais|você pode|confira|mais lidas|"
    # Dutch, Scandinavian, Finnish
    r"lees (?:ook|meer|verder)|bekijk (?:ook|meer)|meer (?:over|lezen|nieuws)|läs (?:mer|också|"
    r"även)|les (?:mer|også)|læs (?:mere|også)|lue (?:myös|lisää)|"
    # Polish, Czech, Russian, Turkish
    r"czytaj|zobacz|przeczytaj|dowiedz się|sprawdź|polecamy|warto przeczytać|podobne|"
    r"więcej (?:na|o)\b|čtěte|přečtěte|читайте|подробнее|смотрите|по теме|devamını|ilgili|"
    # Chinese, Japanese, Korean
    r"相关(?:阅读|文章|新闻)|延伸阅读|関連記事|続きを読む|あわせて読|관련 ?기사)"
)  # fmt: skip
APPEAL = re.compile(
    r"\b(?:subscri|sign(?:ed)? up|signup|follow (?:us|me|@|on)|click here|donate|donation|"
    r"support (?:us|our)|log(?:ged)? ?in\b|share (?:this|on|via)|contact us|already a (?:member|"
    r"subscriber)|become a (?:member|patron|sub)|join (?:us|our)|free trial|your inbox|"
    r"app store|google play|patreon|paypal|newsletter|"
    r"abonn|folge[nt]? (?:sie )?(?:uns|mir)|klick(?:en sie)? hier|spende|unterstütz|anmeld|"
    r"angemeldet|einlogg|eingeloggt|registrier|teilen|kostenlos(?:en?)? (?:testen|registr|abo)|"
    r"probeabo|suivez|inscri(?:vez|re|s-toi)|soutenez|faites un don|partage[rz]|"
    r"iscriviti|seguici|abbonati|sostieni|condividi|suscr[ií]|síguenos|siga-nos|hazte|apóya|"
    r"únete|compart[ae]|inscreva|assine|apoie|aanmeld|volg ons|meld je|nieuwsbrief|nyhetsbrev|"
    r"nyhedsbrev|uutiskirje|prenumer|subskry|wesprzyj|zapisz się|zaloguj|obserwuj|polub|"
    r"подпис|рассылк|поделит|abone|bülten)|订阅|分享|公众号|メルマガ|フォロー|シェア|구독|공유"
)  # fmt: skip
SOCIAL = re.compile(
    r"\b(?:facebook|twitter|instagram|whatsapp|telegram|pinterest|linkedin|youtube|tiktok|e-?mail|"
    r"kontakt|contacto?|rss|podcast|hotline)\b"
)
LEGAL = re.compile(
    r"\b(?:cookie|javascript|datenschutz|privacy|terms (?:of|and|&)|affiliate|disclaimer|"
    r"advertis|anzeige\b|werbung|werbelink|partnerlink|commission|provision|sponsor|copyright|"
    r"all rights|alle rechten?\b|tous droits|derechos reservados|"
    r"todos (?:los derechos|os direitos)|diritti riservati|prawa zastrzeżone|reserved|"
    r"licen[cs]e|imprint|impressum|haftung|ohne gewähr|mentions légales|aviso legal|"
    r"nutzungsbedingungen|agb\b|publicidad|pubblicit|publicité|reklam|advertentie)|©|\(c\) ?\d{4}"
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
    r"posted in|topics?|themen?)\b(?=.{0,90}$)"
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

BIO = re.compile(
    r"\b(?:is|was) (?:an? |the )?(?:\w+[ -]){0,4}(?:writer|editor|reporter|journalist|author|"
    r"blogger|founder|columnist|contributor|correspondent|freelance)|about the author|"
    r"über (?:den autor|die autorin|uns)|ist (?:\w+ ){0,3}(?:redakteur|journalist|autor|blogger|"
    r"gründer|head of|chefredakteur|volontär)|schreibt (?:seit|für|als|über)|"
    r"est (?:\w+ ){0,2}(?:journaliste|rédact|auteure?\b)|"
    r"es (?:\w+ ){0,2}(?:periodista|editora?\b|autora?\b)|"
    r"jest (?:\w+ )?(?:dziennik|redaktor|autor)|è (?:\w+ ){0,2}(?:giornalista|autore|autrice)"
)  # fmt: skip
DURATION = re.compile(
    r"\W{0,3}(?:(?:ca\.? )?\d+ ?min(?:ute[ns]?|utos?|uti)?\b.{0,20}$|lesezeit|lesedauer|"
    r"reading time|(?:temps|tiempo|tempo) d[ei] lect|tempo di lettura|czas czytania|leestijd)"
)

FURNITURE = (
    ("read_more", READ_MORE.match), ("appeal", APPEAL.search), ("legal", LEGAL.search),
    ("social", SOCIAL.search), ("bio", BIO.search), ("duration", DURATION.match),
    ("credit", CREDIT.search), ("dated", DATE.match), ("byline", BYLINE.match),
    ("comments", COMMENTS.match),
)  # fmt: skip


def is_end_mark(text: str) -> bool:
    """Whether a short block announces what comes after an article: more stories, or comments."""
    return READ_MORE.match(text) is not None or COMMENTS.match(text) is not None


def is_cookie_notice(text: str) -> bool:
    """Whether a block is the notice that a site uses cookies."""
    return "ookie" in text and COOKIES.search(text.lower()) is not None
