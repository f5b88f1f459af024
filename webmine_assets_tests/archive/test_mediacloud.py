"""Media Cloud's reader of story archives, as a set of rules that our files must satisfy.

Its `StoryArchiveReader` walks the records with one expectation at a time: the warcinfo, then a
response, then a metadata record, then a response again; it passes over records of another type
and looks at no content type. The bytes of a response are taken without undoing any content coding.
Each key of the three sub-objects is set on a class with fixed fields, where an unknown one is an
error; other sub-objects are not looked at. A story without a parsed date takes the metadata
record's WARC-Date, and `http_metadata.encoding` is asked for by name.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from webmine_assets.archive.story import Story
from webmine_assets_tests.archive.factories import (
    members,
    response,
    story,
    warc_record,
    write_file,
)

FIELDS = {
    "rss_entry": {"link", "title", "domain", "pub_date", "fetch_date", "source_url"}
    | {"source_feed_id", "source_source_id", "via"},
    "http_metadata": {"response_code", "fetch_timestamp", "final_url", "encoding"},
    "content_metadata": {"original_url", "url", "normalized_url", "canonical_domain"}
    | {"publication_date", "language", "full_language", "text_extraction_method", "article_title"}
    | {"normalized_article_title", "text_content", "is_homepage", "is_shortened", "parsed_date"},
}
AFTER = {"warcinfo": "response", "response": "metadata", "metadata": "response"}


def read_as_media_cloud(path: Path) -> list[tuple[bytes, str | None, dict[str, Any]]]:
    """The stories its reader would see: bytes, encoding and sub-objects; or its error."""
    expected, html, stories = "warcinfo", b"", []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != expected:
                continue
            stored = record.raw_stream.read()
            if expected == "response":
                html = stored
            elif expected == "metadata":
                told = take_fields(json.loads(stored), record.rec_headers["WARC-Date"])
                stories.append((html, told["http_metadata"]["encoding"], told))
            expected = AFTER[expected]
    return stories


def take_fields(metadata: dict[str, Any], date: str) -> dict[str, Any]:
    told = {name: dict(metadata[name]) for name in FIELDS}
    for name, part in told.items():
        for key in part.keys() - FIELDS[name]:
            raise RuntimeError(f"Field {key} not defined for {name}")
    content = told["content_metadata"]
    content["parsed_date"] = content.get("parsed_date") or date.removesuffix("Z")
    return told


@pytest.mark.parametrize("count", [1, 3])
def test_media_cloud_sees_every_story_and_none_of_our_extras(tmp_path: Path, count: int) -> None:
    stories = [story(f"https://u1.edu/{n}", body=b"<p>%d" % n) for n in range(count)]
    assert all(each.extras for each in stories)
    found = read_as_media_cloud(write_file(tmp_path, *stories))
    assert [html for html, _, _ in found] == [each.body for each in stories]
    for each, (_, encoding, metadata) in zip(stories, found, strict=True):
        written = json.loads(json.dumps(each.metadata_json()))
        written["content_metadata"]["parsed_date"] = "2026-03-04T12:00:00"
        assert metadata == written
        assert encoding == "utf-8"


@pytest.mark.parametrize(
    "odd",
    [
        story(body=b"", encoding=None),
        story(content_type="application/pdf", encoding=None, body=b"%PDF-1.4 \x00\xff"),
        story(headers={"content-encoding": "br", "transfer-encoding": "chunked"}, body=b"\x1f\x8b"),
        story(http_status=404, title="\ud800", text="\x00"),
        replace(story(), extras={}),
    ],
)
def test_media_cloud_reads_every_kind_of_story(tmp_path: Path, odd: Story) -> None:
    path = write_file(tmp_path, story("https://u1.edu/1"), odd, story("https://u1.edu/2"))
    bodies = [html for html, _, _ in read_as_media_cloud(path)]
    assert bodies == [story().body, odd.body, story().body]


def metadata_record(**changes: Any) -> bytes:
    value = {**story().metadata_json(), **changes}
    kind = "Content-Type: application/x.mediacloud-indexer+json"
    date = "WARC-Date: 2020-02-03T04:05:06Z"
    return warc_record("metadata", json.dumps(value).encode(), kind, date)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"http_metadata": {"response_code": 200}}, KeyError),
        ({"rss_entry": {"topics": []}}, RuntimeError),
        ({"content_metadata": {"checksum": "x"}}, RuntimeError),
        ({"webmine": {"topics": []}}, None),
    ],
)
def test_the_rules_refuse_what_media_cloud_refuses(
    tmp_path: Path, changes: dict[str, Any], error: type[Exception] | None
) -> None:
    """Why our extras are no keys of its sub-objects: the model is as strict as its reader."""
    path = tmp_path / "x.warc.gz"
    info = warc_record("warcinfo", b"")
    path.write_bytes(members(info, response("http://n.org/", b"x"), metadata_record(**changes)))
    if error is None:
        assert len(read_as_media_cloud(path)) == 1
    else:
        with pytest.raises(error):
            read_as_media_cloud(path)


def test_a_metadata_record_of_ours_may_only_come_after_media_clouds(tmp_path: Path) -> None:
    info, page = warc_record("warcinfo", b""), response("http://n.org/", b"x")
    ours = warc_record("metadata", b'{"topics": []}', "Content-Type: application/x.webmine+json")
    path = tmp_path / "x.warc.gz"
    path.write_bytes(members(info, page, ours, metadata_record()))
    with pytest.raises(KeyError):
        read_as_media_cloud(path)
    path.write_bytes(members(info, page, metadata_record(), ours))
    assert len(read_as_media_cloud(path)) == 1
