"""What can be set for one run in the launchpad, each with its default and meaning."""

from dagster import Config
from pydantic import Field

from webmine_assets.institutions import Institution
from webmine_assets.stages.operation import DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE

_AS_IN_THE_FILE = -1
"""Not None: the launchpad writes only defaults that have a value, and a setting that is not seen is
not found."""


class CrawlConfig(Config):
    """Overrides of the institution file for one run."""

    max_pages: int = Field(
        default=0,
        ge=0,
        description="at most so many pages, those stored beyond them stay; "
        "0: as the institution file says",
    )
    ttl_days: float = Field(
        default=_AS_IN_THE_FILE,
        ge=_AS_IN_THE_FILE,
        description="pages younger than this are not fetched again; -1: as the file says",
    )
    force: bool = Field(default=False, description="fetch every page anew, whatever its age")

    def applied_to(self, institution: Institution) -> Institution:
        wanted: dict[str, object] = {}
        if self.max_pages:
            wanted["max_pages"] = self.max_pages
        if self.ttl_days >= 0:
            wanted["ttl_days"] = self.ttl_days
        return institution.model_copy(update=wanted)


class EnhanceConfig(Config):
    """Which pages to enhance; by default all of the partition that need it."""

    content_ids: list[str] = Field(
        default=[], description="page ids: only these pages, those that are up to date left out"
    )
    batch_size: int = Field(
        default=0,
        ge=0,
        le=MAX_BATCH_SIZE,
        description="at most so many pages that need it; 0: all of the partition, or "
        f"{DEFAULT_BATCH_SIZE} of content_ids",
    )
    force_rescrape: bool = Field(
        default=False, description="also pages whose content and metadata are up to date"
    )

    @property
    def is_whole_partition(self) -> bool:
        return not self.content_ids and not self.batch_size


class ImportConfig(Config):
    """Which archive files to take, for which institution."""

    institution: str = Field(description="id of the institution file that the pages belong to")
    files: list[str] = Field(
        min_length=1, description="WARC files, folders, http(s) or s3:// URLs; * stands for any"
    )
    any_host: bool = Field(default=False, description="take pages of hosts out of scope, too")
    limit: int = Field(default=0, ge=0, description="take at most so many records; 0: all")
