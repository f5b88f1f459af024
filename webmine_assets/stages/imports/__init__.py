"""The other ways in: feeds and CSV files become seeds, WARC files and stored HTML become pages."""

from webmine_assets.stages.imports.outcome import ImportOutcome
from webmine_assets.stages.imports.pages import PageImport
from webmine_assets.stages.imports.seeds import SEED_MARKS, SeedImport

__all__ = ["SEED_MARKS", "ImportOutcome", "PageImport", "SeedImport"]
