import re
import socket
import ssl
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from aiohttp.http_exceptions import (
    BadHttpMessage,
    ContentLengthError,
    LineTooLong,
    TransferEncodingError,
)

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.network.decoding import BodyError
from webmine_assets.crawl.network.diagnosis import diagnose
from webmine_assets.crawl.network.guard import BlockedAddressError

KEY: Any = SimpleNamespace(host="u1.edu", port=443, is_ssl=True, ssl=True)


def caused(error: Exception, cause: BaseException) -> Exception:
    error.__cause__ = cause
    return error


def payload(cause: Exception) -> Exception:
    return caused(
        aiohttp.ClientPayloadError(f"Response payload is not completed: {cause!r}"), cause
    )


EAI_AGAIN = socket.gaierror(socket.EAI_AGAIN, "try again")
BLOCKED = BlockedAddressError("10.0.0.1", "private")
CASES: dict[str, tuple[Exception, FetchReason, bool]] = {
    "total": (TimeoutError(), FetchReason.TIMEOUT, True),
    "idle": (aiohttp.SocketTimeoutError("idle"), FetchReason.TIMEOUT, True),
    "connect time": (aiohttp.ConnectionTimeoutError("slow"), FetchReason.TIMEOUT, True),
    "no name": (
        aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(socket.EAI_NONAME, "none")),
        FetchReason.DNS,
        False,
    ),
    "name server away": (aiohttp.ClientConnectorDNSError(KEY, EAI_AGAIN), FetchReason.DNS, True),
    "blocked name": (
        caused(aiohttp.ClientConnectorDNSError(KEY, BLOCKED), BLOCKED),
        FetchReason.BLOCKED_ADDRESS,
        False,
    ),
    "refused": (
        aiohttp.ClientConnectorError(KEY, ConnectionRefusedError(111, "refused")),
        FetchReason.CONNECT,
        True,
    ),
    "certificate": (
        caused(
            aiohttp.ClientConnectorCertificateError(KEY, ssl.SSLCertVerificationError("bad")),
            ssl.SSLCertVerificationError("bad"),
        ),
        FetchReason.TLS,
        False,
    ),
    "disconnected": (aiohttp.ServerDisconnectedError(), FetchReason.RESET, True),
    "reset": (aiohttp.ClientOSError(104, "reset"), FetchReason.RESET, True),
    "short": (payload(ContentLengthError("short")), FetchReason.TRUNCATED, True),
    "cut chunks": (payload(TransferEncodingError("cut")), FetchReason.TRUNCATED, True),
    "senseless body": (payload(BadHttpMessage("what")), FetchReason.PROTOCOL, False),
    "long line": (
        caused(aiohttp.ClientPayloadError("x"), LineTooLong(b"x", 8)),
        FetchReason.HEADER_SIZE,
        False,
    ),
    "body": (BodyError(FetchReason.EXPANSION, "grew"), FetchReason.EXPANSION, False),
    "cut coding": (BodyError(FetchReason.TRUNCATED, "cut"), FetchReason.TRUNCATED, True),
    "not foreseen": (LookupError("what is this"), FetchReason.PROTOCOL, False),
    "nameless": (ValueError(), FetchReason.PROTOCOL, False),
}


@pytest.mark.parametrize("name", CASES)
def test_every_error_has_a_reason_and_a_detail(name: str) -> None:
    error, reason, retryable = CASES[name]
    diagnosis = diagnose(error)
    assert (diagnosis.reason, diagnosis.retryable) == (reason, retryable)
    assert diagnosis.detail


def test_detail_is_one_bounded_line() -> None:
    detail = diagnose(ValueError("a\r\nb" * 1_000)).detail
    assert "\n" not in detail
    assert len(detail) <= 300


def test_blocked_address_is_named_in_the_detail() -> None:
    error, _, _ = CASES["blocked name"]
    assert diagnose(error).detail == "10.0.0.1 is a private address"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CASES["refused"][0], "no connection to u1.edu:443: Connection refused"),
        (
            aiohttp.ClientConnectorError(KEY, OSError("Multiple exceptions: [Errno 113] x, y")),
            "no connection to u1.edu:443: No route to host",
        ),
        (CASES["no name"][0], "u1.edu has no address: none"),
        (CASES["short"][0], "the connection was closed before the whole body had come"),
        (CASES["reset"][0], "Connection reset by peer"),
        (payload(ConnectionResetError(104, "x")), "the connection was lost before the whole"),
        (payload(BadHttpMessage("Bad status line:\n\n  b'x'")), "Bad status line"),
        (TimeoutError(), "the whole fetch took too long"),
    ],
)
def test_the_detail_is_for_people_not_for_the_library(error: Exception, said: str) -> None:
    detail = diagnose(error).detail
    assert detail.startswith(said)
    assert not re.search(r"Err(or|no)|ssl:|message=", detail)


def test_errors_that_name_each_other_as_cause_come_to_an_end() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert diagnose(first).reason is FetchReason.PROTOCOL
