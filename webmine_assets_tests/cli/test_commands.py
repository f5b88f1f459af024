"""The command line as a user meets it: exit codes, one clear message, no traceback."""

import fcntl
import json
import socket
from pathlib import Path

import pytest

from webmine_assets import __version__
from webmine_assets.cli.summary import institution_rows, reasons_of_emptiness
from webmine_assets.institutions import load_institution
from webmine_assets.records import (
    CrawlCounters,
    Decision,
)
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.cli.webmine import (
    FILE,
    InItsOwnProcess,
    Webmine,
    assert_clear,
    file_of,
)
from webmine_assets_tests.factories import crawl_report, ledger_row


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


def test_a_broken_file_does_not_stop_the_others_whatever_it_quotes(webmine: Webmine) -> None:
    file_of(webmine, FILE.replace("u1", "u2"), "u2.yaml")
    file_of(webmine, 'institution_id: u1\nseed_urls: ["[/x]"]\nallowed_domains: [u1.edu]\n')
    result = webmine("institutions")
    assert_clear(result, 2, "'[/x]'")
    assert "u2" in result.stdout


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
