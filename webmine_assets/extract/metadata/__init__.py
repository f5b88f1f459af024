"""The metadata cascades, one file a field; the order of the sources is data."""

from webmine_assets.extract.metadata.extraction import Metadata, extract_metadata

__all__ = ["Metadata", "extract_metadata"]
