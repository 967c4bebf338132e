"""Who asks: an address, and the cookie of a browser where it has one. Everything that is shared out
is shared first by address and then by cookie, because a cookie costs one request.

A client is one line of text, the address and after a space the cookie, so that it goes to other
processes as it is.
"""

import time
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, ip_address
from typing import Literal

from cachetools import LRUCache

NETWORK_BITS = 64
"""Whoever has one address of IPv6 has all that begin as it does: RFC 4291, 2.5.1."""
PACE_SECONDS = 120.0
KNOWN = 50_000
"""So many browsers and so many addresses are remembered, those that asked last."""

Share = Literal["", "own", "address", "all"]


def network_of(host: str) -> str:
    """The address that a host counts as: one of IPv6 counts as its /64."""
    if ":" not in host:
        return host
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    network = int(address) >> (128 - NETWORK_BITS) << (128 - NETWORK_BITS)
    return f"{IPv6Address(network)}/{NETWORK_BITS}"


def client_of(host: str, cookie: str = "") -> str:
    """The client at a host, as everything that is shared out knows it."""
    return f"{network_of(host)} {cookie}".rstrip()


def address_of(client: str) -> str:
    """The address of a client."""
    return client.partition(" ")[0]


def device_of(client: str) -> str:
    """The cookie of a client, which goes with its device; the address where it has none."""
    return client.rpartition(" ")[2]


def used_up(taken: Iterable[str], client: str, most: int, each: int) -> Share:
    """Whose share is used up where `client` asks for one more of `most` places, and `taken` has a
    client for each that is taken: its own of `each`, its address's, or all. Empty if it gets one.

    A fifth of all places, one at least, is kept for addresses that have fewer than `each`.
    """
    address, own, near, total = address_of(client), 0, 0, 0
    for other in taken:
        total += 1
        if address_of(other) == address:
            near += 1
            own += other == client
    if total >= most:
        return "all"
    if near >= each and near >= most - max(1, most // 5):
        return "address"
    return "own" if own >= each else ""


class Pace:
    """Lets the new browsers of one address in: `many` at once, and as many again in two minutes.
    Those known already are not new.
    """

    def __init__(self, many: int, now: Callable[[], float] = time.monotonic):
        self.many, self.now = many, now
        self.known: LRUCache[str, bool] = LRUCache(KNOWN)
        self.left: LRUCache[str, tuple[float, float]] = LRUCache(KNOWN)

    def knows(self, client: str) -> bool:
        """Whether a client counts as one; else it counts as its address alone."""
        if client in self.known:
            return self.known[client]  # it asked last
        address, now = address_of(client), self.now()
        left, then = self.left.get(address, (self.many, now))
        left = min(self.many, left + (now - then) * self.many / PACE_SECONDS)
        if left < 1:
            return False
        self.left[address] = left - 1, now
        self.known[client] = True
        return True
