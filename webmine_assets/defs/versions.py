"""Data versions: Dagster marks what was made from other rows as out of date."""

import hashlib
from collections.abc import Sequence

from dagster import DataVersion

from webmine_assets.stages.version import data_version
from webmine_assets.storage.lake import Lake, Written


def version_of(lake: Lake, written: Written) -> DataVersion:
    """The version of one partition."""
    return DataVersion(data_version(lake, written.table, written.institution))


def version_of_all(lake: Lake, table: str, institutions: Sequence[str]) -> DataVersion:
    """The version of the partitions of one run; Dagster keeps one for all of them."""
    versions = [data_version(lake, table, name) for name in institutions]
    if len(versions) == 1:
        return DataVersion(versions[0])
    return DataVersion(hashlib.sha256("".join(versions).encode()).hexdigest()[:16])
