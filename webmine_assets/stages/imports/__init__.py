"""The other ways in: feeds and CSV files become seeds, WARC files and stored HTML become pages."""

from webmine_assets.stages.imports.outcome import ImportOutcome
from webmine_assets.stages.imports.pages import PageImport
from webmine_assets.stages.imports.seeds import SeedImport

__all__ = ["ImportOutcome", "PageImport", "SeedImport"]
