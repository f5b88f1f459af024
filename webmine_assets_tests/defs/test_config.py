"""The launchpad: every setting is seen with its default, and a wrong one is told in time."""

import pytest
from dagster import DagsterInvalidConfigError, validate_run_config
from pydantic import ValidationError

from webmine_assets.defs.config import CrawlConfig, EnhanceConfig, ImportConfig
from webmine_assets.defs.project import build_definitions
from webmine_assets.institutions import Institution

UNIVERSITY = Institution(
    institution_id="u1",
    seed_urls=("https://u1.edu/",),
    allowed_domains=("u1.edu",),
    max_pages=300,
    ttl_days=14,
)


@pytest.mark.parametrize("kind", [CrawlConfig, EnhanceConfig, ImportConfig])
def test_every_setting_is_described(kind: type[CrawlConfig]) -> None:
    assert all(field.description for field in kind.model_fields.values())


@pytest.mark.parametrize("kind", [CrawlConfig, EnhanceConfig])
def test_every_default_has_a_value_for_the_launchpad_to_write(kind: type[CrawlConfig]) -> None:
    assert all(value is not None for value in kind().model_dump().values())


@pytest.mark.parametrize(
    ("given", "max_pages", "ttl_days"),
    [
        ({}, 300, 14),
        ({"max_pages": 5}, 5, 14),
        ({"ttl_days": 0}, 300, 0),
        ({"ttl_days": 0.5, "max_pages": 1}, 1, 0.5),
    ],
)
def test_a_run_overrides_the_file(given: dict[str, float], max_pages: int, ttl_days: float) -> None:
    changed = CrawlConfig(**given).applied_to(UNIVERSITY)  # type: ignore[arg-type]  # as YAML has it
    assert (changed.max_pages, changed.ttl_days) == (max_pages, ttl_days)
    assert changed.seed_urls == UNIVERSITY.seed_urls


@pytest.mark.parametrize(
    ("given", "whole"),
    [({}, True), ({"force_rescrape": True}, True), ({"batch_size": 3}, False),
     ({"content_ids": ["a"]}, False)],
)  # fmt: skip
def test_enhancement_is_of_the_whole_partition_unless_pages_are_named(
    given: dict[str, object], whole: bool
) -> None:
    assert EnhanceConfig(**given).is_whole_partition is whole


@pytest.mark.parametrize(
    ("job", "op", "config", "told"),
    [
        ("crawl", "crawl_pages", {"max_page": 5}, "max_page"),
        ("crawl", "crawl_pages", {"max_pages": "many"}, "max_pages"),
        ("crawl", "crawl_pages", {"force": 1}, "force"),
        ("enhance_metadata", "enhance", {"content_ids": "one"}, "content_ids"),
        ("import_archive", "import_pages", {"institution": "u1"}, "files"),
    ],
)
def test_a_wrong_setting_is_named_before_the_run_starts(
    job: str, op: str, config: dict[str, object], told: str
) -> None:
    with pytest.raises(DagsterInvalidConfigError, match=told):
        validate_run_config(
            build_definitions().resolve_job_def(job), {"ops": {op: {"config": config}}}
        )


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        (CrawlConfig, {"max_pages": -5}, "max_pages"),
        (CrawlConfig, {"ttl_days": -2}, "ttl_days"),
        (EnhanceConfig, {"batch_size": -1}, "batch_size"),
        (EnhanceConfig, {"batch_size": 10**9}, "batch_size"),
        (ImportConfig, {"institution": "u1", "files": []}, "files"),
    ],
)
def test_a_setting_out_of_its_range_is_named(
    kind: type[CrawlConfig], given: dict[str, object], told: str
) -> None:
    with pytest.raises(ValidationError, match=told):
        kind(**given)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("job", ["crawl", "refresh_feeds", "enhance_metadata", "whole_chain"])
def test_a_job_needs_no_settings(job: str) -> None:
    assert validate_run_config(build_definitions().resolve_job_def(job), {})
