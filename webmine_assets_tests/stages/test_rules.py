"""A rule added to the demo newsroom's file takes its block out of the content, with no fetch."""

from pathlib import Path

import pytest

from webmine_assets.institutions import ExtractionRule, load_institution, save_rule
from webmine_assets.progress import SilentProgress
from webmine_assets.stages.crawl import crawl_pages
from webmine_assets.stages.enhance import enhance_pages
from webmine_assets.storage import warehouse
from webmine_assets_tests.corpus import DemoCorpus, demo_corpus

NEWSROOM = "demo-newsroom"


def tables_in_content(corpus: DemoCorpus) -> int:
    sql = "select count(*) as n from page_content where full_content like '%| --- |%'"
    return int(warehouse.query(corpus.lake, sql).to_pylist()[0]["n"])


def enhance(corpus: DemoCorpus, file: Path) -> None:
    enhance_pages(load_institution(file), lake=corpus.lake, progress=SilentProgress())


@pytest.mark.slow
def test_a_saved_rule_removes_its_block_at_the_next_enhancement(tmp_path: Path) -> None:
    with demo_corpus(tmp_path) as corpus:
        file = corpus.settings.institutions / f"{NEWSROOM}.yaml"
        crawl_pages(
            load_institution(file),
            lake=corpus.lake,
            settings=corpus.settings,
            progress=SilentProgress(),
        )
    # The sites are gone now: what follows cannot fetch.
    enhance(corpus, file)
    assert tables_in_content(corpus) > 0
    save_rule(file, ExtractionRule(value="article table", description="figures"))
    enhance(corpus, file)
    assert tables_in_content(corpus) == 0
    applied = "select count(*) as n from page_content where len(rules_applied) > 0"
    assert warehouse.query(corpus.lake, applied).to_pylist()[0]["n"] > 0
