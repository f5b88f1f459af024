"""The definitions as Dagster loads them: valid, quiet, and the graph that was designed."""

import struct
import subprocess
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterRun
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.defs.chart import bar_chart_png
from webmine_assets.defs.instance.coordinator import institution_of, writes_pages
from webmine_assets.defs.project import build_definitions
from webmine_assets.stages.quality import CHECKS

GRAPH = {
    "seeds": set(),
    "page_snapshots": {"seeds"},
    "url_ledger": {"seeds"},
    "crawl_reports": {"seeds"},
    "page_content": {"page_snapshots"},
    "page_metadata": {"page_snapshots"},
    "page_topics": {"page_content", "page_metadata"},
    "page_archives": {"page_snapshots", "page_topics"},
    "search_index": {"page_topics"},
}
RANGE = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")


@pytest.mark.slow
def test_dagster_validates_them_without_a_warning(tmp_path: Path) -> None:
    checked = subprocess.run(
        [
            sys.executable,
            *("-m", "dagster", "definitions", "validate", "-m", "webmine_assets.definitions"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = checked.stdout + checked.stderr
    assert checked.returncode == 0, said
    # The command itself is superseded by one of another package; that is not about ours.
    warnings = [line for line in said.splitlines() if "Warning" in line]
    assert [line for line in warnings if "SupersessionWarning" not in line] == []


def test_the_graph_is_as_designed() -> None:
    graph = build_definitions().resolve_asset_graph()
    found = {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }
    assert found == GRAPH


def test_every_check_is_offered_and_every_asset_tells_what_it_is() -> None:
    graph = build_definitions().resolve_asset_graph()
    offered = {(key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys}
    assert offered == {(check.table, check.name) for check in CHECKS}
    assert all(graph.get(key).description for key in graph.get_all_asset_keys())


@pytest.mark.parametrize(
    "name", ["crawl", "enhance_metadata", "refresh_feeds", "import_archive", "whole_chain"]
)
def test_the_jobs_are_there_and_described(name: str) -> None:
    assert build_definitions().resolve_job_def(name).description


@pytest.mark.parametrize("name", ["enhance", "page_archives", "search_index"])
def test_a_failed_enhancement_is_tried_again_with_growing_pauses(name: str) -> None:
    job = build_definitions().resolve_job_def("enhance_metadata")
    policy = job.graph.node_named(name).definition.retry_policy
    assert policy is not None
    assert policy.max_retries == 2
    assert policy.calculate_delay(2) > policy.calculate_delay(1) > 0


@pytest.mark.parametrize(
    ("job", "selection", "writes"),
    [
        ("__ASSET_JOB", {"page_snapshots", "seeds"}, True),
        ("__ASSET_JOB", {"page_content"}, False),
        ("crawl", None, True),
        ("whole_chain", None, True),
        ("enhance_metadata", None, False),
    ],
)
def test_the_queue_knows_which_runs_write_pages(
    job: str, selection: set[str] | None, writes: bool
) -> None:
    keys = frozenset(map(AssetKey, selection)) if selection else None
    assert writes_pages(DagsterRun(job_name=job, asset_selection=keys)) is writes


@pytest.mark.parametrize(
    ("tags", "institution"),
    [
        ({"dagster/partition": "u1"}, "u1"),
        (dict(zip(RANGE, ("u1", "u1"), strict=True)), "u1"),
        (dict(zip(RANGE, ("u1", "u9"), strict=True)), None),
        ({}, None),
    ],
)
def test_the_queue_knows_the_one_institution_of_a_run(
    tags: Mapping[str, str], institution: str | None
) -> None:
    assert institution_of(DagsterRun(job_name="crawl", tags=tags)) == institution


@given(st.dictionaries(st.text(max_size=60), st.integers(0, 10**9), max_size=30))
def test_any_counts_make_a_png_of_whole_rows(values: dict[str, int]) -> None:
    png = bar_chart_png(values)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT") + 4
    assert len(zlib.decompressobj().decompress(png[start:])) == height * (width + 1)
