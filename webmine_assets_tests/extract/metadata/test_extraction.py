from webmine_assets.extract.document import Document
from webmine_assets.extract.metadata import extract_metadata
from webmine_assets.extract.topics import extract_topics
from webmine_assets_tests.extract.metadata.pages import (
    TODAY,
    PlainContent,
    json_ld,
    meta,
    metadata_of,
    page,
)

GERBERA_URL = "https://gerbera.io/"
GERBERA_TITLE = "Gerbera - A free media server. Stream your media to devices on your home network."
GERBERA_RIBBON = "https://github.blog/wp-content/uploads/2008/12/forkme_right_green.png?resize=149"
GERBERA = page(
    f"<title>{GERBERA_TITLE}</title>"
    + meta("description", GERBERA_TITLE.rstrip(".") + ": Home Page")
    + meta("keywords", "UPnP, media server, DLNA"),
    f"""<a href="https://github.com/gerbera/gerbera"><img src="{GERBERA_RIBBON}" alt="Fork me"></a>
    <div id="header"><h1></h1><a href="/">Gerbera</a></div>
    <div class="wrapper"><p>Gerbera is a server for the media of a home network.</p>
    <p>It streams them to devices that know the protocol, and its catalogue is seen there.</p>
    </div>""",
)


def _with_topics(html, url):
    document = Document.parse(html, url=url)
    metadata = extract_metadata(document, PlainContent(), url=url, today=TODAY)
    topics = extract_topics(document, metadata.content_text, url=url)
    return metadata.with_topics(topics, url=url)


def test_a_page_like_gerbera_gives_what_is_expected_of_it():
    metadata = _with_topics(GERBERA, GERBERA_URL)
    assert metadata.title == GERBERA_TITLE
    assert metadata.description == GERBERA_TITLE.rstrip(".") + ": Home Page"
    assert metadata.image_url == GERBERA_RIBBON
    assert metadata.authors == ()
    assert metadata.log == (
        "[https://gerbera.io/] Extracted from: title:title, description:meta:description,"
        " image:first-img, content:paragraphs, topics:meta:keywords+url:path"
    )


def test_the_log_names_every_source_in_order():
    head = (
        meta("og:description", "A page that has everything.", key="property")
        + meta("og:image", "https://example.com/a.jpg", key="property")
        + meta("author", "Jane Doe")
        + meta("article:published_time", "2024-05-06T07:08:09+02:00", key="property")
        + meta("keywords", "bridges")
    )
    words = "The software developer wrote code for a digital computer. " * 3
    body = f"<h1>Everything</h1><article><p>{words}</p></article>"
    metadata = _with_topics(page(head, body), "https://example.com")
    assert metadata.log == (
        "[https://example.com] Extracted from: title:h1, description:og:description,"
        " image:og:image, author:meta:author, date:article:published_time, content:article,"
        " topics:meta:keywords+content:analysis"
    )


def test_every_value_has_its_provenance():
    html = page(
        meta("author", "Jane Doe")
        + meta("date", "2024-05-06")
        + json_ld('{"@type": "Article", "dateModified": "2024-06-07"}'),
        "<h1>Everything</h1><img src='a.jpg'><article><p>"
        + "Words of a page. " * 10
        + "</p></article>",
    )
    metadata = metadata_of(html, text="Words of a page that is long enough. " * 5)
    sources = {entry.field: entry for entry in metadata.provenance if entry.source}
    assert set(sources) == {
        "title", "description", "image", "author", "date", "modified", "content", "language"
    }  # fmt: skip
    assert all(entry.raw and entry.source.startswith(f"{f}:") for f, entry in sources.items())


def test_rdfa_lite_and_dublin_core_join_where_schema_org_stands():
    html = page(
        meta("dc:creator", "Emmy Noether"),
        """<div vocab="https://schema.org/" typeof="Article">
        <span property="headline">On invariants</span>
        <span property="schema:description">A description of some invariants.</span>
        <time property="datePublished" datetime="2020-03-04">x</time>
        <img property="image" src="/a.jpg"></div>""",
    )
    metadata = metadata_of(html)
    assert metadata.title == "On invariants"
    assert metadata.description == "A description of some invariants."
    assert metadata.published_at == "2020-03-04"
    assert metadata.image_url == "https://www.example.org/a.jpg"
    assert metadata.authors == ("Emmy Noether",)


def test_topics_of_the_user_alone_have_a_source_too():
    document = Document.parse(page(), url=GERBERA_URL + "x")
    topics = extract_topics(document, "", url=GERBERA_URL + "x", user_topics=["physics"])
    metadata = metadata_of(page()).with_topics(topics, url=GERBERA_URL)
    assert metadata.provenance[-1].source == "topics:user"


def test_an_empty_page_gives_empty_fields():
    for html in ("", b"", "not html at all", b"\xff\xfe\x00", "<html>"):
        metadata = metadata_of(html)
        assert (metadata.title, metadata.description, metadata.authors) == (None, None, ())
        assert metadata.log.startswith("[https://www.example.org/reports/annual] Extracted from:")
