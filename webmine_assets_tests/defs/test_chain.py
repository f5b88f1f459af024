"""The chain over the demo university, through Dagster in this process, on a real instance."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance

from webmine_assets.defs.instance import open_instance
from webmine_assets.defs.partitions import INSTITUTIONS
from webmine_assets.defs.runner import run_chain
from webmine_assets.progress import SilentProgress
from webmine_assets.records import TABLES
from webmine_assets.storage import warehouse
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus

# All look at one run of the whole chain.
pytestmark = pytest.mark.slow

UNIVERSITY = "demo-university"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoCorpus]:
    with pytest.MonkeyPatch.context() as environment:
        data = tmp_path_factory.mktemp("data")
        environment.setenv("WEBMINE_DATA", str(data))
        environment.delenv("DAGSTER_HOME", raising=False)
        with demo_corpus(data) as corpus:
            outcomes = list(run_chain(corpus.settings, [UNIVERSITY], progress=SilentProgress()))
            assert [outcome.error for outcome in outcomes] == [None]
            yield corpus


@pytest.fixture
def instance(corpus: DemoCorpus) -> Iterator[DagsterInstance]:
    with open_instance(corpus.settings) as instance:
        yield instance


def ask(corpus: DemoCorpus, sql: str) -> list[dict[str, object]]:
    return warehouse.query(corpus.lake, sql).to_pylist()


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_rows_and_every_asset_a_materialisation(
    corpus: DemoCorpus, instance: DagsterInstance, table: str
) -> None:
    assert corpus.lake.count(table, UNIVERSITY) > 0
    event = instance.get_latest_materialization_event(AssetKey(table))
    assert event is not None
    materialisation = event.asset_materialization
    assert materialisation is not None
    assert materialisation.partition == UNIVERSITY
    assert {"dagster/row_count", "sample", "file"} <= materialisation.metadata.keys()
    assert materialisation.metadata["dagster/row_count"].value == corpus.lake.count(
        table, UNIVERSITY
    )


def test_the_ledger_adds_up(corpus: DemoCorpus) -> None:
    found = ask(
        corpus,
        "select count(*) as rows, count(distinct url) as urls, (select sum(v) from (select"
        " unnest(map_values(decisions)) as v from crawl_reports)) as reported from url_ledger",
    )[0]
    assert found["rows"] == found["urls"] == found["reported"]


def test_pages_are_joined_across_tables_by_their_id(corpus: DemoCorpus) -> None:
    missing = ask(
        corpus,
        """
        select s.url from page_snapshots s
        left join page_content c using (page_id) left join page_metadata m using (page_id)
        left join page_archives a using (page_id)
        where c.url is null or m.url is null or a.url is null
        """,
    )
    assert missing == []


def test_partitions_are_registered(instance: DagsterInstance) -> None:
    assert UNIVERSITY in instance.get_dynamic_partitions(INSTITUTIONS)


def test_a_second_run_takes_pages_from_the_cache_and_archives_nothing_twice(
    corpus: DemoCorpus,
) -> None:
    served = corpus.lake.count("page_snapshots", UNIVERSITY)
    files = sorted((corpus.settings.archives / UNIVERSITY).glob("*.warc.gz"))
    (outcome,) = run_chain(corpus.settings, [UNIVERSITY], progress=SilentProgress())
    assert outcome.error is None
    report = ask(corpus, "select counters from crawl_reports order by started_at desc limit 1")[0]
    assert report["counters"]["cache_hits"] == served  # type: ignore[index]  # a struct
    assert sorted((corpus.settings.archives / UNIVERSITY).glob("*.warc.gz")) == files


def test_a_partition_without_a_file_fails_and_says_what_to_create(corpus: DemoCorpus) -> None:
    (outcome,) = run_chain(corpus.settings, ["nobody"], progress=SilentProgress())
    assert outcome.error is not None
    assert "create" in outcome.error
    assert "nobody.yaml" in outcome.error


def test_nothing_is_left_of_the_journal_and_nothing_aside(corpus: DemoCorpus) -> None:
    left = corpus.settings.journals.glob("demo-university*")
    assert [path.name for path in left if path.suffix != ".lock"] == []
    assert list(Path(corpus.settings.lake, ".aside").iterdir()) == []
