"""Names of hosts in addresses and Host headers, and those that every machine calls itself."""

from ipaddress import IPv4Address, IPv6Address, ip_address


def host_name(host: str) -> str:
    """The name of a host without its port, in lower case. An IPv6 address keeps its brackets."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def bracketed(name: str) -> str:
    """Returns a name as it stands in an address of the web: one of IPv6 in brackets."""
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def ip_of(name: str) -> IPv4Address | IPv6Address | None:
    """Returns the address that stands in the place of a name, or None for a name."""
    try:
        return ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


def is_loopback(name: str) -> bool:
    """Returns whether every machine calls itself so: no other machine reaches this one by it."""
    address = ip_of(name)
    return name.lower() == "localhost" or (address is not None and address.is_loopback)
