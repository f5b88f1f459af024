import socket
from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmine_assets.crawl.network.guard import BlockedAddressError, Guard, GuardedSocket
from webmine_assets_tests.hostile import HostileSite

REFUSED = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "10.1.2.3": "private",
    "172.16.0.1": "private",
    "192.168.0.1": "private",
    "169.254.1.1": "link-local",
    "169.254.169.254": "metadata",
    "168.63.129.16": "metadata",
    "fd00:ec2::254": "metadata",
    "100.64.0.1": "shared",
    "100.100.100.200": "shared",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "private",
    "224.0.0.1": "multicast",
    "ff02::1": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "198.18.0.1": "private",
    "192.0.2.1": "private",
    "::": "unspecified",
    "::1": "loopback",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fc00::1": "private",
    "fec0::1": "private",
    "2001:db8::1": "private",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:a9fe:a9fe": "metadata",
    "::10.0.0.1": "translated private",
    "64:ff9b::10.0.0.1": "translated private",
    "64:ff9b::169.254.169.254": "translated metadata",
    "64:ff9b:1::8.8.8.8": "translation",
    "2002:a00:1::": "translated private",
    "2002:7f00:1::1": "translated loopback",
    "2001:0:808:808:0:0:f5ff:fffe": "private",
    "2606:4700::5efe:10.0.0.1": "translated private",
    "localhost": "malformed",
    "0x7f000001": "malformed",
    "2130706433": "malformed",
    "": "malformed",
}
PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize(("address", "kind"), REFUSED.items())
def test_address_that_is_not_public_is_refused(address: str, kind: str) -> None:
    assert Guard().refused_kind(address) == kind


@pytest.mark.parametrize("address", PUBLIC)
def test_public_address_is_allowed(address: str) -> None:
    assert Guard().refused_kind(address) is None


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("127.0.0.1", True),
        ("::ffff:127.0.0.1", True),
        ("127.1.2.3", True),
        ("64:ff9b::127.0.0.1", True),
        ("10.0.0.1", False),
        ("::1", False),
        ("169.254.169.254", False),
    ],
)
def test_named_network_opens_itself_and_nothing_else(address: str, allowed: bool) -> None:
    guard = Guard(("127.0.0.0/8", "fd12::/16"))
    assert (guard.refused_kind(address) is None) is allowed


@given(st.ip_addresses(v=4))
def test_no_spelling_of_an_address_is_judged_more_kindly(address: IPv4Address) -> None:
    guard = Guard()
    if guard.refused_kind(str(address)) is None:
        return
    number = int(address)
    prefixes = ("::ffff:0:0", "64:ff9b::", "::5efe:0:0")
    spellings = [ip_address(int(ip_address(prefix)) | number) for prefix in prefixes]
    spellings.append(ip_address((0x2002 << 112) | (number << 80)))
    assert all(guard.refused_kind(str(spelling)) for spelling in spellings)


@given(st.text(max_size=40))
def test_any_text_gets_an_answer(text: str) -> None:
    Guard().refused_kind(text)


def test_malformed_network_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="not-a-network"):
        Guard(("not-a-network",))


async def test_socket_asks_about_the_address_it_connects_to() -> None:
    """A name that changes its answer after the check still meets the guard here."""
    async with HostileSite(address="127.0.0.2") as canary:
        with GuardedSocket(socket.AF_INET, socket.SOCK_STREAM) as guarded:
            guarded.guard = Guard(("127.0.0.1/32",))
            with pytest.raises(BlockedAddressError, match=r"127\.0\.0\.2 is a loopback address"):
                guarded.connect(("127.0.0.2", canary.port))
        assert canary.connections == 0
