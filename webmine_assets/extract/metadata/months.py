"""Month names of the languages that institutional sites are written in, with usual short forms."""

_NAMES = """
january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|
september sep sept|october oct|november nov|december dec

januar jänner jän|februar feber|märz mrz mär maerz|april|mai|juni|juli|august|september|
oktober okt|november|dezember dez

janvier janv|février fevrier févr fév fevr|mars|avril avr|mai|juin|juillet juil|août aout|
septembre|octobre|novembre|décembre decembre déc

enero ene|febrero|marzo|abril abr|mayo|junio|julio|agosto ago|septiembre setiembre set|octubre|
noviembre|diciembre dic

gennaio gen|febbraio|marzo|aprile|maggio mag|giugno giu|luglio lug|agosto|settembre sett|
ottobre ott|novembre|dicembre

janeiro|fevereiro fev|março marco|abril|maio|junho|julho|agosto|setembro|outubro out|novembro|
dezembro

januari|februari|maart mrt|april|mei|juni|juli|augustus|september|oktober|november|december

styczeń stycznia sty|luty lutego lut|marzec marca|kwiecień kwietnia kwi|maj maja|
czerwiec czerwca cze|lipiec lipca lip|sierpień sierpnia sie|wrzesień września wrz|
październik października paź|listopad listopada lis|grudzień grudnia gru

leden ledna|únor února|březen března|duben dubna|květen května|červen června|červenec července|
srpen srpna|září|říjen října|listopadu|prosinec prosince

január januára|február februára|marec|apríl apríla|máj mája|jún júna|júl júla|augusta|septembra|
októbra|novembra|decembra

januari|februari|mars|april|maj|juni|juli|augusti|september|oktober|november|december

januar|februar|marts|april|maj|juni|juli|august|september|oktober|november|december desember des

tammikuu tammikuuta|helmikuu helmikuuta|maaliskuu maaliskuuta|huhtikuu huhtikuuta|
toukokuu toukokuuta|kesäkuu kesäkuuta|heinäkuu heinäkuuta|elokuu elokuuta|syyskuu syyskuuta|
lokakuu lokakuuta|marraskuu marraskuuta|joulukuu joulukuuta

január|február|március márc|április ápr|május máj|június jún|július júl|augusztus|
szeptember szept|október|november|december

ianuarie ian|februarie|martie|aprilie|mai|iunie iun|iulie iul|august|septembrie|octombrie|
noiembrie noi|decembrie

ocak oca|şubat şub|mart|nisan nis|mayıs|haziran haz|temmuz tem|ağustos ağu|eylül eyl|ekim eki|
kasım kas|aralık ara

январь января янв|февраль февраля фев|март марта мар|апрель апреля апр|май мая|июнь июня июн|
июль июля июл|август августа авг|сентябрь сентября сен сент|октябрь октября окт|
ноябрь ноября ноя|декабрь декабря дек

січень січня|лютий лютого|березень березня|квітень квітня|травень травня|червень червня|
липень липня|серпень серпня|вересень вересня|жовтень жовтня|листопад листопада|грудень грудня

ιανουάριος ιανουαρίου ιαν|φεβρουάριος φεβρουαρίου φεβ|μάρτιος μαρτίου μαρ|απρίλιος απριλίου απρ|
μάιος μαΐου μαι|ιούνιος ιουνίου ιουν|ιούλιος ιουλίου ιουλ|αύγουστος αυγούστου αυγ|
σεπτέμβριος σεπτεμβρίου σεπ|οκτώβριος οκτωβρίου οκτ|νοέμβριος νοεμβρίου νοε|
δεκέμβριος δεκεμβρίου δεκ

gener|febrer|març|abril|maig|juny|juliol|agost|setembre|octubre|novembre|desembre

siječanj siječnja|veljača veljače|ožujak ožujka|travanj travnja|svibanj svibnja|lipanj lipnja|
srpanj srpnja|kolovoz kolovoza|rujan rujna|listopad|studeni studenoga|prosinac prosinca

يناير|فبراير|مارس|أبريل إبريل ابريل|مايو|يونيو يونيه|يوليو يوليه|أغسطس اغسطس|سبتمبر|
أكتوبر اكتوبر|نوفمبر|ديسمبر

januari|februari|maret|april|mei|juni|juli|agustus|september|oktober|november nopember|desember
"""
"""One paragraph a language, twelve months each; other forms of a month follow its name."""


def _table() -> dict[str, int]:
    """Name to number; where languages disagree on a name, the first language that has it wins."""
    table: dict[str, int] = {}
    for language in _NAMES.strip().split("\n\n"):
        for number, names in enumerate(language.replace("\n", "").split("|"), start=1):
            for name in names.split():
                table.setdefault(name, number)
    return table


MONTHS = _table()
