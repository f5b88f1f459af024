import pytest

from webmine_assets_tests.extract.metadata.pages import (
    json_ld,
    meta,
    metadata_of,
    page,
    provenance_of,
    source_of,
)

META = meta("author", "Ada Lovelace")
ARTICLE = meta("article:author", "Grace Hopper", key="property")
MICRODATA = '<span itemprop="author"><b itemprop="name">Mary Shelley</b></span>'
JSON_LD = json_ld(
    '{"@type": "NewsArticle", "author": [{"@type": "Person", "name": "Jane Austen"}]}'
)
CITATION = meta("citation_author", "Curie, Marie")
DUBLIN_CORE = meta("DC.creator", "Noether, Emmy")
REL = '<a rel="author" href="/people/rc">Rachel Carson</a>'
CLASS = '<span class="author">Rosa Parks</span>'
BYLINE = '<p class="byline">By Maya Angelou</p>'
PATTERN = "<p>By Toni Morrison</p>"


@pytest.mark.parametrize(
    ("head", "body", "source", "name"),
    [
        (META + ARTICLE, MICRODATA + REL, "meta:author", "Ada Lovelace"),
        (ARTICLE + JSON_LD, MICRODATA + REL, "article:author", "Grace Hopper"),
        (JSON_LD + CITATION, MICRODATA + REL, "itemprop:author", "Mary Shelley"),
        (JSON_LD + CITATION, REL, "json-ld:author", "Jane Austen"),
        (CITATION + DUBLIN_CORE, REL, "citation_author", "Marie Curie"),
        (DUBLIN_CORE, REL, "dc.creator", "Emmy Noether"),
        ("", REL + CLASS + BYLINE, "rel:author", "Rachel Carson"),
        ("", CLASS + BYLINE + PATTERN, "class:author", "Rosa Parks"),
        ("", BYLINE + PATTERN, "class:byline", "Maya Angelou"),
        ("", PATTERN, "by-pattern", "Toni Morrison"),
        ("", '<a href="/authors/oe">Octavia Estelle</a>', "href:author", "Octavia Estelle"),
    ],
)
def test_each_source_wins_when_the_earlier_ones_are_missing(head, body, source, name):
    metadata = metadata_of(page(head, body))
    assert (source_of(metadata, "author"), metadata.authors) == (f"author:{source}", (name,))


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("by Jane Doe", ("Jane Doe",)),
        ("By: Jane Doe", ("Jane Doe",)),
        ("von Max Mustermann", ("Max Mustermann",)),
        ("de Juan Pérez", ("Juan Pérez",)),
        ("par Marie Dupont", ("Marie Dupont",)),
        ("Written by Jane Doe on March 3, 2020", ("Jane Doe",)),
        ("Jane Doe and John Roe", ("Jane Doe", "John Roe")),
        ("作者：张三", ("张三",)),
        ("文/王小明、李四", ("王小明", "李四")),
        ("Автор: Анна Петрова", ("Анна Петрова",)),
        ("بقلم: محمد علي", ("محمد علي",)),
        (
            "Isabel Caro , Rocío Latorre y José Miguel Wilson",
            ("Isabel Caro", "Rocío Latorre", "José Miguel Wilson"),
        ),
        ("Ludwig van Beethoven", ("Ludwig van Beethoven",)),
        ("Jose de la Cruz", ("Jose de la Cruz",)),
        ("Martin Luther King, Jr.", ("Martin Luther King Jr.",)),
        ("Jan Novak", ("Jan Novak",)),
        ("April Ryan", ("April Ryan",)),
        ("Jane Doe | Staff Writer | 12.03.2020", ("Jane Doe",)),
        ("damianduchamps", ("damianduchamps",)),
        ("Analysis by Jane Doe, CNN Editor-at-large", ("Jane Doe",)),
        ("Автор: Олеся Жуковень", ("Олеся Жуковень",)),
        ("JANE DOE, AP Auto Writer", ("JANE DOE",)),
        ("Jane Doe, Example Business", ("Jane Doe",)),
        ("Home About Places Events Contact", ()),
        ("  Jane \n Doe ", ("Jane Doe",)),
    ],
)
def test_names_are_cut_out_of_by_lines(raw, names):
    assert metadata_of(page("", f'<p class="author">{raw}</p>')).authors == names


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("x", "not 2 to 100 characters"),
        ("Q" * 101, "not 2 to 100 characters"),
        ("jane@example.org", "an e-mail address"),
        ("https://www.facebook.com/jane", "an address"),
        ("admin", "an account or a label, not a person"),
        ("12.03.2020", "no name in it"),
        ("March 12, 2020", "no name in it"),
        ("Photo: Jane Doe", "no name in it"),
        ("y" * 301, "longer than 300 characters"),
    ],
)
def test_dates_menus_and_addresses_are_no_names(raw, reason):
    metadata = metadata_of(page(meta("author", raw)))
    assert metadata.authors == ()
    assert provenance_of(metadata, "author").lost[0].reason == reason


@pytest.mark.parametrize(("name", "valid"), [("Qi", True), ("Q" * 100, True), ("Q", False)])
def test_two_to_hundred_characters_are_valid(name, valid):
    assert bool(metadata_of(page(meta("author", name))).authors) is valid


def test_the_site_is_not_its_own_author():
    head = meta("og:site_name", "Example Times", key="property") + meta("author", "Example Times")
    metadata = metadata_of(page(head, '<span class="author">Jane Doe</span>'))
    assert metadata.authors == ("Jane Doe",)
    assert provenance_of(metadata, "author").lost[0].reason == "the site's name"


def test_two_agreeing_sources_outvote_a_meta_tag():
    head = meta("author", "Theme Designer") + JSON_LD
    metadata = metadata_of(
        page(head, '<a rel="author" href="/p">Jane Austen</a><p>Theme Designer</p>')
    )
    assert metadata.authors == ("Jane Austen",)
    assert provenance_of(metadata, "author").lost[0].reason == "two other sources agree on another"


def test_authors_of_comments_are_not_authors_of_the_page():
    body = '<div id="comments"><span class="author">A Reader</span></div>'
    metadata = metadata_of(page("", body))
    assert metadata.authors == ()
    assert provenance_of(metadata, "author").lost[0].reason == "in a menu, a comment or a side part"


def test_several_tags_and_neighbours_are_several_authors():
    assert metadata_of(page(meta("author", "Jane Doe") + meta("author", "John Roe"))).authors == (
        "Jane Doe",
        "John Roe",
    )
    links = '<p><a rel="author">Jane Doe</a> and <a rel="author">John Roe</a></p>'
    assert metadata_of(page("", links)).authors == ("Jane Doe", "John Roe")


def test_a_page_without_an_author_has_none():
    metadata = metadata_of(page("", "<p>Just text.</p>"))
    assert (metadata.authors, source_of(metadata, "author")) == ((), "")


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("Loïc Le Clerc", ("Loïc Le Clerc",)),
        ("Loïc le 5 mai 2020", ("Loïc",)),
        ("Ana Caro y José Wilson Hace 13 horas", ("Ana Caro", "José Wilson")),
        ("By Adam Aaronson Example Staff", ("Adam Aaronson",)),
        ("Text von Maria Seiler Illustration von Hans Roost", ("Maria Seiler",)),
        ("Pressemitteilung von Katja Kipping", ("Katja Kipping",)),
        ("Schlagwörter Monster", ()),
    ],
)
def test_a_by_line_is_cut_where_the_name_ends(raw, names):
    assert metadata_of(page("", f'<p class="author">{raw}</p>')).authors == names


def test_a_by_line_within_a_line_is_found():
    body = "<div>5 January 2020 <span>by <b>Jane Doe</b></span> in News</div>"
    metadata = metadata_of(page("", body))
    assert (metadata.authors, source_of(metadata, "author")) == (
        ("Jane Doe",),
        "author:by-pattern",
    )


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("作者：张三", ("张三",)),
        ("記者 / 王小明、李四", ("王小明", "李四")),
        ("بقلم: محمد علي", ("محمد علي",)),
        ("Автор: Анна Петрова", ("Анна Петрова",)),
        ("文章来源：新华社今天的新闻报道", ()),
    ],
)
def test_by_lines_of_other_scripts_are_found(line, names):
    assert metadata_of(page("", f"<p>{line}</p>")).authors == names


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("Jane Doe", ("Jane Doe",)),
        ("Doe, Jane", ("Jane Doe",)),
        ("Jane Doe, John Roe", ("Jane Doe", "John Roe")),
        ("European Commission", ("European Commission",)),
        ("Board of Halden University", ("Board of Halden University",)),
        ("Doe, Jane; Roe, John", ("Jane Doe", "John Roe")),
        ("Jane Doe; John Roe and Mary Major", ("Jane Doe", "John Roe", "Mary Major")),
        ("jdoe", ()),
        ("Microsoft Office User", ()),
        ("Windows-Benutzer", ()),
        ("HP", ()),
    ],
)
def test_the_author_of_a_pdf_is_a_person_or_a_body_not_a_computer(raw, names):
    assert metadata_of(page(meta("pdf:author", raw), "")).authors == names
