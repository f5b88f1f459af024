"""An optional copy of the stories in Elasticsearch, for teams that search there.

Media Cloud's field names; ids from URLs, so that sending a story again replaces it. Two calls of
the HTTP interface are all it needs, so there is no client library to install.
"""

import base64
import hashlib
import json
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from webmine_assets.errors import ConfigurationError, StorageError

DEFAULT_INDEX = "mc_search"
_KEYWORD = {"type": "keyword"}
_TEXT = {"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 512}}}
MAPPING = {
    "mappings": {
        "properties": {
            "url": _KEYWORD,
            "canonical_domain": _KEYWORD,
            "publication_date": {"type": "date", "ignore_malformed": True},
            "language": _KEYWORD,
            "article_title": _TEXT,
            "text_content": {"type": "text"},
            # Microseconds do not fit the `date` type: it would cut them to milliseconds.
            "indexed_date": {"type": "date_nanos"},
        }
    }
}
# Elastic advises 5 to 15 MB a bulk request, and refuses more than 100 MB.
_BATCH_STORIES = 500
_BATCH_BYTES = 8_000_000
_MAX_ANSWER_BYTES = 64_000_000
# 429 is also what a single story of a bulk request gets when the queue for writing is full.
_BUSY = frozenset({429, 502, 503, 504})
_NO_JSON = object()
_PAUSES_S = (1.0, 2.0, 4.0, 8.0)


@dataclass(slots=True)
class SinkReport:
    """How many stories Elasticsearch has taken, and those it refused, with its reasons."""

    indexed: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Operation:
    story_id: str
    line: bytes


def elastic_document(content_metadata: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """The document of a story's `content_metadata`; `now` is its date if it was never parsed."""
    names = ("url", "canonical_domain", "publication_date", "language", "article_title")
    document = {name: content_metadata.get(name) for name in (*names, "text_content")}
    parsed = content_metadata.get("parsed_date")
    moment = str(parsed).replace(" ", "T", 1) if parsed else None
    document["indexed_date"] = moment or now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return document


def document_id(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


class ElasticSink:
    """One index of one cluster.

    `url` may hold a user and password; `api_key` is the encoded one that Elastic shows.
    """

    def __init__(
        self,
        url: str,
        *,
        index: str = DEFAULT_INDEX,
        api_key: str | None = None,
        timeout_s: float = 60,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._parts = _parse_url(url)
        self._index = quote(index, safe="")
        self._headers = _authorization(self._parts.username, self._parts.password, api_key)
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock

    def create_index(self) -> None:
        """Make the index with its mapping if it is not there."""
        if self._send("HEAD", f"/{self._index}")[0] == 200:
            return
        status, answer = self._send("PUT", f"/{self._index}", json.dumps(MAPPING).encode())
        if status != 200 and not _is_there_already(answer):
            raise StorageError(f"{self._name()}: the index was refused: {_said(status, answer)}")

    def write(self, stories: Iterable[Mapping[str, Any]]) -> SinkReport:
        """Send the `content_metadata` of stories in batches; a story without a URL is refused."""
        report = SinkReport()
        for batch in _batches(self._operations(stories, report)):
            self._write_batch(batch, report)
        return report

    def _operations(
        self, stories: Iterable[Mapping[str, Any]], report: SinkReport
    ) -> Iterator[_Operation]:
        for story in stories:
            document = elastic_document(story, self._clock())
            if not document["url"]:
                report.refused.append(("", "a story without a URL"))
                continue
            story_id = document_id(document["url"])
            action = json.dumps({"index": {"_id": story_id}})
            yield _Operation(story_id, f"{action}\n{json.dumps(document)}\n".encode())

    def _write_batch(self, batch: list[_Operation], report: SinkReport) -> None:
        """One bulk request; the stories it was too busy for are sent again."""
        for pause_s in (*_PAUSES_S, None):
            body = b"".join(operation.line for operation in batch)
            status, answer = self._send("POST", f"/{self._index}/_bulk", body)
            if status != 200:
                raise StorageError(f"{self._name()}: bulk was refused: {_said(status, answer)}")
            batch = _sort_out(batch, answer, report)
            if not batch:
                return
            if pause_s is not None:
                self._sleep(pause_s)
        report.refused.extend((operation.story_id, "still busy") for operation in batch)

    def _send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        """An answer that is not "busy"; a cluster that stays busy or away is an error."""
        problem = ""
        for pause_s in (*_PAUSES_S, None):
            try:
                status, answer = self._exchange(method, path, body)
            except (OSError, HTTPException) as failure:
                said = getattr(failure, "strerror", None) or str(failure)
                status, answer, problem = 0, None, said or type(failure).__name__
            if status and status not in _BUSY:
                return status, answer
            problem = f"status {status}" if status else problem
            if pause_s is not None:
                self._sleep(pause_s)
        raise StorageError(f"{self._name()} does not answer ({problem})")

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        connection = self._connect()
        try:
            kind = "application/x-ndjson" if path.endswith("_bulk") else "application/json"
            headers = {**self._headers, "Content-Type": kind}
            connection.request(method, self._parts.path.rstrip("/") + path, body, headers)
            response = connection.getresponse()
            return response.status, _parse(response.read(_MAX_ANSWER_BYTES))
        finally:
            connection.close()

    def _connect(self) -> HTTPConnection:
        host, port = self._place()
        if self._parts.scheme == "http":
            return HTTPConnection(host, port, timeout=self._timeout_s)
        context = ssl.create_default_context()
        return HTTPSConnection(host, port, timeout=self._timeout_s, context=context)

    def _place(self) -> tuple[str, int]:
        default = 9200 if self._parts.scheme == "http" else 443
        return self._parts.hostname or "", self._parts.port or default

    def _name(self) -> str:
        host, port = self._place()
        return f"Elasticsearch index {self._index} at {host}:{port}"


def _parse_url(url: str) -> SplitResult:
    """The parts of an address; the message shows no password that it may hold."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        shown = url.rpartition("@")[2]
        raise ConfigurationError(f"Elasticsearch at {shown!r}: expected http://host:9200")
    return parts


def _authorization(user: str | None, password: str | None, api_key: str | None) -> dict[str, str]:
    if api_key:
        return {"Authorization": f"ApiKey {api_key}"}
    if user:
        pair = f"{unquote(user)}:{unquote(password or '')}"
        return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return {}


def _batches(operations: Iterable[_Operation]) -> Iterator[list[_Operation]]:
    batch: list[_Operation] = []
    size = 0
    for operation in operations:
        if batch and (len(batch) >= _BATCH_STORIES or size + len(operation.line) > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(operation)
        size += len(operation.line)
    if batch:
        yield batch


def _sort_out(batch: list[_Operation], answer: Any, report: SinkReport) -> list[_Operation]:
    """Count what was taken and note what was refused; what is left was only too early."""
    items = answer.get("items") if isinstance(answer, dict) else None
    if not isinstance(items, list) or len(items) != len(batch):
        raise StorageError("Elasticsearch's answer to a bulk request does not fit the request")
    busy = []
    for operation, item in zip(batch, items, strict=True):
        outcome = item.get("index", {})
        status = int(outcome.get("status", 0))
        if status in _BUSY:
            busy.append(operation)
        elif 200 <= status < 300:
            report.indexed += 1
        else:
            report.refused.append((operation.story_id, json.dumps(outcome.get("error"))[:500]))
    return busy


def _parse(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except ValueError:
        return _NO_JSON


def _is_there_already(answer: Any) -> bool:
    return "resource_already_exists_exception" in json.dumps(answer, default=str)


def _said(status: int, answer: Any) -> str:
    """What was refused and why; a page of HTML says only that somebody else listens there."""
    if answer is _NO_JSON:
        return f"status {status}, and no JSON: is Elasticsearch at this address?"
    error = answer.get("error") if isinstance(answer, dict) else None
    reason = error.get("reason") if isinstance(error, dict) else error
    return f"status {status}{f', {reason}' if reason else ''}"[:500]
