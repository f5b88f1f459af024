"""Which addresses may be connected to. The decision is pure; the connector asks it at `connect()`.

A name is resolved once and the very address handed to the kernel is checked, so neither a
redirect, an odd spelling of an address nor a name that changes its answer gets around it.
"""

import errno
import socket
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

Address = IPv4Address | IPv6Address

_NAT64 = IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = IPv6Network("::/96")
_ISATAP_MARKS = (0x00005EFE, 0x02005EFE)  # RFC 5214 section 6.1
# Looked at before the general kinds: the ledger then says what was asked for, and some of these are
# public or unremarkable to `ipaddress`.
_NAMED: tuple[tuple[IPv4Network | IPv6Network, str], ...] = (
    (IPv4Network("169.254.169.254/32"), "metadata"),
    (IPv4Network("168.63.129.16/32"), "metadata"),  # Azure's, in the middle of public space
    (IPv6Network("fd00:ec2::/32"), "metadata"),
    (IPv4Network("100.64.0.0/10"), "shared"),
    (IPv6Network("64:ff9b:1::/48"), "translation"),  # RFC 8215: local use only
    (IPv6Network("fec0::/10"), "private"),
)


class BlockedAddressError(OSError):
    """Raised inside the connector; an `OSError` because that is what aiohttp passes on intact."""

    def __init__(self, address: str, kind: str) -> None:
        super().__init__(errno.EACCES, f"{address} is a {kind} address")
        self.address = address
        self.kind = kind


class Guard:
    """Refuses every address that is not public unless one of `allow_networks` (CIDRs) holds it."""

    def __init__(self, allow_networks: tuple[str, ...] = ()) -> None:
        self._allowed = tuple(ip_network(network, strict=False) for network in allow_networks)

    def refused_kind(self, raw_address: str) -> str | None:
        """What is wrong with an address, in one word, or None if it may be connected to."""
        try:
            address = _unmapped(ip_address(raw_address))
        except ValueError:
            return "malformed"
        if any(address in network for network in self._allowed):
            return None
        kind = _kind(address)
        return kind if kind else self._embedded_kind(address)

    def check(self, raw_address: str) -> None:
        kind = self.refused_kind(raw_address)
        if kind:
            raise BlockedAddressError(raw_address, kind)

    def _embedded_kind(self, address: Address) -> str | None:
        for inner in _embedded(address):
            if any(inner in network for network in self._allowed):
                continue
            kind = _kind(inner)
            if kind:
                return f"translated {kind}"
        return None


def _unmapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _kind(address: Address) -> str | None:
    for network, kind in _NAMED:
        if address in network:
            return kind
    for kind, holds in (
        ("unspecified", address.is_unspecified),
        ("loopback", address.is_loopback),
        ("link-local", address.is_link_local),
        ("multicast", address.is_multicast),
        # Python counts ::/8 as reserved, so translated addresses get their own look.
        ("reserved", address.is_reserved and not _is_translation(address)),
        ("private", address.is_private),
    ):
        if holds:
            return kind
    return None


def _is_translation(address: Address) -> bool:
    return address in _NAT64 or address in _V4_COMPATIBLE


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """IPv4 addresses that a translator on the way would take out of an IPv6 address."""
    if isinstance(address, IPv4Address):
        return ()
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    is_isatap = (int(address) >> 32) & 0xFFFFFFFF in _ISATAP_MARKS
    return (low,) if is_isatap or _is_translation(address) else ()


class GuardedSocket(socket.socket):
    """A socket that asks the guard about the address it is told to connect to."""

    guard: Guard

    def connect(self, address: Any, /) -> None:
        self.guard.check(address[0])
        super().connect(address)


class GuardedResolver(AbstractResolver):
    """Drops refused addresses from answers; a name with no other address is itself refused."""

    def __init__(self, guard: Guard, resolver: AbstractResolver) -> None:
        self._guard = guard
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        answers = await self._resolver.resolve(host, port, family)
        allowed = [one for one in answers if self._guard.refused_kind(one["host"]) is None]
        if answers and not allowed:
            self._guard.check(answers[0]["host"])
        return allowed

    async def close(self) -> None:
        await self._resolver.close()


def guarded_connector(
    guard: Guard, resolver: AbstractResolver | None = None
) -> aiohttp.TCPConnector:
    """A connector that reaches only what the guard lets through, over the system's resolver.

    Politeness limits connections to a host, so the pool itself has no limit to queue at.
    """

    def open_socket(address_info: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol = address_info[:3]
        guarded = GuardedSocket(family=family, type=kind, proto=protocol)
        guarded.guard = guard
        return guarded

    return aiohttp.TCPConnector(
        resolver=GuardedResolver(guard, resolver or aiohttp.ThreadedResolver()),
        socket_factory=open_socket,
        limit=0,
        # A remembered answer is no hole: the address itself is checked at every connect.
        ttl_dns_cache=300,
    )
