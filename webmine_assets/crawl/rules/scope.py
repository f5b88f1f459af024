"""Which URLs belong to an institution, and which of them go first."""

import re
from dataclasses import dataclass

from webmine_assets.crawl.exchange import Refusal
from webmine_assets.crawl.rules.pathpattern import PathPattern, comparable
from webmine_assets.institutions import Institution
from webmine_assets.records import Decision
from webmine_assets.urls import host_of, target_of

_DEFAULT_PORTS = frozenset({"", "80", "443"})
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^:]*)(?::(?P<port>\d*))?")


@dataclass(frozen=True, slots=True)
class Scope:
    """The hosts, ports and paths of one institution.

    `u1.edu` is that host alone and `*.u1.edu` its subdomains alone. A host without a port stands
    for the default ports and those that its own seed URLs and feeds name; `u1.edu:8080` for 8080.
    """

    ports_by_host: dict[str, frozenset[str]]
    disallowed: tuple[tuple[str, PathPattern], ...]
    preferred: tuple[re.Pattern[str], ...]

    @classmethod
    def of(cls, institution: Institution) -> "Scope":
        ports: dict[str, frozenset[str]] = {}
        for domain in institution.allowed_domains:
            host, port = _split(domain)
            allowed = frozenset({port}) if port else _DEFAULT_PORTS | _seed_ports(institution, host)
            ports[host] = ports.get(host, frozenset()) | allowed
        return cls(
            ports,
            tuple(
                (path, PathPattern.of(_rooted(path)))
                for path in institution.disallowed_paths
                if path
            ),
            tuple(re.compile(pattern) for pattern in institution.include_patterns),
        )

    def decide(self, url: str) -> Refusal | None:
        """Why a URL is not the institution's, or None if it is."""
        if not url.startswith(("http://", "https://")):
            return _out_of_scope("scheme", url.partition(":")[0][:40])
        host, port = _split(host_of(url))
        ports = self._ports(host)
        if ports is None:
            return _out_of_scope("host", host)
        if port not in ports and not (not port and _scheme_port(url) in ports):
            return _out_of_scope("port", f"{host}:{port or _scheme_port(url)}")
        return self._disallowed(url)

    def is_preferred(self, url: str) -> bool:
        """Whether a URL matches one of the institution's include patterns."""
        if not self.preferred:
            return False
        target = target_of(url)
        return any(pattern.search(target) or pattern.search(url) for pattern in self.preferred)

    def _ports(self, host: str) -> frozenset[str] | None:
        exact = self.ports_by_host.get(host)
        if exact is not None:
            return exact
        parent = host
        while "." in parent:
            parent = parent.partition(".")[2]
            if (ports := self.ports_by_host.get(f"*.{parent}")) is not None:
                return ports
        return None

    def _disallowed(self, url: str) -> Refusal | None:
        if not self.disallowed:
            return None
        path = comparable(target_of(url))
        for text, pattern in self.disallowed:
            if pattern.matches(path):
                return Refusal(decision=Decision.DISALLOWED_PATH, reason="path", detail=text)
        return None


def _out_of_scope(reason: str, detail: str) -> Refusal:
    return Refusal(decision=Decision.OUT_OF_SCOPE, reason=reason, detail=detail)


def _seed_ports(institution: Institution, host: str) -> frozenset[str]:
    addresses = (_split(host_of(url)) for url in (*institution.seed_urls, *institution.feeds))
    return frozenset(port for seed_host, port in addresses if _covers(host, seed_host))


def _covers(domain: str, host: str) -> bool:
    return host.endswith(domain[1:]) if domain.startswith("*.") else host == domain


def _split(host_and_port: str) -> tuple[str, str]:
    match = _HOST_AND_PORT.fullmatch(host_and_port)
    return (match["host"], match["port"] or "") if match else (host_and_port, "")


def _scheme_port(url: str) -> str:
    return "443" if url.startswith("https:") else "80"


def _rooted(path: str) -> str:
    return path if path.startswith(("/", "*")) else f"/{path}"
