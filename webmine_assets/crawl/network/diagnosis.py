"""What an exception of the HTTP client means: the one place where foreign errors are translated."""

import asyncio
import os
import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp
from aiohttp import http_exceptions

from webmine_assets.crawl.exchange import FetchReason
from webmine_assets.crawl.network.decoding import BodyError
from webmine_assets.crawl.network.guard import BlockedAddressError

_MAX_DETAIL = 300
_RETRYABLE = frozenset(
    {FetchReason.TIMEOUT, FetchReason.CONNECT, FetchReason.RESET, FetchReason.TRUNCATED}
)
_TOO_MANY_HEADERS = "too many"
_ERRNO = re.compile(r"\[Errno (\d+)\]")
_NAMELESS: dict[type[Exception], str] = {TimeoutError: "the whole fetch took too long"}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    reason: FetchReason
    detail: str
    retryable: bool = False


def diagnose(error: Exception) -> Diagnosis:
    """The reason behind any exception of a fetch; what is not known is a protocol error."""
    if isinstance(error, BodyError):
        return Diagnosis(error.reason, error.detail, error.reason in _RETRYABLE)
    reason = _reason(error, tuple(_causes(error)))
    retryable = reason in _RETRYABLE or _is_passing_dns_trouble(error)
    return Diagnosis(reason, _detail(error), retryable)


def _reason(error: Exception, causes: tuple[BaseException, ...]) -> FetchReason:
    if _any(causes, BlockedAddressError):
        return FetchReason.BLOCKED_ADDRESS
    if isinstance(error, asyncio.TimeoutError):
        return FetchReason.TIMEOUT
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return FetchReason.DNS
    if _any(causes, ssl.SSLError, ssl.CertificateError):
        return FetchReason.TLS
    if isinstance(error, aiohttp.ClientConnectorError):
        return FetchReason.CONNECT
    if _any(causes, http_exceptions.LineTooLong) or _has_too_many_headers(causes):
        return FetchReason.HEADER_SIZE
    if isinstance(error, aiohttp.ClientPayloadError):
        return _payload_reason(error, causes)
    if _any(causes, http_exceptions.HttpProcessingError):
        return FetchReason.PROTOCOL
    if isinstance(error, aiohttp.ClientConnectionError | OSError):
        return FetchReason.RESET
    return FetchReason.PROTOCOL


def _payload_reason(
    error: aiohttp.ClientPayloadError, causes: tuple[BaseException, ...]
) -> FetchReason:
    # aiohttp raises the same error for a body that stops and for chunks that make no sense, and
    # puts a lost connection only into the text of the error.
    if _any(causes, ConnectionError) or "ConnectionResetError" in str(error):
        return FetchReason.RESET
    stops = (http_exceptions.ContentLengthError, http_exceptions.TransferEncodingError)
    if _any(causes, *stops) and "not completed" in str(error):
        return FetchReason.TRUNCATED
    return FetchReason.PROTOCOL


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _any(causes: tuple[BaseException, ...], *kinds: type[BaseException]) -> bool:
    return any(isinstance(cause, kinds) for cause in causes)


def _has_too_many_headers(causes: tuple[BaseException, ...]) -> bool:
    return any(
        isinstance(cause, http_exceptions.BadHttpMessage)
        and _TOO_MANY_HEADERS in cause.message.lower()
        for cause in causes
    )


def _is_passing_dns_trouble(error: Exception) -> bool:
    if not isinstance(error, aiohttp.ClientConnectorDNSError):
        return False
    return error.os_error.errno == socket.EAI_AGAIN


def _detail(error: Exception) -> str:
    text = _in_words(error, tuple(_causes(error))) or str(error)
    text = text or _NAMELESS.get(type(error), repr(error))
    return " ".join(text.split())[:_MAX_DETAIL]


def _in_words(error: Exception, causes: tuple[BaseException, ...]) -> str | None:
    """What people can act on; the libraries' own texts are for those who debug them."""
    for cause in causes:
        if isinstance(cause, BlockedAddressError):
            return cause.strerror
        # aiohttp's own errors are of these classes too, but without what these say.
        if isinstance(cause, ssl.SSLError) and (said := getattr(cause, "verify_message", None)):
            return f"the certificate is not valid: {said}"
        if isinstance(cause, ssl.SSLError) and (said := getattr(cause, "reason", None)):
            return f"no safe connection: {said.replace('_', ' ').lower()}"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"{error.host} has no address: {error.os_error.strerror}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"no connection to {error.host}:{error.port}: {_system_text(error.os_error)}"
    if isinstance(error, aiohttp.ClientPayloadError):
        reason = _payload_reason(error, causes)
        if reason is FetchReason.TRUNCATED:
            return "the connection was closed before the whole body had come"
        if reason is FetchReason.RESET:
            return "the connection was lost before the whole body had come"
    for cause in causes:
        if isinstance(cause, http_exceptions.HttpProcessingError) and cause.message:
            return cause.message.splitlines()[0].rstrip(":")
    return _system_text(error) if isinstance(error, OSError) and error.errno else None


def _system_text(problem: OSError) -> str:
    """The system's name for it; where several addresses failed, that of the first."""
    told = _ERRNO.search(str(problem))
    number = problem.errno or (int(told[1]) if told else 0)
    return os.strerror(number) if number > 0 else problem.strerror or str(problem)
