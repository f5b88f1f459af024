import http.client
import re
import socket
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from webmine_assets.demo.ports import DemoPorts
from webmine_assets.demo.server import DemoSites
from webmine_assets.errors import ServiceError

ANY_PORTS = DemoPorts(university=0, newsroom=0, portal=0)


@pytest.fixture(scope="module")
def sites() -> Iterator[DemoSites]:
    with DemoSites(ANY_PORTS) as running:
        yield running


def read(url: str, **headers: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    host, _, path = url.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", f"/{path}", headers=names)
    response = connection.getresponse()
    answer = (response.status, response.headers, response.read())
    connection.close()
    return answer


@pytest.mark.parametrize("site", ["university", "newsroom", "portal"])
def test_each_site_answers_on_its_own_port(sites, site):
    status, headers, body = read(f"{sites.base_urls[site]}/")
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert body.startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("site", "path"),
    [
        ("university", "/robots.txt"),
        ("university", "/sitemap.xml"),
        ("university", "/about"),
        ("newsroom", "/feeds/rss.xml"),
        ("newsroom", "/feeds/atom.xml"),
        ("newsroom", "/ai/chatbot-town-hall"),
    ],
)
def test_absolute_addresses_name_the_actual_port(sites, site, path):
    body = read(sites.base_urls[site] + path)[2].decode()
    assert set(re.findall(r"http://127\.0\.0\.1:\d+", body)) == {sites.base_urls[site]}


def test_unchanged_page_costs_no_body(sites):
    url = f"{sites.base_urls['university']}/departments/physics"
    headers = read(url)[1]
    assert read(url, If_None_Match=headers["ETag"])[::2] == (304, b"")
    assert read(url, If_Modified_Since=headers["Last-Modified"])[::2] == (304, b"")


def test_head_and_refused_methods(sites):
    url = f"{sites.base_urls['newsroom']}/about"
    with urllib.request.urlopen(urllib.request.Request(url, method="HEAD")) as response:
        assert (response.status, response.read()) == (200, b"")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(url, method="POST", data=b""))
    refused.value.close()
    assert refused.value.code == 405


def test_redirect_and_missing_page(sites):
    base_url = sites.base_urls["university"]
    status, headers, _ = read(f"{base_url}/physics")
    assert (status, headers["Location"]) == (301, "/departments/physics")
    assert read(f"{base_url}/departments/alchemy")[0] == 404


def test_second_start_reuses_what_is_served(sites):
    with DemoSites(sites.ports) as second:
        assert second.reused == {"university", "newsroom", "portal"}
        assert second.base_urls == sites.base_urls
    assert read(f"{sites.base_urls['portal']}/")[0] == 200


def test_a_port_that_serves_another_demo_site_is_not_reused(sites):
    with pytest.raises(ServiceError, match="demo newsroom"):
        DemoSites(DemoPorts(university=0, newsroom=sites.ports.portal, portal=0)).start()


@contextmanager
def foreign_server(reply: bytes) -> Iterator[int]:
    """A program that is not ours: it answers every connection with the same bytes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with listener.accept()[0] as connection:
                connection.recv(10_000)
                connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"SSH-2.0-server\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_port_in_use_by_another_program_is_named(reply):
    with foreign_server(reply) as port:
        ports = DemoPorts(university=0, newsroom=0, portal=port)
        with pytest.raises(ServiceError, match=f"port {port} .* in use .* stop that program"):
            DemoSites(ports).start()


def test_ports_are_free_again_after_stop():
    with DemoSites(ANY_PORTS) as first:
        ports = first.ports
        read(f"{first.base_urls['portal']}/")
    with DemoSites(ports) as second:
        assert second.reused == frozenset()
    second.stop()


def test_sites_stop_when_the_block_is_interrupted():
    sites = DemoSites(ANY_PORTS)
    with pytest.raises(KeyboardInterrupt), sites:
        raise KeyboardInterrupt
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", sites.ports.university)) != 0
