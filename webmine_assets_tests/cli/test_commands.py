"""The command line as a user meets it: exit codes, one clear message, no traceback."""

import fcntl
import json
import socket
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from webmine_assets import __version__
from webmine_assets.cli.summary import institution_rows, reasons_of_emptiness
from webmine_assets.demo.pdf import build_pdf
from webmine_assets.institutions import load_institution
from webmine_assets.records import (
    CrawlCounters,
    Decision,
    PageTopic,
    RssEntry,
    Seed,
    SeedSource,
    SnapshotMeta,
)
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.cli.webmine import (
    FILE,
    InItsOwnProcess,
    Webmine,
    assert_clear,
    file_of,
)
from webmine_assets_tests.factories import NOON, crawl_report, ledger_row, snapshot


@pytest.mark.slow
def test_version_and_help(tmp_path: Path) -> None:
    webmine = InItsOwnProcess(tmp_path)
    assert webmine("--version").stdout == f"webmine {__version__}\n"
    shown = webmine("--help").stdout
    for command in ("run", "demo", "crawl", "why", "extract", "query", "search", "ui", "doctor"):
        assert command in shown


def test_an_unknown_command_is_wrong_usage(webmine: Webmine) -> None:
    assert_clear(webmine("zebra"), 2, "zebra")


def test_running_without_institutions_says_how_to_begin(webmine: Webmine) -> None:
    assert_clear(webmine("run"), 2, "webmine init")


def test_running_an_unknown_institution_says_what_to_create(webmine: Webmine) -> None:
    file_of(webmine, FILE)
    assert_clear(webmine("run", "u2"), 2, "u2.yaml", "known: u1")


def test_a_broken_file_is_reported_with_its_mistakes(webmine: Webmine) -> None:
    file_of(webmine, FILE + "max_page: 3\n")
    assert_clear(webmine("run"), 2, "u1.yaml", "line 4", "did you mean 'max_pages'?")
    result = webmine("institutions")
    assert_clear(result, 2, "did you mean")


def test_init_writes_a_file_that_loads_and_never_overwrites(webmine: Webmine) -> None:
    assert webmine("init", "u1", "https://u1.edu/").returncode == 0
    listed = json.loads(webmine("institutions", "--json").stdout)
    assert [row["institution"] for row in listed] == ["u1"]
    assert_clear(webmine("init", "u1", "https://u1.edu/"), 2, "is there already")
    assert_clear(webmine("init", "U 2", "https://u1.edu/"), 2, "lower-case")
    assert_clear(webmine("init", "u3", "u3.edu"), 2, "http")
    assert sorted(path.name for path in (webmine.data / "institutions").iterdir()) == ["u1.yaml"]


def test_init_speaks_of_its_arguments_since_there_is_no_file_yet(webmine: Webmine) -> None:
    wrong_id = webmine("init", "My University", "https://u1.edu/")
    assert_clear(wrong_id, 2, "ID: found 'My University'", "lower-case")
    assert "not a valid institution file" not in wrong_id.stderr
    no_scheme = webmine("init", "u1", "www.u1.edu/start")
    assert_clear(no_scheme, 2, "URL: found", "did you mean https://www.u1.edu/start?")
    assert_clear(webmine("init", "u1", "ftp://u1.edu/"), 2, "expected an http")
    assert_clear(webmine("init", "", "https://u1.edu/"), 2, "ID: it is empty; expected")
    assert_clear(webmine("init", "u1", "https://u1.edu:99999/"), 2, "the port 99999 is none")


@pytest.mark.parametrize("name", ["2024", "null", "no", "1e5"])
def test_init_takes_any_id(webmine: Webmine, name: str) -> None:
    assert_clear(webmine("init", name, "https://u1.edu/"), 0)
    written = load_institution(webmine.data / "institutions" / f"{name}.yaml")
    assert written.institution_id == name


@pytest.mark.parametrize(
    ("url", "networks"),
    [
        ("http://10.1.2.3:8080/", ("10.1.2.3",)),
        ("http://[::1]:8080/", ("::1",)),
        ("http://localhost:8080/", ("127.0.0.1", "::1")),
        ("https://8.8.8.8/", ()),
        ("https://u1.edu/", ()),
    ],
)
def test_init_allows_the_private_address_that_was_typed_and_no_other(
    webmine: Webmine, url: str, networks: tuple[str, ...]
) -> None:
    assert webmine("init", "u1", url).returncode == 0
    written = load_institution(webmine.data / "institutions" / "u1.yaml")
    assert written.allow_networks == networks


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "select count(*) from page_snapshots"),
        ("why", "https://u1.edu/"),
        ("extract", "--stored", "https://u1.edu/"),
        ("export", "page_snapshots", "-f", "csv"),
        ("archive", "read", "https://u1.edu/"),
        ("search", "boats"),
        ("institutions",),
        ("archive", "list"),
        ("archive", "check"),
        ("doctor",),
    ],
)
def test_a_question_where_nothing_is_says_so_and_makes_nothing(
    webmine: Webmine, arguments: tuple[str, ...]
) -> None:
    result = webmine(*arguments)
    assert "Traceback" not in result.stderr
    told = result.stdout + result.stderr
    assert str(webmine.data) in told.replace("\n", "")
    assert not webmine.data.exists()


def test_query_over_an_empty_lake_answers(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    result = webmine("query", "select count(*) as n from page_snapshots", "--json")
    assert json.loads(result.stdout) == [{"n": 0}]


def test_query_formats(webmine: Webmine, tmp_path: Path) -> None:
    Lake(str(webmine.data / "lake")).write("page_snapshots", "u1", [snapshot()])
    sql = "select institution, count(*) as n from page_snapshots group by 1"
    assert json.loads(webmine("query", sql, "-f", "json").stdout) == [{"institution": "u1", "n": 1}]
    assert webmine("query", sql, "-f", "csv").stdout.splitlines()[1] == '"u1",1'
    assert "institution" in webmine("query", sql).stdout
    assert_clear(webmine("query", sql, "-f", "parquet"), 2, "--out")
    out = tmp_path / "answer.parquet"
    assert webmine("query", sql, "-f", "parquet", "-o", str(out)).returncode == 0
    assert out.stat().st_size > 0


def test_query_gives_json_that_every_program_reads(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    sql = "select sum(x) n, 1.5::decimal d, 'nan'::double a, '-inf'::double b from range(4) t(x)"
    shown = webmine("query", sql, "--json").stdout
    assert json.loads(shown) == [{"n": 6, "d": 1.5, "a": None, "b": None}]
    assert "NaN" not in shown
    again = webmine("query", "select 1 as a, 2 as a, 3 as a, 4 as a_1", "--json").stdout
    assert json.loads(again) == [{"a": 1, "a_2": 2, "a_3": 3, "a_1": 4}]


def test_a_query_is_one_statement(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    assert json.loads(webmine("query", "select 1 as a; ", "--json").stdout) == [{"a": 1}]
    assert_clear(webmine("query", "select 1; select 2"), 2, "2 statements", "one at a time")


def test_tables_show_truth_as_files_do_and_moments_to_the_second(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    lake.write("page_snapshots", "u1", [snapshot()])
    sql = "select true as yes, timestamp '2026-01-31 10:30:00.123456' as at"
    shown = webmine("query", sql).stdout
    assert "true" in shown
    assert "2026-01-31 10:30:00" in shown
    assert ".123" not in shown
    topic = PageTopic(
        institution="u1",
        page_id="p1",
        url="https://u1.edu/",
        topic="boats",
        rank=1,
        confidence=1.0,
        sources=(),
        keywords=(),
        parents=(),
        user_provided=True,
        extractor_version="1",
    )
    lake.write("page_topics", "u1", [topic])
    assert ",true," in webmine("export", "page_topics", "-f", "csv").stdout


def test_query_answers_go_to_a_file_and_nested_columns_into_csv(
    webmine: Webmine, tmp_path: Path
) -> None:
    Lake(str(webmine.data / "lake")).write("page_snapshots", "u1", [snapshot()])
    out = tmp_path / "answer.json"
    assert webmine("query", "select 1 as a", "-f", "json", "-o", str(out)).stdout == ""
    assert json.loads(out.read_text()) == [{"a": 1}]
    csv = webmine("query", "select headers, meta, body from page_snapshots", "-f", "csv").stdout
    assert "alias_urls" in csv
    assert '{""content-type"": ""text/html; charset=utf-8""}' in csv
    [row] = json.loads(webmine("query", "select headers from page_snapshots", "--json").stdout)
    assert row["headers"] == {"content-type": "text/html; charset=utf-8"}
    assert (
        '{"content-type": "text/html; charset'
        in webmine("query", "select headers from page_snapshots").stdout
    )
    missing = str(tmp_path / "none" / "x.csv")
    assert_clear(webmine("query", "select 1", "-f", "csv", "-o", missing), 1, "x.csv")


def test_a_broken_file_does_not_stop_the_others_whatever_it_quotes(webmine: Webmine) -> None:
    file_of(webmine, FILE.replace("u1", "u2"), "u2.yaml")
    file_of(webmine, 'institution_id: u1\nseed_urls: ["[/x]"]\nallowed_domains: [u1.edu]\n')
    result = webmine("institutions")
    assert_clear(result, 2, "'[/x]'")
    assert "u2" in result.stdout


def test_an_unknown_view_names_the_known_ones(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    assert_clear(webmine("query", "select * from pages"), 2, "known views", "page_snapshots")


def test_why_tells_the_decision_and_a_near_miss(webmine: Webmine) -> None:
    rows = [
        ledger_row("https://u1.edu/a", reason="new", detail="because"),
        ledger_row("https://u1.edu/#/view", reason="new", detail="a route"),
    ]
    Lake(str(webmine.data / "lake")).write("url_ledger", "u1", rows)
    result = webmine("why", "https://u1.edu/a/?utm_source=x")
    assert result.returncode == 0
    assert "because" in result.stdout
    assert "because" in webmine("why", "https://u1.edu/a/#section").stdout
    unknown = webmine("why", "https://u1.edu/b")
    assert unknown.returncode == 1
    assert "never discovered" in unknown.stdout
    assert "https://u1.edu/a" in unknown.stdout
    assert "a route" in webmine("why", "u1.edu#/view").stdout
    assert_clear(webmine("why", "mailto:a@b.c"), 2, "not an http")


def test_why_tells_what_a_browser_had_to_do_with_a_page(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    lake.write("url_ledger", "u1", [ledger_row("https://u1.edu/a", reason="new")])
    meta = SnapshotMeta(rendered=True, render_reason="empty_root", render_ms=228)
    lake.write("page_snapshots", "u1", [snapshot("https://u1.edu/a", meta=meta)])
    account = "rendered in a browser: empty_root, 228 ms"
    assert f"\n  {account}\n" in webmine("why", "https://u1.edu/a").stdout
    (row,) = json.loads(webmine("why", "https://u1.edu/a", "--json").stdout)
    assert row["rendering"] == account


def test_why_says_how_a_url_was_found_and_where_it_leads(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    failed = {"decision": Decision.HTTP_ERROR, "reason": "http_404", "depth": 0}
    rows = [
        ledger_row("https://u1.edu/", reason="new", detail="sha256:00"),
        ledger_row("https://u1.edu/fed", reason="new"),
        ledger_row("https://u1.edu/listed", reason="new"),
        ledger_row("https://u1.edu/kept", reason="new"),
        ledger_row("https://u1.edu/imported", reason="imported"),
        ledger_row("https://u1.edu/old", **failed),
        ledger_row("https://u1.edu/new", discovered_from="https://u1.edu/old", **failed),
        ledger_row("https://u1.edu/b", Decision.ALIAS, reason="checksum", detail="https://u1.edu/"),
    ]
    lake.write("url_ledger", "u1", rows)
    lake.write(
        "seeds",
        "u1",
        [
            Seed(institution="u1", url=url, source=source, via=via, added_at=NOON)
            for url, source, via in (
                ("https://u1.edu/", SeedSource.CONFIG, "u1.yaml"),
                ("https://u1.edu/fed/?utm_source=x", SeedSource.FEED, "https://u1.edu/rss"),
                ("https://u1.edu/listed", SeedSource.CSV, "list.csv:2"),
            )
        ],
    )
    page = snapshot(
        "https://u1.edu/imported",
        meta=SnapshotMeta(source="warc"),
        rss_entry=RssEntry(via="old.warc.gz"),
    )
    lake.write("page_snapshots", "u1", [page])
    for url, words in {
        "https://u1.edu/": "a starting point, in u1.yaml",
        "u1.edu": "checksum of its text: sha256:00",
        "https://u1.edu/fed": "announced by the feed https://u1.edu/rss",
        "https://u1.edu/listed": "listed in list.csv:2",
        "https://u1.edu/kept": "known from an earlier crawl",
        "https://u1.edu/imported": "imported from old.warc.gz",
        "https://u1.edu/old": "it leads to: https://u1.edu/new",
        "https://u1.edu/b": "the page is stored as: https://u1.edu/",
    }.items():
        assert words in webmine("why", url).stdout
    assert "starting point" not in webmine("why", "https://u1.edu/kept").stdout


def test_why_names_only_what_is_like_it(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    urls = ["https://u1.edu/news/1", "https://u1.edu/people/staff", "https://u2.edu/news/2"]
    lake.write("url_ledger", "u1", [ledger_row(url) for url in urls])
    shown = webmine("why", "https://u1.edu/news/2").stdout
    assert "u1 " in shown
    assert [url in shown for url in urls] == [True, False, False]
    relative = webmine("why", "news/1")
    assert relative.returncode == 1
    assert "news/1 is no full address; read as https://news/1" in relative.stdout
    assert_clear(webmine("why", "/news/1"), 2, "not an http or https URL")
    assert_clear(webmine("why", "u1.edu:99999/x"), 2, "the port 99999 is none")


def test_why_knows_a_url_that_waits_for_the_next_crawl(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    seed = Seed(
        institution="u1",
        url="https://u1.edu/new",
        source=SeedSource.CSV,
        via="list.csv:2",
        added_at=datetime(2026, 1, 2, tzinfo=UTC),
    )
    lake.write("seeds", "u1", [seed])
    answer = webmine("why", "https://u1.edu/new")
    assert answer.returncode == 1
    assert "waits for the next crawl" in answer.stdout
    assert "webmine run u1" in answer.stdout


def test_a_run_without_pages_says_why(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    lost = ledger_row(decision=Decision.FETCH_ERROR, reason="dns", depth=0)
    lake.write("url_ledger", "u1", [lost])
    (line,) = reasons_of_emptiness(lake, [{"institution": "u1", "pages": 0}])
    assert "u1: fetch_error:dns (1)" in line
    assert f"webmine why {lost.url}" in line
    assert reasons_of_emptiness(lake, [{"institution": "u1", "pages": 1}]) == []


def test_a_page_whose_text_is_as_before_is_unchanged_with_or_without_a_304(
    webmine: Webmine,
) -> None:
    lake = Lake(str(webmine.data / "lake"))
    lake.prepare()
    counters = CrawlCounters(not_modified=2)
    report = crawl_report(counters=counters, reasons={"stored:unchanged": 3, "stored:new": 1})
    lake.write("crawl_reports", "u1", [report])
    (row,) = institution_rows(lake, ["u1", "u2"])
    assert row["unchanged"] == 5


def test_extract_reads_a_file_and_json_lines(webmine: Webmine, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = " ".join(f"Sentence number {n} of this page says something else." for n in range(12))
    page.write_text(f"<title>A page</title><article><h1>A page</h1><p>{words}</p></article>")
    found = json.loads(webmine("extract", str(page), "--url", "https://u1.edu/p").stdout)
    assert found["title"] == "A page"
    assert "Sentence number 7" in found["text"]
    line = json.dumps({"id": "7", "url": "https://u1.edu/", "html_b64": "PHA+SGVsbG88L3A+"})
    answers = webmine("extract", "--jsonl", text=f"{line}\nnonsense\n").stdout.splitlines()
    assert [json.loads(answer)["id"] for answer in answers] == ["7", None]
    assert "error" in json.loads(answers[1])
    assert_clear(webmine("extract", str(tmp_path / "none.html")), 2, "cannot be read")
    assert_clear(webmine("extract"), 2, "name an HTML or PDF file")


def test_extract_reads_a_pdf_and_what_it_says_of_itself(webmine: Webmine, tmp_path: Path) -> None:
    file = tmp_path / "report.pdf"
    sentences = [f"Sentence number {n} of this report says something else." for n in range(12)]
    file.write_bytes(
        build_pdf("Report 2023", sentences, author="Jane Doe", created_on=date(2024, 3, 1))
    )
    found = json.loads(webmine("extract", str(file)).stdout)
    assert (found["title"], found["author"]) == ("Report 2023", "Jane Doe")
    assert found["published_at"] == "2024-03-01T09:00:00+00:00"
    assert "Sentence number 7" in found["text"]
    assert found["sources"]["title"] == "title:pdf:title"
    assert found["sources"]["date"] == "date:pdf:creationdate"
    file.write_bytes(b"%PDF-1.7 nothing")
    assert_clear(webmine("extract", str(file)), 2, "report.pdf: the PDF is broken")


def test_json_lines_come_from_files_too_and_broken_ones_are_named(
    webmine: Webmine, tmp_path: Path
) -> None:
    pages = tmp_path / "pages.jsonl"
    good = {"id": 1, "url": "https://u1.edu/", "html_b64": "PHA+SGVsbG88L3A+"}
    lines = ["nonsense", "[]", {"id": 3}, good | {"url": 5}, good | {"html_b64": "!"}, good]
    pages.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))
    shown = webmine("extract", "--jsonl", str(pages)).stdout.splitlines()
    answers = [json.loads(answer) for answer in shown]
    assert [answer.get("error", "")[:22] for answer in answers] == [
        "line 1: not JSON (Expe",
        "line 2: not a JSON obj",
        "line 3: html_b64: miss",
        "line 4: url: found 5; ",
        "line 5: html_b64: expe",
        "",
    ]
    assert "Error(" not in "".join(shown)
    assert_clear(webmine("extract", "--jsonl", str(tmp_path / "none")), 2, "cannot be read")
    assert_clear(webmine("extract", str(pages), "--url", "u1.edu"), 2, "--url", "expected an http")


def test_crawl_with_a_missing_configuration_is_clear(webmine: Webmine, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    missing = str(tmp_path / "none.yaml")
    assert_clear(webmine("crawl", "--config", missing, "--out", out), 2, "none.yaml")


def test_a_data_folder_that_cannot_be_written_is_clear(webmine: Webmine) -> None:
    # Not even root may make a folder there.
    webmine.data = Path("/sys/webmine")
    assert_clear(webmine("demo"), 2, "WEBMINE_DATA")
    assert_clear(webmine("query", "select 1"), 1, "WEBMINE_DATA")
    rows = json.loads(webmine("doctor", "--json").stdout)
    assert [row["state"] for row in rows if row["what"] == "data folder"] == ["not writable"]
    assert webmine("doctor").returncode == 1


def test_a_data_folder_that_is_a_file_is_clear(webmine: Webmine) -> None:
    webmine.data.write_text("not a folder")
    assert_clear(webmine("demo"), 2, "WEBMINE_DATA")
    assert_clear(webmine("query", "select 1"), 1, "there is no corpus at")


def test_a_port_in_use_is_clear(webmine: Webmine) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert_clear(webmine("ui", "--port", port), 1, port, "--port")


@pytest.mark.slow
def test_a_second_daemon_on_the_same_data_is_refused(webmine: Webmine) -> None:
    place = webmine.data / "dagster" / "ui.lock"
    place.parent.mkdir(parents=True)
    place.write_text("http://127.0.0.1:3000\n")
    with socket.socket() as free, place.open() as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
        free.close()
        refused = webmine("ui", "--port", port)
    assert_clear(refused, 1, "http://127.0.0.1:3000;", "--no-daemon")


def test_a_worker_without_a_queue_says_what_it_needs(webmine: Webmine) -> None:
    assert_clear(webmine("worker"), 2, "WEBMINE_BROKER", "webmine ui")


def test_removing_the_demo_leaves_the_user_s_own(webmine: Webmine) -> None:
    file_of(webmine, FILE)
    lake = Lake(str(webmine.data / "lake"))
    lake.write("crawl_reports", "u1", [crawl_report()])
    assert "nothing was removed" in webmine("demo", "--remove").stdout
    assert lake.count("crawl_reports", "u1") == 1
    assert (webmine.data / "institutions" / "u1.yaml").exists()


def test_doctor_says_what_is_there(webmine: Webmine) -> None:
    rows = json.loads(webmine("doctor", "--json").stdout)
    assert {"python", "dagster", "duckdb", "lake"} <= {row["what"] for row in rows}


def test_a_damaged_file_stops_no_question_to_another_table_and_is_found(webmine: Webmine) -> None:
    lake = Lake(str(webmine.data / "lake"))
    path = Path(lake.write("page_topics", "u1", []).path)
    path.write_bytes(path.read_bytes()[:-9])
    assert_clear(webmine("query", "select count(*) from page_topics"), 1, str(path), "move")
    assert webmine("query", "select count(*) from seeds").returncode == 0
    assert "never discovered" in webmine("why", "https://u1.edu/x").stdout
    (row,) = (r for r in json.loads(webmine("doctor", "--json").stdout) if r["what"] == "lake")
    assert row["state"] != "ok"
    assert str(path) in row["detail"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "extraction_rules: [{value: 'p[['}]",
            "rules.0.value: found 'p[['; expected a CSS",
        ),
        ("extraction_rules: [{value: 'a:::b'}]", "found 'a:::b'; expected a CSS selector"),
        ("extraction_rules:\n  - value: '//[['\n    type: xpath", "line 5, extraction_rules.0"),
        ("extraction_rules: [{type: xpath, value: count(//p)}]", "that selects elements"),
        ("extraction_rules: [{type: xpath, value: //p/text()}]", "that selects elements"),
        ("extraction_rules: [{type: xpath, value: '//x:p'}]", "expected an XPath expression"),
        (
            "policy:\n  languages: [en, EN-us, english]",
            "line 5, policy.languages.2: found 'en",
        ),
        ("policy: {languages: [zz]}", "found 'zz'; expected a two-letter code"),
    ],
)
def test_what_a_file_says_in_vain_is_named(webmine: Webmine, text: str, words: str) -> None:
    path = file_of(webmine, f"{FILE}{text}\n")
    assert_clear(webmine("institutions"), 2, f"{path}: line ", words, "no effect")
