"""The WARC records of one story, as bytes: a response, its metadata, and our own metadata.

Media Cloud's reader takes the first metadata record after a response and then waits for the next
response, so what it does not know goes into a second metadata record.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webmine_assets.archive.container import (
    escape_uri,
    format_date,
    format_record,
    new_record_id,
    sha1_digest,
)
from webmine_assets.archive.gzipping import compress_member
from webmine_assets.archive.message import format_message
from webmine_assets.archive.story import EXTRAS_TYPE, METADATA_TYPE, Story

SOFTWARE = "webmine-assets"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRecords:
    """The compressed records of one story in the order they are written; `extras` may be empty."""

    flavour: str
    target_uri: str
    content_type: str
    status: int
    fetched_at: datetime
    record_id: str
    payload_digest: str
    response: bytes
    metadata: bytes
    extras: bytes


def build_records(story: Story, now: datetime, level: int) -> StoryRecords:
    """All records of a story; `now` is its date if it is not known when it was fetched.

    Nothing in them depends on the file they go to, so stories can be prepared side by side.
    """
    record_id = new_record_id()
    target_uri = escape_uri(story.target_uri)
    fetched_at = (story.http_metadata.fetched_at or now.astimezone(UTC)).replace(microsecond=0)
    digest = sha1_digest(story.body)
    common = [
        ("WARC-Date", format_date(fetched_at)),
        ("WARC-Target-URI", target_uri),
    ]
    response = [("WARC-Type", "response"), ("WARC-Record-ID", record_id), *common]
    response.append(("WARC-Payload-Digest", digest))
    response.append(("Content-Type", "application/http; msgtype=response"))
    refers = [*common, ("WARC-Refers-To", record_id)]
    return StoryRecords(
        flavour=story.flavour,
        target_uri=target_uri,
        content_type=story.content_type,
        status=story.http_metadata.response_code or 0,
        fetched_at=fetched_at,
        record_id=record_id,
        payload_digest=digest,
        response=compress_member(format_record(response, _response_block(story)), level),
        metadata=_json_record(refers, METADATA_TYPE, story.metadata_json(), level),
        extras=_json_record(refers, EXTRAS_TYPE, story.extras, level) if story.extras else b"",
    )


def build_warcinfo(name: str, *, now: datetime, host: str, level: int) -> bytes:
    """The compressed record every file starts with."""
    fields = {
        "software": SOFTWARE,
        "format": "WARC File Format 1.0",
        "hostname": host,
        "conformsTo": "http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf",
    }
    block = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", new_record_id()),
        ("WARC-Filename", name),
        ("WARC-Date", format_date(now)),
        ("Content-Type", "application/warc-fields"),
    ]
    return compress_member(format_record(headers, block), level)


def _response_block(story: Story) -> bytes:
    return format_message(
        story.body,
        status=story.http_metadata.response_code,
        content_type=story.content_type,
        encoding=story.http_metadata.encoding,
        headers=story.headers,
    )


def _json_record(
    common: list[tuple[str, str]], kind: str, value: dict[str, Any], level: int
) -> bytes:
    block = json.dumps(value, indent=2).encode()
    headers = [("WARC-Type", "metadata"), ("WARC-Record-ID", new_record_id()), *common]
    headers += [("WARC-Payload-Digest", sha1_digest(block)), ("Content-Type", kind)]
    return compress_member(format_record(headers, block), level)
