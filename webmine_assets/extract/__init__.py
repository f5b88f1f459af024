"""Content, metadata and topics of one page, from one parse, each value with its source."""

from webmine_assets.extract.page import ExtractedPage, extract_page

__all__ = ["ExtractedPage", "extract_page"]
