"""The sink against a small real HTTP server that keeps documents as `_bulk` does."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from webmine_assets.errors import ConfigurationError, StorageError
from webmine_assets.storage.elastic import ElasticSink, document_id, elastic_document
from webmine_assets_tests.storage.cluster import Cluster, serving

NOW = datetime(2026, 3, 4, 5, 6, 7, 89, tzinfo=UTC)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with serving() as server:
        yield server


def sink(cluster: Cluster, waits: list[float] | None = None, **options: Any) -> ElasticSink:
    sleep = ([] if waits is None else waits).append
    url = f"http://127.0.0.1:{cluster.server_port}"
    return ElasticSink(url, sleep=sleep, clock=lambda: NOW, **options)


def story(number: int, **fields: Any) -> dict[str, Any]:
    values = {"url": f"https://u1.edu/{number}", "language": "en", "text_content": "Text.\nMore."}
    return values | {"parsed_date": "2026-01-02 03:04:05.678901"} | fields


def test_a_document_has_the_field_names_of_media_cloud() -> None:
    document = elastic_document(story(1, topics=["x"]), NOW)
    assert list(document) == [
        "url",
        "canonical_domain",
        "publication_date",
        "language",
        "article_title",
        "text_content",
        "indexed_date",
    ]
    assert document["indexed_date"] == "2026-01-02T03:04:05.678901"
    unparsed = elastic_document(story(1, parsed_date=None), NOW)
    assert unparsed["indexed_date"] == "2026-03-04T05:06:07.000089"


def test_stories_are_sent_in_batches_and_again_without_doubles(cluster: Cluster) -> None:
    for _ in range(2):
        report = sink(cluster).write(story(number) for number in range(1201))
        assert (report.indexed, report.refused) == (1201, [])
    assert cluster.batches == [500, 500, 201] * 2
    assert len(cluster.documents["mc_search"]) == 1201
    found = cluster.documents["mc_search"][document_id("https://u1.edu/7")]
    assert found["text_content"] == "Text.\nMore."


def test_large_stories_make_smaller_batches(cluster: Cluster) -> None:
    sink(cluster).write(story(number, text_content="x" * 3_000_000) for number in range(5))
    assert cluster.batches == [2, 2, 1]


def test_the_index_is_made_once_with_nanoseconds(cluster: Cluster) -> None:
    sink(cluster).create_index()
    cluster.mappings["mc_search"]["made"] = "once"
    sink(cluster).create_index()
    made = cluster.mappings["mc_search"]
    assert made["made"] == "once"
    assert made["mappings"]["properties"]["indexed_date"] == {"type": "date_nanos"}


def test_a_busy_cluster_is_asked_again(cluster: Cluster) -> None:
    waits: list[float] = []
    cluster.busy = [503, 429]
    cluster.busy_items = 3
    report = sink(cluster, waits).write(story(number) for number in range(5))
    assert (report.indexed, report.refused) == (5, [])
    assert cluster.batches == [5, 3]
    assert waits == [1.0, 2.0, 1.0]


def test_refused_stories_are_told_and_the_others_taken(cluster: Cluster) -> None:
    report = sink(cluster).write([story(1), story(2, language="bad"), story(3, url=None)])
    assert report.indexed == 1
    assert [story_id for story_id, _ in report.refused] == ["", document_id("https://u1.edu/2")]
    assert "mapper_parsing_exception" in report.refused[1][1]


def test_a_cluster_that_stays_away_is_an_error(cluster: Cluster) -> None:
    cluster.busy = [503] * 5
    with pytest.raises(StorageError, match="status 503"):
        sink(cluster).write([story(1)])
    waits: list[float] = []
    away = ElasticSink("http://127.0.0.1:1", sleep=waits.append)
    with pytest.raises(StorageError, match="does not answer"):
        away.write([story(1)])
    assert len(waits) == 4


def test_an_answer_that_is_no_bulk_answer_is_an_error(cluster: Cluster) -> None:
    cluster.busy = [404]
    with pytest.raises(StorageError, match="404"):
        sink(cluster).write([story(1)])


def test_a_server_that_is_none_of_elastics_is_named_without_its_page(tmp_path: Path) -> None:
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_port}"
        with pytest.raises(StorageError) as caught:
            ElasticSink(f"http://{place}").create_index()
        server.shutdown()
    assert place in str(caught.value)
    assert "is Elasticsearch at this address?" in str(caught.value)
    assert "<" not in str(caught.value)


def test_credentials_are_sent_and_not_shown(cluster: Cluster) -> None:
    url = f"http://me:s%40cret@127.0.0.1:{cluster.server_port}/"
    ElasticSink(url).write([story(1)])
    assert cluster.headers["authorization"] == "Basic bWU6c0BjcmV0"
    sink(cluster, api_key="abc").write([story(1)])
    assert cluster.headers["authorization"] == "ApiKey abc"
    cluster.busy = [404]
    with pytest.raises(StorageError) as caught:
        ElasticSink(url).write([story(1)])
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:9200", "ftp://x", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="expected http"):
        ElasticSink(url)
