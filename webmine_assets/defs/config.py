"""What can be set for one run in the launchpad, each with its default and meaning."""

from dagster import Config
from pydantic import Field

from webmine_assets.institutions import Institution
from webmine_assets.stages.operation import DEFAULT_BATCH_SIZE, MAX_BATCH_SIZE


class CrawlConfig(Config):
    """Overrides of the institution file for one run."""

    max_pages: int | None = Field(default=None, ge=1, description="instead of the file's max_pages")
    ttl_days: float | None = Field(default=None, ge=0, description="instead of the file's ttl_days")
    force: bool = Field(default=False, description="fetch every page anew, whatever its age")

    def applied_to(self, institution: Institution) -> Institution:
        wanted = {"max_pages": self.max_pages, "ttl_days": self.ttl_days}
        return institution.model_copy(
            update={key: value for key, value in wanted.items() if value is not None}
        )


class EnhanceConfig(Config):
    """Which pages to enhance; by default all of the partition."""

    content_ids: list[str] = Field(
        default=[], description="page ids: only these pages, those that are up to date left out"
    )
    batch_size: int | None = Field(
        default=None,
        ge=1,
        le=MAX_BATCH_SIZE,
        description=f"at most so many pages that need it ({DEFAULT_BATCH_SIZE} for content_ids)",
    )
    force_rescrape: bool = Field(
        default=False, description="with one of the others: also pages that are up to date"
    )

    @property
    def is_whole_partition(self) -> bool:
        return not self.content_ids and self.batch_size is None


class ImportConfig(Config):
    """Which archive files to take, for which institution."""

    institution: str = Field(description="id of the institution file that the pages belong to")
    files: list[str] = Field(
        min_length=1, description="WARC files, folders, http(s) or s3:// URLs; * stands for any"
    )
    any_host: bool = Field(default=False, description="take pages of hosts out of scope, too")
    limit: int | None = Field(default=None, ge=1, description="take at most so many records")
