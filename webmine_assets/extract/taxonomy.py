"""The topic categories with their keywords, the parents of topics, and the words that are none.

Data only; `topics` applies it.
"""

CATEGORIES: dict[str, str] = {
    "technology": "software hardware computer digital internet programming code developer",
    "science": "research study scientist laboratory experiment discovery scientific",
    "business": "company startup entrepreneur market industry enterprise corporate",
    "health": "health medical doctor patient disease treatment medicine wellness",
    "education": "education school university learning student teacher course academic",
    "entertainment": "movie film music game show series artist",
    "sports": "sport team player game match league championship athlete",
    "finance": "finance money investment stock trading market economy financial",
    "politics": "government political election policy democracy vote parliament",
    "design": "design ui ux interface visual graphic creative branding",
    "food": "food recipe cooking restaurant chef cuisine ingredient baking",
    "travel": "travel tourism hotel flight destination vacation itinerary tourist",
    "fashion": "fashion clothing designer runway outfit textile apparel couture",
    "gaming": "gaming gamer console gameplay rpg fps multiplayer",
    "crypto": "crypto cryptocurrency bitcoin blockchain ethereum wallet mining",
    "ai": "artificial_intelligence machine_learning neural_network deep_learning chatbot",
    "environment": "environment climate sustainability pollution biodiversity emissions"
    " ecosystem renewable_energy",
    "photography": "photography photographer camera lens portrait exposure aperture photo_shoot",
    "music": "music song album concert band singer guitar orchestra",
}
"""Category to keywords; an underscore joins the words of a phrase."""

_CHILDREN: dict[str, str] = {
    "technology": "programming software hardware internet cybersecurity cloud data ai robotics"
    " telecommunications electronics open_source web_development mobile databases javascript"
    " python java rust php ruby go typescript kotlin swift scala haskell perl",
    "programming": "coding devops algorithms",
    "javascript": "react vue angular nodejs jquery svelte nextjs ember deno",
    "python": "django flask pandas numpy fastapi jupyter",
    "java": "spring maven gradle hibernate",
    "php": "laravel symfony wordpress drupal",
    "ruby": "rails sinatra",
    "web_development": "frontend backend html css web_design http rest",
    "css": "sass tailwind bootstrap",
    "mobile": "android ios smartphones apps",
    "cloud": "aws azure kubernetes docker serverless",
    "databases": "sql postgresql mysql mongodb duckdb sqlite",
    "data": "big_data data_science analytics statistics visualization",
    "cybersecurity": "privacy encryption malware hacking",
    "open_source": "linux git github",
    "ai": "machine_learning deep_learning chatgpt chatbots natural_language_processing"
    " computer_vision artificial_intelligence",
    "science": "physics chemistry biology astronomy mathematics geology neuroscience genetics"
    " archaeology history psychology sociology linguistics space",
    "space": "nasa mars satellites",
    "biology": "ecology botany zoology evolution microbiology",
    "business": "marketing management startups entrepreneurship leadership retail logistics"
    " economy ecommerce careers",
    "marketing": "seo advertising social_media branding",
    "health": "medicine nutrition fitness mental_health covid-19 coronavirus vaccines nursing"
    " public_health cancer",
    "education": "teaching learning schools universities higher_education students research"
    " scholarships",
    "entertainment": "film movies television gaming music theatre celebrities books comics",
    "gaming": "esports playstation xbox nintendo minecraft",
    "sports": "football soccer basketball tennis cycling hockey golf olympics baseball rugby"
    " swimming athletics formula_1",
    "football": "bundesliga premier_league nfl",
    "finance": "banking crypto insurance stocks investing taxes real_estate trading",
    "crypto": "bitcoin ethereum blockchain nft",
    "politics": "elections government law democracy human_rights migration foreign_policy"
    " diplomacy defense",
    "design": "ui ux typography architecture graphic_design photography illustration",
    "food": "recipes cooking baking wine beer vegan vegetarian restaurants",
    "travel": "tourism hotels camping hiking flights",
    "fashion": "beauty clothing accessories jewelry",
    "environment": "climate climate_change sustainability energy wildlife conservation recycling"
    " renewable_energy",
    "energy": "solar wind_power nuclear_energy batteries",
    "photography": "cameras portraits landscape_photography",
    "music": "rock jazz hip_hop classical opera pop concerts",
}


def _parent_table() -> dict[str, str]:
    table: dict[str, str] = {}
    for parent, children in _CHILDREN.items():
        for child in children.split():
            table.setdefault(child.replace("_", " "), parent.replace("_", " "))
    return table


PARENTS: dict[str, str] = _parent_table()
"""Topic to the next broader one."""

_STOP_WORDS = (
    "the and for with from that this are was were not you your our their its his her all any can"
    " how what when where who why which will has have had about into over more most new best top"
    " tutorial tutorials guide guides introduction intro tips review reviews overview explained"
    " home page pages index main default site website web blog blogs post posts article articles"
    " news story stories archive archives category categories tag tags topic topics author authors"
    " search login register contact about imprint impressum datenschutz privacy-policy terms feed"
    " rss html htm php aspx jsp uncategorized uncategorised allgemein general other misc sonstiges"
    " content contents item items detail details view show node id und der die das den dem des ein"
    " eine mit von für auf aus ist im les des une pour avec dans sur par los las del una con para"
    " por que nachrichten artikel beitrag seite startseite aktuell aktuelles actualites noticias"
    " example localhost quot amp nbsp"
    " press presse release releases media download downloads en-us en-gb de-de fr-fr public www"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
