"""Runs through Dagster over two small demo institutions: refusals, ranges, selections, imports."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dagster import (
    AssetCheckEvaluation,
    AssetCheckKey,
    AssetKey,
    AssetMaterialization,
    AssetSelection,
    DagsterEventType,
    DagsterInstance,
    Definitions,
    ExecuteInProcessResult,
    PreviewWarning,
    RetryRequested,
)

# The UI's own answer to what is out of date; there is no public way to ask for it.
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from webmine_assets.defs.checks import earlier_values, evaluation_of
from webmine_assets.defs.enhancement import Fate, NewPages, fate_of, is_refusal
from webmine_assets.defs.instance import open_instance
from webmine_assets.defs.project import build_definitions
from webmine_assets.defs.runner import run_chain
from webmine_assets.defs.turns import waiting_for_others
from webmine_assets.errors import InstitutionBusyError
from webmine_assets.progress import SilentProgress
from webmine_assets.stages.exclusive import writing_pages
from webmine_assets.stages.quality import CHECKS, Verdict
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus

# Each test executes whole runs.
pytestmark = pytest.mark.slow

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


@contextmanager
def closed(corpus: DemoCorpus, institution: str) -> Iterator[None]:
    """A file that keeps all of its site out."""
    path = corpus.settings.institutions / f"{institution}.yaml"
    text = path.read_text("utf-8")
    others = re.sub(r"(?m)^disallowed_paths:.*\n(?:[ -].*\n)*", "", text)
    path.write_text(f"{others}\ndisallowed_paths: [/]\n", "utf-8")
    yield
    path.write_text(text, "utf-8")


def test_a_failing_blocking_check_stops_what_follows_for_that_partition_only(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    with closed(corpus, UNIVERSITY):
        (refused,) = run_chain(corpus.settings, [UNIVERSITY], progress=SilentProgress())
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
    def crawl() -> Fate:
        (outcome,) = run_chain(
            corpus.settings,
            [UNIVERSITY],
            progress=SilentProgress(),
            job="crawl",
        )
        return fate_of(instance, NewPages(1, outcome.run_id, UNIVERSITY))

    with closed(corpus, UNIVERSITY):
        assert crawl() is Fate.REFUSED
    assert crawl() is Fate.ENHANCE


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


def stale(instance: DagsterInstance, definitions: Definitions, table: str) -> list[str]:
    """Why the UI calls a table of the newsroom out of date; nothing if it does not."""
    graph = definitions.resolve_asset_graph()
    resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
    causes = resolver.get_stale_causes(AssetKey(table), NEWSROOM)
    return [cause.reason for cause in causes]


def test_a_new_extractor_makes_what_the_old_one_made_out_of_date(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    (outcome,) = run_chain(corpus.settings, [NEWSROOM], progress=SilentProgress())
    assert outcome.error is None
    now = build_definitions()
    assert {table: stale(instance, now, table) for table in ENHANCED} == {
        table: [] for table in ENHANCED
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PreviewWarning)
        newer = now.map_resolved_asset_specs(
            func=lambda spec: spec.replace_attributes(code_version="2"),
            selection=AssetSelection.assets("page_content", "page_metadata", "page_topics"),
        )
    assert stale(instance, newer, "page_snapshots") == []
    for table in ("page_content", "page_metadata", "page_topics"):
        assert "has a new code version" in stale(instance, newer, table)


def test_a_setting_out_of_its_range_fails_the_run_and_is_named(instance: DagsterInstance) -> None:
    config = {"ops": {"crawl_pages": {"config": {"max_pages": -5}}}}
    result = execute(instance, "crawl", partition=NEWSROOM, run_config=config)
    assert not result.success
    failures = [event for event in result.all_node_events if event.is_step_failure]
    assert "max_pages" in str(failures[0].step_failure_data.error)


def test_the_share_of_empty_pages_is_kept_for_the_next_enhancement(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    for _ in range(2):
        assert execute(instance, "enhance_metadata", partition=NEWSROOM).success
    shares = earlier_values(instance, NEWSROOM)["empty_text_share"]
    assert shares
    assert set(shares) == {0.0}
    assert earlier_values(instance, "nobody") == {"empty_text_share": []}


def test_one_check_of_one_partition_can_be_executed_alone(instance: DagsterInstance) -> None:
    key = AssetCheckKey(AssetKey("page_snapshots"), "page_volume")
    chain = build_definitions(SilentProgress()).resolve_implicit_global_asset_job_def()
    result = chain.get_subset(
        asset_selection=set(), asset_check_selection={key}
    ).execute_in_process(instance=instance, partition_key=NEWSROOM)
    assert [(e.check_name, e.partition) for e in result.get_asset_check_evaluations()] == [
        ("page_volume", NEWSROOM)
    ]


def test_a_crawl_after_an_import_adds_up(corpus: DemoCorpus, instance: DagsterInstance) -> None:
    files = [str(path) for path in (corpus.settings.archives / UNIVERSITY).glob("*.warc.gz")]
    config = {"institution": NEWSROOM, "files": files, "any_host": True}
    assert execute(
        instance, "import_archive", run_config={"ops": {"import_pages": {"config": config}}}
    ).success
    (outcome,) = run_chain(corpus.settings, [NEWSROOM], progress=SilentProgress())
    assert outcome.error is None
    verdicts = {e.check_name: e.passed for e in evaluations(instance, outcome.run_id)}
    assert verdicts["ledger_adds_up"]


def test_a_page_that_went_missing_stops_what_follows(
    corpus: DemoCorpus, instance: DagsterInstance
) -> None:
    """The ledger and the pages of a partition no longer agree: a blocking check of another table
    of the crawl stops enhancement as those of the pages do."""
    (check,) = (check for check in CHECKS if check.name == "ledger_adds_up")
    assert check.blocking
    found = evaluation_of(check, Verdict(passed=False, summary="lost"), UNIVERSITY)
    assert is_refusal(found)
    assert not is_refusal(evaluation_of(check, Verdict(passed=True, summary=""), UNIVERSITY))
    warned = Verdict(passed=False, summary="fewer", severe=False)
    assert not is_refusal(evaluation_of(check, warned, UNIVERSITY))
