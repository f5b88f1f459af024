from pathlib import Path

import pytest

from webmine_assets.errors import ConfigurationError
from webmine_assets.settings import read_settings


def test_an_empty_environment_keeps_everything_in_data() -> None:
    settings = read_settings({})
    assert settings.data == Path("data").resolve()
    assert settings.lake == str(settings.data / "lake")
    assert settings.auto_enhance is True


def test_the_environment_is_heard(tmp_path: Path) -> None:
    settings = read_settings(
        {"WEBMINE_DATA": str(tmp_path), "WEBMINE_LAKE": "s3://b/lake", "WEBMINE_CONTACT": "a@b.c"}
    )
    assert settings.institutions == tmp_path / "institutions"
    assert settings.lake == "s3://b/lake"
    assert settings.contact == "a@b.c"


@pytest.mark.parametrize(
    ("value", "expected"), [("false", False), ("0", False), ("ON", True), ("", True)]
)
def test_the_enhancement_switch(value: str, expected: bool) -> None:
    assert read_settings({"AUTO_ENHANCE_METADATA": value}).auto_enhance is expected


@pytest.mark.parametrize("value", ["mc", "our-news", "A.b_1"])
def test_the_archive_prefix_is_heard(value: str) -> None:
    assert read_settings({"WEBMINE_ARCHIVE_PREFIX": value}).archive_prefix == value
    assert read_settings({}).archive_prefix == "mc"


@pytest.mark.parametrize("value", ["mc-", "../mc", "a b", "-", "x" * 40])
def test_a_prefix_that_is_no_file_name_is_named(value: str) -> None:
    with pytest.raises(ConfigurationError, match="WEBMINE_ARCHIVE_PREFIX"):
        read_settings({"WEBMINE_ARCHIVE_PREFIX": value})


def test_a_switch_that_makes_no_sense_is_named() -> None:
    with pytest.raises(ConfigurationError, match="AUTO_ENHANCE_METADATA='maybe'"):
        read_settings({"AUTO_ENHANCE_METADATA": "maybe"})


def test_a_queue_needs_a_database_that_its_workers_can_reach() -> None:
    database = {"WEBMINE_PG_URL": "postgresql://db/webmine"}
    queue = {"WEBMINE_BROKER": "redis://queue:6379/0"}
    assert read_settings(database | queue).broker == "redis://queue:6379/0"
    with pytest.raises(ConfigurationError, match="WEBMINE_PG_URL"):
        read_settings(queue)


@pytest.mark.parametrize(
    ("broker", "named"), [("amqp://me:secret@queue", "amqp"), ("secret@queue:6379", "no URL")]
)
def test_a_queue_that_is_no_redis_is_named_without_its_password(broker: str, named: str) -> None:
    with pytest.raises(ConfigurationError, match=f"WEBMINE_BROKER is {named}: ") as refused:
        read_settings({"WEBMINE_PG_URL": "postgresql://db/w", "WEBMINE_BROKER": broker})
    assert "secret" not in str(refused.value)
