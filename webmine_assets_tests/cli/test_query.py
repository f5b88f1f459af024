"""`webmine query`: answers for people and programs."""

import json
from pathlib import Path

from webmine_assets.records import (
    PageTopic,
)
from webmine_assets.storage.lake import Lake
from webmine_assets_tests.cli.webmine import (
    Webmine,
    assert_clear,
)
from webmine_assets_tests.factories import snapshot


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


def test_an_unknown_view_names_the_known_ones(webmine: Webmine) -> None:
    Lake(str(webmine.data / "lake")).prepare()
    assert_clear(webmine("query", "select * from pages"), 2, "known views", "page_snapshots")


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
