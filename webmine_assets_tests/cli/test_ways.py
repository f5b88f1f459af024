"""The ways in and out as a user meets them: import, archive, export, reextract, stored pages."""

import json
from pathlib import Path

import pytest

from webmine_assets.archive.index import index_path
from webmine_assets.progress import SilentProgress
from webmine_assets.settings import read_settings
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.stages.search import index_pages
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.archive.factories import story, write_file
from webmine_assets_tests.cli.webmine import FILE, Webmine, assert_clear, file_of
from webmine_assets_tests.stages.pages import html, institution, page
from webmine_assets_tests.storage.cluster import serving

URL = "https://u1.edu/a"


@pytest.fixture(autouse=True)
def _institution(webmine: Webmine) -> None:
    file_of(webmine, FILE)


def warc(folder: Path, subject: str = "ferry") -> str:
    row = page(URL, html(subject))
    return str(write_file(folder, story(URL, body=row.body, text=row.text, checksum=row.checksum)))


def stored(webmine: Webmine) -> Lake:
    lake = Lake(str(webmine.data / "lake"))
    lake.write("page_snapshots", "u1", [page(URL, html("ferry"))])
    enhance_pages(institution(), lake=lake, progress=SilentProgress())
    return lake


@pytest.mark.slow
def test_a_warc_file_is_imported_once(webmine: Webmine, tmp_path: Path) -> None:
    file = warc(tmp_path)
    first = webmine("import", "warc", file, "-i", "u1", "--json")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["added"] == 1
    second = webmine("archive", "import", file, "-i", "u1")
    assert second.returncode == 0
    assert f"skipped, nothing new since it was taken: {file}" in second.stdout
    assert "stored: imported" in webmine("why", URL).stdout


@pytest.mark.slow
def test_an_import_that_fails_names_each_input(webmine: Webmine, tmp_path: Path) -> None:
    damaged = tmp_path / "cut.warc.gz"
    damaged.write_bytes(Path(warc(tmp_path)).read_bytes()[:-30])
    result = webmine("import", "warc", str(damaged), str(tmp_path / "none"), "-i", "u1")
    assert_clear(result, 1, "cut.warc.gz at byte", "none: there is no such file")


def test_wrong_usage_of_imports_is_clear(webmine: Webmine) -> None:
    assert_clear(webmine("import", "csv", "x.csv", "-i", "u2"), 2, "known: u1")
    assert_clear(webmine("import", "csv", "x.csv"), 2, "--institution")
    assert_clear(webmine("import", "feed", "u1.edu/feed", "-i", "u1"), 2, "not an http")


def test_a_csv_import_says_what_was_refused_and_what_comes_next(
    webmine: Webmine, tmp_path: Path
) -> None:
    file = tmp_path / "urls.csv"
    file.write_text("url\nhttps://u1.edu/1\nftp://u1.edu/2\n")
    shown = webmine("import", "csv", str(file), "-i", "u1").stdout
    assert "1 seeds added" in shown
    assert "not_http" in shown
    assert "webmine run u1" in shown


def test_archives_are_listed_checked_and_read(webmine: Webmine) -> None:
    folder = webmine.data / "archives" / "u1"
    file = Path(warc(folder))
    (row,) = json.loads(webmine("archive", "list", "--json").stdout)
    assert (row["file"], row["stories"]) == (f"u1/{file.name}", 1)
    assert webmine("archive", "check").returncode == 0
    assert "About the ferry" in webmine("archive", "read", URL).stdout
    about = json.loads(webmine("archive", "read", URL, "--metadata").stdout)
    assert about["http_metadata"]["final_url"] == URL
    assert_clear(webmine("archive", "read", "https://u1.edu/none"), 1, "no copy")
    file.with_name(file.name.replace(".warc.gz", ".cdxj")).unlink()
    assert_clear(webmine("archive", "check", str(file)), 1, "index")
    assert_clear(webmine("archive", "list", "-i", "u2"), 2, "known: u1")


def test_export_writes_tables_markdown_and_says_what_is_wrong(
    webmine: Webmine, tmp_path: Path
) -> None:
    stored(webmine)
    out = tmp_path / "pages.parquet"
    assert webmine("export", "page_snapshots", "-o", str(out)).returncode == 0
    assert out.stat().st_size > 0
    (line,) = webmine("export", "page_content", "-f", "jsonl", "-i", "u1").stdout.splitlines()
    assert json.loads(line)["url"] == URL
    assert f"--- {URL} (depth 0) ---" in webmine("export", "markdown", "-i", "u1").stdout
    assert_clear(webmine("export", "pages"), 2, "page_snapshots")
    assert_clear(webmine("export", "page_content"), 2, "--out")
    assert_clear(webmine("export", "markdown"), 2, "--institution")
    assert_clear(webmine("export", "markdown", "-i", "u1", "-o", str(tmp_path)), 2, "directory")
    assert_clear(webmine("export", "markdown", "-i", "u1", "-f", "csv"), 2, "--format")
    assert_clear(
        webmine("export", "wacz", "-i", "u1", "-o", str(tmp_path / "x.wacz")), 1, "webmine run"
    )
    nowhere = str(tmp_path / "no" / "x.csv")
    assert_clear(webmine("export", "seeds", "-f", "csv", "-o", nowhere), 2, "cannot be written")


def test_reextract_shows_a_rule_s_effect_and_publishes_on_apply(webmine: Webmine) -> None:
    stored(webmine)
    file_of(webmine, FILE + "extraction_rules:\n  - {value: 'article p'}\n")
    shown = webmine("reextract", "-i", "u1").stdout
    assert "1 of 1 pages change" in shown
    assert "nothing was published" in shown
    applied = json.loads(webmine("reextract", "-i", "u1", "--apply", "--json").stdout)
    assert applied["fields"]["content.rules_applied"]["added"] == 1
    assert "0 of 1 pages change" in webmine("reextract", "-i", "u1").stdout
    assert_clear(webmine("reextract", "-i", "u2"), 2, "known: u1")


def test_markdown_of_no_pages_says_so(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    assert_clear(webmine("export", "markdown", "-i", "u1"), 1, "webmine run u1")


def test_reextract_without_pages_says_how_to_get_them(webmine: Webmine) -> None:
    assert_clear(webmine("reextract", "-i", "u1"), 1, "webmine run u1")


def test_a_stored_page_is_extracted_under_its_institution_s_rules(webmine: Webmine) -> None:
    stored(webmine)
    plain = json.loads(webmine("extract", "--stored", URL).stdout)
    assert "harbour town" in plain["text"]
    file_of(webmine, FILE + "extraction_rules:\n  - {value: 'article p'}\ntopics: [boats]\n")
    ruled = json.loads(webmine("extract", "--stored", URL).stdout)
    assert "harbour town" not in ruled["text"]
    assert "boats" in ruled["topics"]
    assert_clear(webmine("extract", "--stored", "https://u1.edu/none"), 1, "webmine why")


def test_stories_are_sent_to_elasticsearch_and_again_replace_themselves(webmine: Webmine) -> None:
    stored(webmine)
    with serving() as cluster:
        url = f"http://127.0.0.1:{cluster.server_port}"
        for _ in range(2):
            result = webmine("export", "elasticsearch", "--url", url, "--index", "news")
            assert result.returncode == 0, result.stderr
            assert "1 stories in news" in result.stderr
        [document] = cluster.documents["news"].values()
    assert (document["url"], document["canonical_domain"]) == (URL, "u1.edu")
    assert document["article_title"] == "About the ferry"
    assert "discussed for the 4th time" in document["text_content"]
    assert cluster.mappings["news"]["mappings"]["properties"]["indexed_date"] == {
        "type": "date_nanos"
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "elasticsearch"], "WEBMINE_ELASTIC_URL"),
        (["export", "elasticsearch", "--url", "ftp://x"], "expected http://host:9200"),
        (["export", "elasticsearch", "--url", "http://h:99999"], "expected http://host:9200"),
        (["export", "elasticsearch", "--url", "http://h", "-i", "u9"], "u9"),
        (["export", "pages"], "cannot be exported; known: seeds"),
        (["extract", "--jsonl", "--markdown"], "--markdown is of one page"),
    ],
)
def test_a_wrong_export_says_what_it_needs(
    webmine: Webmine, arguments: list[str], message: str
) -> None:
    assert_clear(webmine(*arguments), 2, message)


def test_a_folder_of_archives_is_checked_and_a_lost_index_made_again(
    webmine: Webmine, tmp_path: Path
) -> None:
    file = Path(warc(tmp_path / "copies"))
    index = file.with_name(file.name.replace(".warc.gz", ".cdxj"))
    before = index.read_text()
    index.unlink()
    assert_clear(webmine("archive", "check", str(file.parent)), 1, "webmine archive index")
    made = webmine("archive", "index", str(file))
    assert (made.returncode, made.stdout.strip()) == (0, str(index))
    assert index.read_text() == before
    assert webmine("archive", "check", str(file.parent)).returncode == 0
    for command in ("index", "check"):
        assert_clear(webmine("archive", command, str(tmp_path / "none")), 2, "does not exist")


def test_one_damaged_archive_stops_no_other(webmine: Webmine, tmp_path: Path) -> None:
    folder = webmine.data / "archives" / "u1"
    sound = write_file(folder, story("https://u1.edu/a"))
    broken = write_file(folder, story("https://u1.edu/b"), prefix="zz")
    broken.write_bytes(broken.read_bytes()[:-10])
    index_path(sound).unlink()
    made = webmine("archive", "index", str(folder.parent))
    assert_clear(made, 1, str(broken))
    assert made.stdout.split() == [str(index_path(sound))]
    packed = webmine("export", "wacz", "-i", "u1", "-o", str(tmp_path / "x.wacz"))
    assert_clear(packed, 1, "1 archive files of u1", f"left out: {broken}")
    assert (tmp_path / "x.wacz").exists()


def test_a_page_without_a_copy_leads_on(webmine: Webmine) -> None:
    url = "https://u1.edu/none"
    assert_clear(webmine("archive", "read", url), 1, f"`webmine why {url}`")
    assert_clear(webmine("archive", "read", "u1.edu/none"), 2, "not an http or https URL")


def test_an_import_names_the_files_that_hold_nothing(webmine: Webmine, tmp_path: Path) -> None:
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    (tmp_path / "empty.csv").write_bytes(b"url\n")
    for kind, name in (("warc", "empty.warc.gz"), ("csv", "empty.csv")):
        result = webmine("import", kind, str(tmp_path / name), "-i", "u1")
        assert result.returncode == 0
        assert f"nothing in it: {tmp_path / name}" in result.stdout


def test_an_institution_is_removed_with_all_that_is_kept_of_it(
    webmine: Webmine, tmp_path: Path
) -> None:
    lake = stored(webmine)
    lake.write("page_snapshots", "u1_b", [page(URL, html("ferry"))])
    warc(webmine.data / "archives" / "u1")
    settings = read_settings({"WEBMINE_DATA": str(webmine.data)})
    index_pages(institution(), lake=lake, settings=settings, progress=SilentProgress())
    urls = tmp_path / "urls.csv"
    urls.write_text(f"url\n{URL}\n")
    assert "1 seeds added" in webmine("import", "csv", str(urls), "-i", "u1").stdout

    asked = webmine("institutions", "--remove", "u1")
    assert_clear(asked, 1, "u1.yaml", "1 rows of page_snapshots", "1 archive files", "Remove all")
    assert lake.has("page_snapshots", "u1")

    assert_clear(webmine("institutions", "--remove", "u1", "--yes"), 0)
    assert [lake.institutions(table) for table in ("page_snapshots", "seeds")] == [["u1_b"], []]
    assert not list((webmine.data / "institutions").iterdir())
    assert not list((webmine.data / "archives").iterdir())
    assert not list((webmine.data / "journals").iterdir())
    assert "nothing found" in webmine("search", "ferry").stdout
    file_of(webmine, FILE)
    assert "1 seeds added" in webmine("import", "csv", str(urls), "-i", "u1").stdout
    for name in ("u2", "../u1"):
        assert_clear(webmine("institutions", "--remove", name, "--yes"), 2, "no institution")


def test_words_to_search_for_need_no_quotes(webmine: Webmine) -> None:
    lake = stored(webmine)
    settings = read_settings({"WEBMINE_DATA": str(webmine.data)})
    index_pages(institution(), lake=lake, settings=settings, progress=SilentProgress())
    for words in (("about", "ferry"), ("about ferry",), ("nosuchword", "+ferry")):
        [hit] = json.loads(webmine("search", *words, "-i", "u1", "--json").stdout)
        assert hit["url"] == URL
