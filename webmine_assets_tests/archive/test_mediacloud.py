"""Media Cloud's reader of story archives, as a set of rules that our files must satisfy.

Its `StoryArchiveReader` walks the records with one expectation at a time: the warcinfo, then a
response, then a metadata record, then a response again; it passes over records of another type.
The bytes of a response are taken without undoing any content coding. Each key of each sub-object
is set on a class with fixed fields, where an unknown one is an error, and
`http_metadata.encoding` is asked for by name.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from webmine_assets_tests.archive.factories import story, write_file

ACCEPTED = {
    "rss_entry": {"link", "title", "domain", "pub_date", "fetch_date", "source_url"}
    | {"source_feed_id", "source_source_id", "via"},
    "http_metadata": {"response_code", "fetch_timestamp", "final_url", "encoding"},
    "content_metadata": {"original_url", "url", "normalized_url", "canonical_domain"}
    | {"publication_date", "language", "full_language", "text_extraction_method", "article_title"}
    | {"normalized_article_title", "text_content", "is_homepage", "is_shortened", "parsed_date"},
}


def read_as_media_cloud(path: Path) -> list[tuple[bytes, dict[str, Any]]]:
    """The stories its reader would see."""
    after = {"warcinfo": "response", "response": "metadata", "metadata": "response"}
    expected, html, stories = "warcinfo", b"", []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != expected:
                continue
            stored = record.raw_stream.read()
            if expected == "response":
                html = stored
            elif expected == "metadata":
                stories.append((html, json.loads(stored)))
            expected = after[expected]
    return stories


@pytest.mark.parametrize("count", [1, 3])
def test_media_cloud_sees_every_story_and_none_of_our_extras(tmp_path: Path, count: int) -> None:
    stories = [story(f"https://u1.edu/{n}", body=b"<p>%d" % n) for n in range(count)]
    assert all(each.extras for each in stories)
    found = read_as_media_cloud(write_file(tmp_path, *stories))
    assert [html for html, _ in found] == [each.body for each in stories]
    for each, (_, metadata) in zip(stories, found, strict=True):
        assert metadata == json.loads(json.dumps(each.metadata_json()))
        assert metadata.keys() == ACCEPTED.keys()
        for name, part in metadata.items():
            assert part.keys() <= ACCEPTED[name]
        assert "encoding" in metadata["http_metadata"]
