"""Runs through Dagster over two small demo institutions: refusals, ranges, selections, imports."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import (
    AssetCheckEvaluation,
    AssetKey,
    AssetMaterialization,
    DagsterEventType,
    DagsterInstance,
    ExecuteInProcessResult,
    RetryRequested,
)

from webmine_assets.defs.enhancement import Fate, NewPages, fate_of
from webmine_assets.defs.instance import open_instance
from webmine_assets.defs.project import build_definitions
from webmine_assets.defs.runner import run_chain
from webmine_assets.defs.turns import waiting_for_others
from webmine_assets.errors import InstitutionBusyError
from webmine_assets.progress import SilentProgress
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus

UNIVERSITY, NEWSROOM = "demo-university", "demo-newsroom"
ENHANCED = ("page_content", "page_metadata", "page_topics", "page_archives", "search_index")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoCorpus]:
    with pytest.MonkeyPatch.context() as environment:
        data = tmp_path_factory.mktemp("data")
        environment.setenv("WEBMINE_DATA", str(data))
        environment.delenv("DAGSTER_HOME", raising=False)
        with demo_corpus(data) as corpus:
            for path in corpus.settings.institutions.glob("*.yaml"):
                text = path.read_text("utf-8")
                path.write_text(re.sub(r"(?m)^max_pages: \d+", "max_pages: 8", text), "utf-8")
            outcomes = run_chain(corpus.settings, [UNIVERSITY, NEWSROOM], progress=SilentProgress())
            assert [outcome.error for outcome in outcomes] == [None, None]
            yield corpus


@pytest.fixture
def instance(corpus: DemoCorpus) -> Iterator[DagsterInstance]:
    with open_instance(corpus.settings) as instance:
        yield instance


def execute(
    instance: DagsterInstance, job: str, *, partition: str | None = None, **more: object
) -> ExecuteInProcessResult:
    chain = build_definitions(SilentProgress()).resolve_job_def(job)
    return chain.execute_in_process(
        instance=instance,
        partition_key=partition,
        raise_on_error=False,
        **more,  # type: ignore[arg-type]  # run_config and tags, as they are
    )


def materialisations(
    instance: DagsterInstance, run_id: str
) -> dict[str, list[AssetMaterialization]]:
    """What a run materialised, by partition."""
    found: dict[str, list[AssetMaterialization]] = {}
    for entry in instance.all_logs(run_id, of_type=DagsterEventType.ASSET_MATERIALIZATION):
        assert entry.asset_materialization
        key = entry.asset_materialization.partition or ""
        found.setdefault(key, []).append(entry.asset_materialization)
    return found


def evaluations(instance: DagsterInstance, run_id: str) -> list[AssetCheckEvaluation]:
    entries = instance.all_logs(run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION)
    events = [entry.dagster_event for entry in entries if entry.dagster_event]
    return [e.event_specific_data for e in events]  # type: ignore[misc]  # of that type they are


def test_a_failing_blocking_check_stops_what_follows_for_that_partition_only(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    collapsed = {"max_pages": 1, "force": True}
    (refused,) = run_chain(
        corpus.settings, [UNIVERSITY], progress=SilentProgress(), crawl_config=collapsed
    )
    (untouched,) = run_chain(corpus.settings, [NEWSROOM], progress=SilentProgress())
    assert "page_volume" in (refused.error or "")
    assert untouched.error is None
    stopped = {
        m.asset_key.to_user_string() for m in materialisations(instance, refused.run_id)[UNIVERSITY]
    }
    assert "page_snapshots" in stopped
    assert stopped.isdisjoint(ENHANCED)
    whole = {
        m.asset_key.to_user_string() for m in materialisations(instance, untouched.run_id)[NEWSROOM]
    }
    assert set(ENHANCED) <= whole
    (again,) = run_chain(corpus.settings, [UNIVERSITY], progress=SilentProgress())
    assert again.error is None


def test_the_sensor_leaves_a_refused_crawl_alone(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    def crawl(**config: object) -> Fate:
        (outcome,) = run_chain(
            corpus.settings,
            [UNIVERSITY],
            progress=SilentProgress(),
            job="crawl",
            crawl_config=config,
        )
        return fate_of(instance, NewPages(1, outcome.run_id, UNIVERSITY))

    assert crawl(max_pages=1, force=True) is Fate.REFUSED
    assert crawl(max_pages=8) is Fate.ENHANCE


def test_one_run_over_many_partitions_gives_each_its_own_metadata_and_checks(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    ends = sorted([UNIVERSITY, NEWSROOM], key=instance.get_dynamic_partitions("institutions").index)
    tags = dict(
        zip(
            ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end"),
            ends,
            strict=True,
        )
    )
    result = execute(instance, "enhance_metadata", tags=tags)
    assert result.success
    found = materialisations(instance, result.run_id)
    assert found.keys() == {UNIVERSITY, NEWSROOM}
    for partition, events in found.items():
        assert {event.asset_key.to_user_string() for event in events} == set(ENHANCED)
        (content,) = (e for e in events if e.asset_key == AssetKey("page_content"))
        rows = corpus.lake.count("page_content", partition)
        assert content.metadata["dagster/row_count"].value == rows
        assert {"preview", "sample", "pages_failed"} <= content.metadata.keys()
    checked = evaluations(instance, result.run_id)
    assert {(e.check_name, e.partition) for e in checked if e.check_name == "text_present"} == {
        ("text_present", UNIVERSITY),
        ("text_present", NEWSROOM),
    }


def test_named_pages_are_enhanced_by_hand(corpus: DemoCorpus, instance: DagsterInstance) -> None:
    (batch,) = corpus.lake.batches("page_content", UNIVERSITY, columns=["page_id"], size=100)
    wanted = [row["page_id"] for row in batch.to_pylist()][:2]
    config = {"content_ids": wanted, "force_rescrape": True}
    result = execute(
        instance,
        "enhance_metadata",
        partition=UNIVERSITY,
        run_config={"ops": {"enhance": {"config": config}}},
    )
    assert result.success
    (content,) = (
        event
        for event in materialisations(instance, result.run_id)[UNIVERSITY]
        if event.asset_key == AssetKey("page_content")
    )
    assert content.metadata["pages_processed"].value == len(wanted)
    assert corpus.lake.count("page_content", UNIVERSITY) == corpus.lake.count(
        "page_snapshots", UNIVERSITY
    )


def test_the_same_rows_have_the_same_data_version(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    def version() -> str:
        assert execute(instance, "enhance_metadata", partition=NEWSROOM).success
        event = instance.get_latest_materialization_event(AssetKey("page_metadata"))
        assert event
        assert event.asset_materialization
        tags = event.asset_materialization.tags or {}
        assert tags["dagster/code_version"]
        return tags["dagster/data_version"]

    assert version() == version()


def test_an_imported_archive_is_a_materialisation_of_pages(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    folder = corpus.settings.institutions
    text = (folder / f"{UNIVERSITY}.yaml").read_text("utf-8")
    (folder / "imported.yaml").write_text(text.replace(UNIVERSITY, "imported"), "utf-8")
    instance.add_dynamic_partitions("institutions", ["imported"])
    files = [str(path) for path in (corpus.settings.archives / UNIVERSITY).glob("*.warc.gz")]
    config = {"institution": "imported", "files": files}
    result = execute(
        instance, "import_archive", run_config={"ops": {"import_pages": {"config": config}}}
    )
    assert result.success
    found = materialisations(instance, result.run_id)["imported"]
    assert {event.asset_key.to_user_string() for event in found} == {"page_snapshots", "url_ledger"}
    assert corpus.lake.count("page_snapshots", "imported") > 0
    assert fate_of(instance, NewPages(1, result.run_id, "imported")) is Fate.ENHANCE
    again = execute(
        instance, "import_archive", run_config={"ops": {"import_pages": {"config": config}}}
    )
    assert again.success
    assert materialisations(instance, again.run_id) == {}


def test_an_archive_that_is_missing_fails_the_import_and_is_named(
    instance: DagsterInstance, tmp_path: Path
) -> None:
    config = {"institution": NEWSROOM, "files": [str(tmp_path / "none.warc.gz")]}
    result = execute(
        instance, "import_archive", run_config={"ops": {"import_pages": {"config": config}}}
    )
    assert not result.success


def test_a_person_is_told_that_an_institution_is_busy(corpus: DemoCorpus) -> None:
    with writing_pages(corpus.settings, UNIVERSITY):
        (outcome,) = run_chain(
            corpus.settings, [UNIVERSITY], progress=SilentProgress(), job="crawl"
        )
    assert "under way" in (outcome.error or "")


def test_a_run_of_the_daemon_waits_for_its_turn() -> None:
    with pytest.raises(RetryRequested), waiting_for_others(has_watcher=False):
        raise InstitutionBusyError("busy")
    with pytest.raises(InstitutionBusyError), waiting_for_others(has_watcher=True):
        raise InstitutionBusyError("busy")
