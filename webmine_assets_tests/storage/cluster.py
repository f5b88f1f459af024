"""A small real HTTP server that keeps documents as Elasticsearch's `_bulk` does."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Cluster(ThreadingHTTPServer):
    """Indexes by name with their documents; `busy` answers come first, `busy_items` per story."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.documents: dict[str, dict[str, Any]] = {}
        self.mappings: dict[str, Any] = {}
        self.busy: list[int] = []
        self.busy_items = 0
        self.batches: list[int] = []
        self.headers: dict[str, str] = {}

    def bulk(self, index: str, data: bytes) -> dict[str, Any]:
        lines = data.decode().splitlines()
        assert data.endswith(b"\n")
        self.batches.append(len(lines) // 2)
        items = [
            self.put(index, json.loads(a), json.loads(b))
            for a, b in zip(*[iter(lines)] * 2, strict=True)
        ]
        return {"errors": any(i["index"]["status"] > 299 for i in items), "items": items}

    def put(self, index: str, action: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
        if self.busy_items:
            self.busy_items -= 1
            return {"index": {"status": 429, "error": {"type": "es_rejected_execution_exception"}}}
        if document["language"] == "bad":
            return {"index": {"status": 400, "error": {"type": "mapper_parsing_exception"}}}
        self.documents.setdefault(index, {})[action["index"]["_id"]] = document
        return {"index": {"status": 201}}


class Handler(BaseHTTPRequestHandler):
    server: Cluster

    def answer(self, status: int, value: Any = None) -> None:
        body = json.dumps(value).encode() if value is not None else b""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.answer(200 if self.path.strip("/") in self.server.mappings else 404)

    def do_PUT(self) -> None:
        self.server.mappings[self.path.strip("/")] = json.loads(self.data())
        self.answer(200, {"acknowledged": True})

    def do_POST(self) -> None:
        data = self.data()
        self.server.headers = {k.lower(): v for k, v in self.headers.items()}
        if self.server.busy:
            self.answer(self.server.busy.pop())
        else:
            index, _, verb = self.path.strip("/").partition("/")
            assert verb == "_bulk"
            self.answer(200, self.server.bulk(index, data))

    def data(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[Cluster]:
    with Cluster() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
