"""The addresses of the demo sites; the institution files name the default ones."""

from dataclasses import dataclass

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPorts:
    """One port a site; 0 asks the system for a free one."""

    university: int = 8801
    newsroom: int = 8802
    portal: int = 8803


DEFAULT_PORTS = DemoPorts()
